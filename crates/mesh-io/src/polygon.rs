//! Faces of a surface while it is read: polygons become triangles.

use super::budget::Budget;
use super::{ReadError, counted};
use pliant_mesh::DVec3;

/// Polygons with more corners are cut into fans even if they are not convex: cutting off ears takes quadratic
/// time.
const MOST_CORNERS: usize = 128;

/// Triangles, and which of them came from polygons.
#[derive(Default)]
pub(super) struct Faces {
    pub triangles: Vec<[u32; 3]>,
    /// First triangle and number of corners of the polygons that may need another cut than the fan they have.
    /// Vertices may follow their faces, so the shape of a polygon is known at the end only.
    fans: Vec<(u32, u32)>,
    polygons: usize,
    large: usize,
    /// The largest vertex index and where it was met.
    largest: Option<(u32, usize)>,
}

impl Faces {
    /// Makes room for `triangles`, or for `bound` if that is more than there is room for.
    pub fn room(
        &mut self,
        triangles: usize,
        budget: &mut Budget,
        bound: impl FnOnce() -> usize,
    ) -> Result<(), ReadError> {
        if self.triangles.capacity() - self.triangles.len() < triangles {
            budget.reserve(&mut self.triangles, triangles.max(bound()))?;
        }
        Ok(())
    }

    /// Adds a face of three or more corners; `place` is the line or byte to name if an index is too large.
    pub fn push(&mut self, corners: &[u32], place: usize) -> Result<(), ReadError> {
        let first = u32::try_from(self.triangles.len()).map_err(|_| ReadError::TooLarge)?;
        for &i in corners {
            if self.largest.is_none_or(|(most, _)| i > most) {
                self.largest = Some((i, place));
            }
        }
        if let &[a, b, c] = corners {
            self.triangles.push([a, b, c]);
            return Ok(());
        }
        self.triangles.extend(corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]]));
        self.polygons += 1;
        if corners.len() <= MOST_CORNERS {
            self.fans.push((first, corners.len() as u32));
        } else {
            self.large += 1;
        }
        Ok(())
    }

    /// The triangles, once all vertices are known. `error` makes an error of an index that is too large and
    /// its place.
    pub fn finish(
        mut self,
        vertices: &[DVec3],
        notes: &mut Vec<String>,
        error: impl FnOnce(u32, usize) -> ReadError,
    ) -> Result<Vec<[u32; 3]>, ReadError> {
        if u32::try_from(self.triangles.len().max(vertices.len())).is_err() {
            return Err(ReadError::TooLarge);
        }
        if let Some((index, place)) = self.largest.filter(|&(index, _)| index as usize >= vertices.len()) {
            return Err(error(index, place));
        }
        let mut corners = Vec::new();
        for &(first, count) in &self.fans {
            let fan = &mut self.triangles[first as usize..][..count as usize - 2];
            corners.clear();
            corners.extend([fan[0][0], fan[0][1]]);
            corners.extend(fan.iter().map(|t| t[2]));
            if let Some(better) = cut_off_ears(&corners, vertices) {
                fan.copy_from_slice(&better);
            }
        }
        if self.polygons > 0 {
            notes.push(format!("{} cut into triangles", counted(self.polygons, "polygon")));
        }
        if self.large > 0 {
            notes.push(format!(
                "{} with more than {MOST_CORNERS} corners cut into fans, which is wrong unless convex",
                counted(self.large, "polygon")
            ));
        }
        self.triangles.shrink_to_fit();
        Ok(self.triangles)
    }
}

/// Triangles of a polygon that is not convex; `None` if it is convex or crosses itself: then a fan is as good
/// as anything.
fn cut_off_ears(corners: &[u32], vertices: &[DVec3]) -> Option<Vec<[u32; 3]>> {
    let flat = project(corners, vertices)?;
    let count = corners.len();
    let mut ring: Vec<usize> = (0..count).collect();
    if (0..count).all(|k| turn(&flat, &ring, k) >= 0.0) {
        return None;
    }
    let mut ears: Vec<bool> = (0..count).map(|k| is_ear(&flat, &ring, k)).collect();
    let mut triangles = Vec::with_capacity(count - 2);
    while ring.len() > 3 {
        let k = ears.iter().position(|&ear| ear)?;
        triangles.push(around(&ring, k).map(|i| corners[i]));
        ring.remove(k);
        ears.remove(k);
        let next = k % ring.len();
        let before = (next + ring.len() - 1) % ring.len();
        for neighbour in [before, next] {
            ears[neighbour] = is_ear(&flat, &ring, neighbour);
        }
    }
    triangles.push([corners[ring[0]], corners[ring[1]], corners[ring[2]]]);
    Some(triangles)
}

/// The polygon in the plane that it covers most of, counter-clockwise; `None` where it has no area.
fn project(corners: &[u32], vertices: &[DVec3]) -> Option<Vec<[f64; 2]>> {
    let point = |k: usize| vertices[corners[k % corners.len()] as usize];
    // Relative coordinates, scaled: neither far from the origin nor in tiny units is anything lost.
    let relative: Vec<DVec3> = (0..corners.len()).map(|k| point(k) - point(0)).collect();
    let size = relative.iter().fold(0.0_f64, |m, p| m.max(p.abs().max_element()));
    if !(size > 0.0 && size.is_finite()) {
        return None;
    }
    let relative: Vec<DVec3> = relative.into_iter().map(|p| p / size).collect();
    let normal = relative.windows(2).map(|pair| pair[0].cross(pair[1])).sum::<DVec3>();
    let axis = (0..3).max_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs()))?;
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let sign = normal[axis].signum();
    (normal[axis] != 0.0).then(|| relative.iter().map(|p| [p[u], sign * p[v]]).collect())
}

/// The corners before, at and after place `k` of the ring.
fn around(ring: &[usize], k: usize) -> [usize; 3] {
    let n = ring.len();
    [ring[(k + n - 1) % n], ring[k], ring[(k + 1) % n]]
}

/// Twice the signed area of a triangle.
fn area([a, b, c]: [[f64; 2]; 3]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Positive where the ring turns left.
fn turn(flat: &[[f64; 2]], ring: &[usize], k: usize) -> f64 {
    area(around(ring, k).map(|i| flat[i]))
}

/// Whether the triangle at a corner lies inside of the ring.
fn is_ear(flat: &[[f64; 2]], ring: &[usize], k: usize) -> bool {
    let ear = around(ring, k);
    let [a, b, c] = ear.map(|i| flat[i]);
    area([a, b, c]) > 0.0
        && ring.iter().filter(|i| !ear.contains(i)).all(|&i| {
            let p = flat[i];
            let inside = area([a, b, p]) >= 0.0 && area([b, c, p]) >= 0.0 && area([c, a, p]) >= 0.0;
            // A corner that the polygon visits twice may be met again.
            !inside || [a, b, c].contains(&p)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(points: &[[f64; 2]], lift: impl Fn([f64; 2]) -> DVec3) -> Vec<[u32; 3]> {
        let vertices: Vec<DVec3> = points.iter().map(|&p| lift(p)).collect();
        let mut faces = Faces::default();
        faces.push(&(0..points.len() as u32).collect::<Vec<_>>(), 1).unwrap();
        faces.finish(&vertices, &mut Vec::new(), |_, _| ReadError::TooLarge).unwrap()
    }

    /// The parts have positive areas that add up to the area of the whole: nothing overlaps.
    fn check(points: &[[f64; 2]]) {
        let at = |k: usize| points[k % points.len()];
        let whole: f64 = (0..points.len()).map(|k| area([[0.0; 2], at(k), at(k + 1)])).sum();
        let planes: [fn([f64; 2]) -> DVec3; 3] = [
            |[x, y]| DVec3::new(x, y, 5.0),
            |[x, y]| DVec3::new(1e-30 * y, 1e-30, 1e-30 * x),
            |[x, y]| DVec3::new(y - 1e3, x + 2.0 * y, x),
        ];
        for plane in planes {
            let parts: Vec<f64> =
                cut(points, plane).iter().map(|t| area(t.map(|i| points[i as usize]))).collect();
            assert_eq!(parts.len(), points.len() - 2);
            assert!(parts.iter().all(|&a| a > 0.0), "{parts:?}");
            assert!((parts.iter().sum::<f64>() - whole).abs() < 1e-12);
        }
    }

    #[test]
    fn polygons_that_are_not_convex_are_covered_exactly() {
        check(&[[0.0, 0.0], [2.0, 0.0], [0.5, 0.5], [0.0, 2.0]]);
        check(&[[0.5, 0.5], [0.0, 2.0], [0.0, 0.0], [2.0, 0.0]]);
        check(&[
            [0.0, 0.0],
            [3.0, 0.0],
            [3.0, 2.0],
            [2.0, 2.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ]);
        let star: Vec<[f64; 2]> = (0..40)
            .map(|k| {
                let (r, angle) =
                    (if k % 2 == 0 { 1.0 } else { 0.3 }, f64::from(k) * std::f64::consts::TAU / 40.0);
                [r * angle.cos(), r * angle.sin()]
            })
            .collect();
        check(&star);
    }

    #[test]
    fn convex_flat_and_crossing_polygons_become_fans() {
        let fan = vec![[0, 1, 2], [0, 2, 3]];
        let lift = |[x, y]: [f64; 2]| DVec3::new(x, y, 0.0);
        assert_eq!(cut(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], lift), fan);
        assert_eq!(cut(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]], lift), fan);
        assert_eq!(cut(&[[0.0, 0.0]; 4], lift), fan);
        assert_eq!(cut(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], lift), fan);
        assert_eq!(cut(&[[1e300, 0.0], [-1e300, 1.0], [1e300, 1e300], [0.0, -1e300]], lift).len(), 2);
    }

    #[test]
    fn notes_tell_what_was_cut() {
        let vertices = vec![DVec3::ZERO; 200];
        let mut faces = Faces::default();
        faces.push(&[0, 1, 2, 3], 1).unwrap();
        faces.push(&(0..200).collect::<Vec<_>>(), 1).unwrap();
        let mut notes = Vec::new();
        faces.finish(&vertices, &mut notes, |_, _| ReadError::TooLarge).unwrap();
        assert_eq!(notes[0], "2 polygons cut into triangles");
        assert!(notes[1].starts_with("1 polygon with more than 128 corners cut into fans"), "{notes:?}");
    }
}
