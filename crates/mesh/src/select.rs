//! Picking vertices of a mesh: by shape in space, by index or by group.

use crate::topology::sorted_unique;
use crate::vector::unit;
use crate::{DVec3, Mesh};
use thiserror::Error;

/// Bounds of a shape count as inside, with this slack relative to the diagonal of the mesh: a vertex that is
/// on the bound on paper should not be lost to rounding.
const SLACK: f64 = 1e-9;

/// A set of vertices, described. Positions are those of the mesh as given, in metres.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Selector {
    /// All vertices.
    All,
    /// Vertices in an axis-aligned box.
    Box {
        /// Smallest corner.
        min: DVec3,
        /// Largest corner.
        max: DVec3,
    },
    /// Vertices in a ball.
    Sphere {
        /// Its centre.
        center: DVec3,
        /// Its radius, zero or more.
        radius: f64,
    },
    /// Vertices near a plane: `|(x - point) . n| <= tolerance` with the unit normal `n`.
    Plane {
        /// A point on the plane.
        point: DVec3,
        /// Normal direction, any length but zero.
        normal: DVec3,
        /// Largest distance, zero or more.
        tolerance: f64,
    },
    /// Vertices on or beyond a plane: `(x - point) . n >= 0`.
    HalfSpace {
        /// A point on the plane.
        point: DVec3,
        /// Direction of the kept side, any length but zero.
        normal: DVec3,
    },
    /// Vertices by index, in any order.
    Indices(Vec<u32>),
    /// The vertices of a named group.
    Group(String),
}

/// Why a selection failed.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SelectError {
    /// The mesh has no group of this name.
    #[error("the mesh has no group `{name}`; {}", advice(nearest.as_deref(), groups))]
    MissingGroup {
        /// The name asked for.
        name: String,
        /// The existing name with the smallest edit distance.
        nearest: Option<String>,
        /// All existing names.
        groups: Vec<String>,
    },
    /// An index names no vertex.
    #[error("vertex index {index} is out of range: the mesh has {vertices} vertices, counted from 0")]
    IndexOutOfRange {
        /// The index.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// No vertex lies in the selection.
    #[error(
        "{selector} selects no vertex; the mesh spans {:?} to {:?}, move or enlarge the selection",
        min.to_array(),
        max.to_array()
    )]
    Nothing {
        /// What was selected by.
        selector: String,
        /// Smallest coordinates of the mesh.
        min: DVec3,
        /// Largest coordinates of the mesh.
        max: DVec3,
    },
    /// A number of the selector makes no sense.
    #[error("{what} is {value}, but it must be {want}")]
    BadValue {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        want: &'static str,
    },
}

fn advice(nearest: Option<&str>, groups: &[String]) -> String {
    match nearest {
        Some(name) => format!("did you mean `{name}`? It has: {}", groups.join(", ")),
        None => "it has no groups, so select by box, sphere, plane or index".to_string(),
    }
}

impl Selector {
    /// The selected vertices, ascending and unique; never empty.
    pub fn select(&self, mesh: &Mesh) -> Result<Vec<u32>, SelectError> {
        self.check()?;
        let count = mesh.vertices().len();
        let (min, max) = mesh.bounds();
        let slack = SLACK * min.distance(max);
        let chosen = match self {
            Self::Indices(list) => in_range(sorted_unique(list.clone()), count)?,
            Self::Group(name) => match mesh.groups().get(name) {
                Some(group) => in_range(sorted_unique(group.vertices.clone()), count)?,
                None => return Err(missing_group(name, mesh)),
            },
            shape => {
                let inside = |&(_, p): &(u32, &DVec3)| shape.contains(*p, slack);
                (0u32..).zip(mesh.vertices()).filter(inside).map(|(i, _)| i).collect()
            }
        };
        if chosen.is_empty() {
            return Err(SelectError::Nothing { selector: self.describe(), min, max });
        }
        Ok(chosen)
    }

    /// Is a point in the shape? Indices and groups have none.
    fn contains(&self, x: DVec3, slack: f64) -> bool {
        let height = |point: &DVec3, normal: &DVec3| unit(*normal).map(|n| (x - point).dot(n));
        match self {
            Self::All => true,
            Self::Box { min, max } => x.cmpge(*min - slack).all() && x.cmple(*max + slack).all(),
            Self::Sphere { center, radius } => x.distance(*center) <= radius + slack,
            Self::Plane { point, normal, tolerance } => {
                height(point, normal).is_some_and(|h| h.abs() <= tolerance + slack)
            }
            Self::HalfSpace { point, normal } => height(point, normal).is_some_and(|h| h >= -slack),
            Self::Indices(_) | Self::Group(_) => false,
        }
    }

    fn check(&self) -> Result<(), SelectError> {
        match self {
            Self::All | Self::Indices(_) | Self::Group(_) => Ok(()),
            Self::Box { min, max } => {
                check_finite("box min", *min)?;
                check_finite("box max", *max)?;
                if min.cmpgt(*max).any() {
                    let value = format!("{:?}", min.to_array());
                    return Err(SelectError::BadValue { what: "box min", value, want: "below box max" });
                }
                Ok(())
            }
            Self::Sphere { center, radius } => {
                check_finite("sphere center", *center)?;
                check_not_negative("sphere radius", *radius)
            }
            Self::Plane { point, normal, tolerance } => {
                check_finite("plane point", *point)?;
                check_direction("plane normal", *normal)?;
                check_not_negative("plane tolerance", *tolerance)
            }
            Self::HalfSpace { point, normal } => {
                check_finite("half-space point", *point)?;
                check_direction("half-space normal", *normal)
            }
        }
    }

    fn describe(&self) -> String {
        match self {
            Self::All => "`all`".to_string(),
            Self::Box { min, max } => format!("the box {:?} to {:?}", min.to_array(), max.to_array()),
            Self::Sphere { center, radius } => {
                format!("the sphere at {:?} with radius {radius:?}", center.to_array())
            }
            Self::Plane { point, normal, tolerance } => {
                let (point, normal) = (point.to_array(), normal.to_array());
                format!("the plane at {point:?} with normal {normal:?} and tolerance {tolerance:?}")
            }
            Self::HalfSpace { point, normal } => {
                format!("the half-space at {:?} towards {:?}", point.to_array(), normal.to_array())
            }
            Self::Indices(_) => "the empty index list".to_string(),
            Self::Group(name) => format!("the empty group `{name}`"),
        }
    }
}

fn check_finite(what: &'static str, p: DVec3) -> Result<(), SelectError> {
    let error = || SelectError::BadValue { what, value: format!("{:?}", p.to_array()), want: "finite" };
    if p.is_finite() { Ok(()) } else { Err(error()) }
}

fn check_not_negative(what: &'static str, value: f64) -> Result<(), SelectError> {
    let error =
        || SelectError::BadValue { what, value: format!("{value:?}"), want: "finite and not negative" };
    if value >= 0.0 && value.is_finite() { Ok(()) } else { Err(error()) }
}

fn check_direction(what: &'static str, p: DVec3) -> Result<(), SelectError> {
    let error =
        || SelectError::BadValue { what, value: format!("{:?}", p.to_array()), want: "finite and not zero" };
    unit(p).map(|_| ()).ok_or_else(error)
}

fn in_range(list: Vec<u32>, vertices: usize) -> Result<Vec<u32>, SelectError> {
    match list.last() {
        Some(&index) if index as usize >= vertices => Err(SelectError::IndexOutOfRange { index, vertices }),
        _ => Ok(list),
    }
}

fn missing_group(name: &str, mesh: &Mesh) -> SelectError {
    let groups: Vec<String> = mesh.groups().keys().cloned().collect();
    let nearest = groups.iter().min_by_key(|g| edit_distance(name, g)).cloned();
    SelectError::MissingGroup { name: name.to_string(), nearest, groups }
}

/// Number of insertions, deletions and replacements between two words (Levenshtein).
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    // row[j] is the distance from the first i characters of a to the first j of b.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh() -> Mesh {
        crate::block([2.0, 1.0, 1.0], [2, 1, 1]).unwrap().into()
    }

    fn select(s: Selector) -> Vec<u32> {
        s.select(&mesh()).unwrap()
    }

    #[test]
    fn shapes_pick_the_right_vertices() {
        let x_max = vec![2, 5, 8, 11];
        assert_eq!(select(Selector::All), (0..12).collect::<Vec<u32>>());
        assert_eq!(
            select(Selector::Box { min: DVec3::new(1.5, -1.0, -1.0), max: DVec3::new(2.5, 2.0, 2.0) }),
            x_max
        );
        assert_eq!(select(Selector::Sphere { center: DVec3::ZERO, radius: 1.0 }), vec![0, 1, 3, 6]);
        let (point, normal) = (DVec3::new(2.0, 0.0, 0.0), DVec3::new(3.0, 0.0, 0.0));
        assert_eq!(select(Selector::Plane { point, normal, tolerance: 0.0 }), x_max);
        assert_eq!(select(Selector::Plane { point, normal, tolerance: 1.0 }).len(), 8);
        assert_eq!(select(Selector::HalfSpace { point, normal }), x_max);
        assert_eq!(select(Selector::HalfSpace { point, normal: DVec3::NEG_X }).len(), 12);
        assert_eq!(select(Selector::Indices(vec![7, 1, 7])), vec![1, 7]);
        assert_eq!(select(Selector::Group("x_max".into())), x_max);
    }

    #[test]
    fn box_bounds_are_inclusive_with_slack() {
        let on = Selector::Box { min: DVec3::new(2.0 + 1e-10, 0.0, 0.0), max: DVec3::new(3.0, 1.0, 1.0) };
        assert_eq!(select(on).len(), 4);
        let off = Selector::Box { min: DVec3::new(2.0 + 1e-6, 0.0, 0.0), max: DVec3::new(3.0, 1.0, 1.0) };
        assert!(matches!(off.select(&mesh()), Err(SelectError::Nothing { .. })));
    }

    #[test]
    fn missing_group_names_the_nearest() {
        let error = Selector::Group("xmax".into()).select(&mesh()).unwrap_err();
        let SelectError::MissingGroup { nearest: Some(nearest), groups, .. } = &error else {
            panic!("{error:?}")
        };
        assert_eq!((nearest.as_str(), groups.len()), ("x_max", 6));
        assert!(error.to_string().contains("did you mean `x_max`?") && error.to_string().contains("z_min"));
        let bare = Mesh::Tet(crate::boundary::tests::unit_tet());
        let error = Selector::Group("a".into()).select(&bare).unwrap_err();
        assert!(error.to_string().contains("no groups"));
    }

    #[test]
    fn nothing_selected_tells_the_bounds() {
        let error = Selector::Sphere { center: DVec3::splat(9.0), radius: 1.0 }.select(&mesh()).unwrap_err();
        assert!(error.to_string().contains("[0.0, 0.0, 0.0] to [2.0, 1.0, 1.0]"), "{error}");
        assert!(matches!(Selector::Indices(vec![]).select(&mesh()), Err(SelectError::Nothing { .. })));
        let empty = Mesh::Tri(crate::TriMesh::default());
        assert!(matches!(Selector::All.select(&empty), Err(SelectError::Nothing { .. })));
    }

    #[test]
    fn bad_numbers() {
        let nan = DVec3::new(f64::NAN, 0.0, 0.0);
        let (point, normal) = (DVec3::ZERO, DVec3::X);
        for bad in [
            Selector::Box { min: nan, max: DVec3::ONE },
            Selector::Box { min: DVec3::ONE, max: DVec3::ZERO },
            Selector::Sphere { center: nan, radius: 1.0 },
            Selector::Sphere { center: point, radius: -1.0 },
            Selector::Sphere { center: point, radius: f64::NAN },
            Selector::Plane { point, normal: DVec3::ZERO, tolerance: 1.0 },
            Selector::Plane { point, normal, tolerance: -1.0 },
            Selector::HalfSpace { point, normal: nan },
            Selector::HalfSpace { point: nan, normal },
        ] {
            assert!(matches!(bad.select(&mesh()), Err(SelectError::BadValue { .. })), "{bad:?}");
        }
        assert_eq!(
            Selector::Indices(vec![3, 12]).select(&mesh()),
            Err(SelectError::IndexOutOfRange { index: 12, vertices: 12 })
        );
    }

    #[test]
    fn edit_distances() {
        for (a, b, d) in [("", "", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("äb", "ab", 1)] {
            assert_eq!((edit_distance(a, b), edit_distance(b, a)), (d, d));
        }
    }
}
