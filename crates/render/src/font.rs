//! A font of strokes for labels: printable ASCII, drawn with soft edges at any size.
//!
//! A glyph is a list of strokes; a stroke is a row of points, each two digits of base 36: x to the right and y upwards, in
//! fourteenths of the height of a capital. The base line is at 4, small letters end at e (14), capitals at i (18). A `~`
//! before a stroke makes it a smooth curve through its points.

/// The base line, and the height of capitals above it, in units of the strokes.
const BASE: f32 = 4.0;
pub(crate) const CAPITAL: f32 = 14.0;
/// Room between two letters.
const GAP: f32 = 4.0;
/// Pieces of a curve between two of its points.
const PIECES: usize = 6;

/// Shown for characters the font lacks.
const UNKNOWN: (u8, &str) = (10, "04a4ai0i04");

/// A letter as polylines, with the right end of its room; x from its left edge, y down from the top of capitals.
pub(crate) struct Glyph {
    pub advance: f32,
    pub strokes: Vec<Vec<[f32; 2]>>,
}

/// The glyph of a character.
pub(crate) fn glyph(letter: char) -> Glyph {
    let found = (letter as usize).checked_sub(0x20).and_then(|i| GLYPHS.get(i)).copied();
    let (width, strokes) = found.unwrap_or(UNKNOWN);
    let strokes = strokes.split_ascii_whitespace().map(stroke).collect();
    Glyph { advance: f32::from(width) + GAP, strokes }
}

/// Width of a text without the gap after its last letter.
pub(crate) fn width(text: &str) -> f32 {
    (text.chars().map(|letter| glyph(letter).advance).sum::<f32>() - GAP).max(0.0)
}

fn stroke(code: &str) -> Vec<[f32; 2]> {
    let digit = |b: u8| (b as char).to_digit(36).unwrap_or(0) as f32;
    let plain = code.trim_start_matches('~');
    let points: Vec<[f32; 2]> =
        plain.as_bytes().chunks_exact(2).map(|p| [digit(p[0]), BASE + CAPITAL - digit(p[1])]).collect();
    if plain.len() == code.len() { points } else { smooth(&points) }
}

/// A curve through all points; closed if it ends where it starts. The tangent at a point is along the line from its
/// neighbour before to that behind it.
fn smooth(points: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let (n, closed) = (points.len(), points.first() == points.last());
    let at = |k: isize| {
        let last = n as isize - 1;
        let k = match (closed, k) {
            (true, k) => k.rem_euclid(last.max(1)),
            (false, k) => k.clamp(0, last),
        };
        points[k as usize]
    };
    let mut curve = Vec::with_capacity(n * PIECES);
    for k in 0..n.saturating_sub(1) as isize {
        let [a, b, c, d] = [at(k - 1), at(k), at(k + 1), at(k + 2)];
        for piece in 0..PIECES {
            let t = piece as f32 / PIECES as f32;
            curve.push([0, 1].map(|i| {
                let (p, q) = (0.5 * (c[i] - a[i]), 0.5 * (d[i] - b[i]));
                let (t2, t3) = (t * t, t * t * t);
                (2.0 * t3 - 3.0 * t2 + 1.0) * b[i]
                    + (t3 - 2.0 * t2 + t) * p
                    + (3.0 * t2 - 2.0 * t3) * c[i]
                    + (t3 - t2) * q
            }));
        }
    }
    curve.extend(points.last());
    curve
}

/// Width and strokes, from the space (0x20) to the tilde (0x7E).
#[rustfmt::skip]
const GLYPHS: [(u8, &str); 95] = [
    (4, ""), (2, "1i19 1415"), (3, "0i0e 3i3e"), (11, "345i 749i 1dbd 09a9"), // space ! " #
    (10, "~9g7i3i0g1d5b99a6743406 5k52"), (12, "04ci ~3i1g3e5g3i ~987694b698"), // $ %
    (10, "~a43d3g5i7g6d19164475a9"), (1, "0i0e"), // & '
    (4, "~4j1e0a1641"), (4, "~0j3e4a3601"), (8, "4h4b 1g7c 7g1c"), (8, "0a8a 4e46"), // ( ) * +
    (2, "1502"), (6, "0a6a"), (2, "1415"), (8, "028i"), // , - . /
    (10, "~5i1f0b175497ab9f5i"), (6, "1f5i54"), (10, "~0e1h5i9hae7a04 04a4"), // 0 1 2
    (10, "~0g3i7iaf8c4b ~4b9aa7743406"), (10, "848i08a8"), (10, "9i1i0c ~0c3d7daaa7743406"), // 3 4 5
    (10, "~9h5i1e08255485a88c5d2c09"), (10, "0iai44"), (10, "~5i2h1f2c5b8c9f8h5i ~5b1a07255485a79a5b"), // 6 7 8
    (10, "~155498ae8h5i2h0e2a598aad"), // 9
    (2, "1415 1c1d"), (2, "1502 1c1d"), (8, "8e0a86"), (8, "0c8c 0888"), (8, "0e8a06"), // : ; < = >
    (8, "~0f2i5i8g7c4a48 4445"), (12, "~c526092g6icgcb9a ~9c6d4a689a"), // ? @
    (12, "046ic4 29a9"), (10, "040i 0i6i ~6i9haf9c6b 0b6b ~6b9aa79564 6404"), (10, "~af8h5i1f0b175485a7"), // A B C
    (10, "040i 0i4i ~4i8gab8644 4404"), (9, "9i0i0494 0b8b"), (9, "9i0i04 0b8b"), // D E F
    (10, "~af8h5i1f0b175485a7 a7ab6b"), (10, "040i a4ai 0bab"), (2, "1i14"), (8, "8i88 ~8875441507"), // G H I J
    (10, "040i ai09 3ca4"), (8, "0i0484"), (14, "040i7aeie4"), (10, "040ia4ai"), // K L M N
    (12, "~6i2g0b2664a6cbag6i"), (10, "040i 0i6i ~6i9haf9b6a 6a0a"), (12, "~6i2g0b2664a6cbag6i 87c3"), // O P Q
    (10, "040i 0i6i ~6i9haf9b6a 6a0a 5aa4"), (10, "~9g7i3i0g1d5b99a6743406"), (10, "0iai 5i54"), // R S T
    (10, "0i08 ~08255485a8 a8ai"), (12, "0i64ci"), (16, "0i448gc4gi"), (10, "0ia4 ai04"), // U V W X
    (10, "0i5b ai5b 5b54"), (10, "0iai04a4"), // Y Z
    (4, "4j0j0141"), (8, "0i82"), (4, "0j4j4101"), (8, "0e4i8e"), (8, "0282"), (2, "0i2f"), // [ \ ] ^ _ `
    (8, "~8a6d4e1c0916446588 8e84"), (8, "0i04 ~0a2d4e7c8976442508"), (8, "~8c6e4e1c0916446486"), // a b c
    (8, "~8a6d4e1c0916446588 8i84"), (8, "0989 ~898b7d4e1c0916446486"), (6, "~6i4i2g2d 2d24 0e5e"), // d e f
    (8, "~8a6d4e1c0916446588 8e82 ~82603011"), (8, "0i04 ~0a2d5e8c89 8984"), (2, "1e14 1h1i"), // g h i
    (3, "2e22 ~221000 2h2i"), (8, "0i04 7e07 2984"), (2, "1i14"), // j k l
    (12, "0e04 ~0a2d4e6c69 6964 ~6a8daeccc9 c9c4"), (8, "0e04 ~0a2d5e8c89 8984"), (8, "~4e1c09164476897c4e"), // m n o
    (8, "0e00 ~0a2d4e7c8976442508"), (8, "~8a6d4e1c0916446588 8e80"), (6, "0e04 ~0a2d4e6e"), // p q r
    (7, "~7c5e2e0c2a597765442406"), (6, "2h27 ~27355464 0e6e"), (8, "0e08 ~0815346588 8e84"), // s t u
    (8, "0e448e"), (12, "0e346d94ce"), (8, "0e84 8e04"), (8, "0e44 8e30"), (8, "0e8e0484"), // v w x y z
    (4, "~4j2h2c0a ~0a282341"), (2, "1j11"), (4, "~0j2h2c4a ~4a282301"), (8, "~0a2c4b6a8c"), // { | } ~
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_stays_in_its_room() {
        for letter in (0x20..0x7fu8).map(char::from) {
            let Glyph { advance, strokes } = glyph(letter);
            assert_eq!(strokes.is_empty(), letter == ' ', "{letter}");
            for [x, y] in strokes.into_iter().flatten() {
                // Curves swing a little beyond their points.
                assert!(x >= -1.0 && x <= advance - GAP + 1.5, "{letter}: x {x}");
                assert!((-2.5..=18.5).contains(&y), "{letter}: y {y}");
            }
        }
        assert_eq!(glyph('é').strokes.len(), 1);
        assert_eq!(width("il"), 2.0 + GAP + 2.0);
    }
}
