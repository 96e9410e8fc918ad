//! What people write who know other programs, and how it is written here.

/// How to say what an unknown key or word at a dotted path was meant to say.
pub(super) fn hint(place: &str, word: &str) -> Option<String> {
    let (section, last) = (place.split('.').next()?, place.rsplit('.').next()?);
    let plane = "a plane is everything below z = 0 of its own coordinates: turn it by transform = { rotate = { axis = \"y\", \
                 degrees = 30 } }";
    let text = match (section, last, word) {
        ("obstacle", _, "normal") => plane.to_string(),
        ("obstacle", "shape", "height") => {
            "use `length`: a cylinder reaches half of it up and down from its centre, as a mesh or as an obstacle".to_string()
        }
        ("obstacle", index, "kind") if is_index(index) => {
            "the kind belongs to the shape: write shape = { kind = \"sphere\", radius = 0.1 }".to_string()
        }
        ("obstacle", index, "radius" | "size" | "length" | "height" | "major" | "minor" | "mesh") if is_index(index) => {
            format!("`{word}` belongs to the shape: write shape = {{ kind = ..., {word} = ... }}")
        }
        (_, "rotate", "angle" | "angle_degrees" | "deg") => "angles are `degrees` here".to_string(),
        (_, "motion", "angle" | "degrees") => {
            "a rotation has a rate: use `degrees_per_second` with `stop`, or kind = \"keyframes\" with `degrees`".to_string()
        }
        (_, "select", group) if !group.is_empty() && !group.contains(['"', '\n']) && group.len() <= 60 => {
            format!("for the group of that name write select = {{ group = \"{group}\" }}")
        }
        _ => return None,
    };
    Some(text)
}

fn is_index(segment: &str) -> bool {
    !segment.is_empty() && segment.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_from_elsewhere_is_translated() {
        let says = |place, word, part: &str| {
            assert!(hint(place, word).is_some_and(|h| h.contains(part)), "{place} {word}")
        };
        says("obstacle.0", "kind", "shape = { kind");
        says("obstacle.12", "radius", "belongs to the shape");
        says("obstacle.0.shape", "normal", "transform");
        says("obstacle.0.shape", "height", "`length`");
        says("body.0.transform.rotate", "angle", "`degrees`");
        says("pin.0.motion", "angle", "degrees_per_second");
        says("pin.0.select", "z_max", "group = \"z_max\"");
        assert_eq!(hint("body.0", "kind"), None);
        assert_eq!(hint("", ""), None);
    }
}
