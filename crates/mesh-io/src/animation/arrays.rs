//! Arrays of numpy: `.npy`, and `.npz`, which is a ZIP of them.

use crate::error::ReadError;
use crate::points::{Animation, check_size};
use crate::scan::DAMAGED;
use flate2::bufread::DeflateDecoder;
use pliant_mesh::DVec3;
use std::io::Read;

/// Numbers of any type, as f64, with their shape.
#[derive(Debug, PartialEq)]
pub(super) struct Array {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

fn bad(place: &str, cause: &str) -> ReadError {
    ReadError::In { place: place.to_string(), cause: cause.to_string(), remedy: DAMAGED }
}

/// The animation in a file; `wanted` is the name of the array if there are several.
pub(super) fn read(bytes: &[u8], per_second: f64, wanted: Option<&str>) -> Result<Animation, ReadError> {
    if bytes.starts_with(NPY) {
        let points = array("the array", bytes)?;
        return assemble(points, None, None, per_second);
    }
    let entries = entries(bytes)?;
    let names: Vec<&str> = entries.iter().map(|e| e.name.as_str()).collect();
    let name = choose(&names, wanted)?;
    let get = |name: &str| -> Result<Option<Array>, ReadError> {
        let Some(entry) = entries.iter().find(|e| e.name == name) else { return Ok(None) };
        array(name, &entry.unpacked()?).map(Some)
    };
    let beside = |other: &str| match name.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{other}"),
        None => other.to_string(),
    };
    let points = get(name)?.ok_or_else(|| bad(name, "it is gone"))?;
    let triangles = match get(&beside("surface"))? {
        Some(array) => Some(array),
        None => get(&beside("triangles"))?,
    };
    assemble(points, get("times")?, triangles, per_second)
}

/// The name of the array with the points.
fn choose<'a>(names: &[&'a str], wanted: Option<&str>) -> Result<&'a str, ReadError> {
    let listed = || names.join(", ");
    if let Some(wanted) = wanted {
        return names.iter().find(|n| **n == wanted).copied().ok_or_else(|| ReadError::In {
            place: format!("array `{wanted}`"),
            cause: format!("there is none, there are {}", listed()),
            remedy: "give `array` one of these names",
        });
    }
    let is_points = |name: &str| {
        let last = name.rsplit('/').next().unwrap_or(name);
        ["positions", "points", "vertices", "arr_0"].contains(&last)
    };
    let mut found = names.iter().filter(|n| is_points(n));
    match (found.next(), found.next()) {
        (Some(name), None) => Ok(name),
        (first, _) => Err(ReadError::In {
            place: "the arrays".into(),
            cause: match first {
                Some(_) => format!("several may be the points: {}", listed()),
                None => format!("none is called positions, points or vertices: {}", listed()),
            },
            remedy: "name one with `array`",
        }),
    }
}

fn assemble(
    points: Array,
    times: Option<Array>,
    triangles: Option<Array>,
    per_second: f64,
) -> Result<Animation, ReadError> {
    let &[frames, count, 3] = &points.shape[..] else {
        return Err(bad("the points", "their shape is not frames x points x 3"));
    };
    check_size(frames, count)?;
    if frames == 0 || count == 0 {
        return Err(ReadError::Empty { remedy: "export a frame at least" });
    }
    let places: Vec<DVec3> = points.values.chunks_exact(3).map(DVec3::from_slice).collect();
    let times = match times {
        Some(times) if times.values.len() == frames => times.values,
        Some(_) => return Err(bad("`times`", "it has another number of frames than the points")),
        None => (0..frames).map(|k| k as f64 / per_second).collect(),
    };
    if !times.iter().all(|t| t.is_finite()) || times.windows(2).any(|w| w[0] >= w[1]) {
        return Err(bad("`times`", "they do not ascend"));
    }
    let mut corners = Vec::new();
    if let Some(array) = triangles.filter(|a| a.shape.len() == 2 && a.shape[1] == 3) {
        corners = array.values.chunks_exact(3).map(|t| [t[0] as u32, t[1] as u32, t[2] as u32]).collect();
        if corners.iter().flatten().any(|&i| i as usize >= count) {
            // Triangles of something else: points alone will do.
            corners.clear();
        }
    }
    Ok(Animation {
        times,
        frames: places.chunks_exact(count).map(<[_]>::to_vec).collect(),
        triangles: corners,
    })
}

const NPY: &[u8] = b"\x93NUMPY";

/// Reads a `.npy` file.
pub(super) fn array(place: &str, bytes: &[u8]) -> Result<Array, ReadError> {
    let fault = |cause: &str| bad(place, cause);
    let head = bytes.strip_prefix(NPY).ok_or_else(|| fault("it is no array of numpy"))?;
    let (length, skip) = match head {
        [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([*a, *b])), 4),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, 6),
        _ => return Err(fault("its version is unknown")),
    };
    let rest = head.get(skip..).unwrap_or_default();
    let text = rest.get(..length).ok_or_else(|| fault("it ends within its header"))?;
    let data = &rest[length..];
    let text = String::from_utf8_lossy(text);
    let after = |key: &str| text.split_once(key).map(|(_, rest)| rest.trim_start());
    let kind = after("'descr':").and_then(|t| t.strip_prefix('\'')?.split('\'').next());
    let kind = kind.ok_or_else(|| fault("its header has no type"))?;
    if after("'fortran_order':").is_some_and(|t| t.starts_with("True")) {
        return Err(ReadError::Unsupported {
            what: "an array in Fortran order".into(),
            remedy: "save numpy.ascontiguousarray of it",
        });
    }
    let shape = after("'shape':").and_then(|t| t.strip_prefix('(')?.split(')').next());
    let shape: Option<Vec<usize>> = shape.and_then(|list| {
        list.split(',').map(str::trim).filter(|s| !s.is_empty()).map(|s| s.parse().ok()).collect()
    });
    let shape = shape.ok_or_else(|| fault("its header has no shape"))?;
    let count = shape.iter().try_fold(1usize, |a, &b| a.checked_mul(b));
    let (size, number) = reader(kind).ok_or_else(|| ReadError::Unsupported {
        what: format!("an array of `{}`", kind.escape_default()),
        remedy: "save it as float64, float32 or integers",
    })?;
    let bytes = count.and_then(|n| data.get(..n.checked_mul(size)?));
    let bytes = bytes.ok_or_else(|| fault("it ends before its last number"))?;
    Ok(Array { shape, values: bytes.chunks_exact(size).map(number).collect() })
}

/// Size of a number in bytes, and how it is read.
type Number = (usize, fn(&[u8]) -> f64);

/// The numbers of this type.
fn reader(kind: &str) -> Option<Number> {
    macro_rules! little {
        ($type:ty) => {
            (size_of::<$type>(), |b: &[u8]| <$type>::from_le_bytes(std::array::from_fn(|k| b[k])) as f64)
        };
    }
    Some(match kind {
        "<f8" => little!(f64),
        "<f4" => little!(f32),
        "<i8" => little!(i64),
        "<u8" => little!(u64),
        "<i4" => little!(i32),
        "<u4" => little!(u32),
        "<i2" => little!(i16),
        "<u2" => little!(u16),
        "|i1" => little!(i8),
        "|u1" => little!(u8),
        _ => return None,
    })
}

/// A file in a ZIP.
struct Entry<'a> {
    /// Without `.npy`.
    name: String,
    packed: &'a [u8],
    size: usize,
    deflated: bool,
}

impl Entry<'_> {
    fn unpacked(&self) -> Result<Vec<u8>, ReadError> {
        if !self.deflated {
            return Ok(self.packed.to_vec());
        }
        // Deflate packs a thousand times at most: a size beyond that is a lie.
        let limit = self.size.min(self.packed.len().saturating_mul(1100));
        let mut bytes = Vec::new();
        let read = DeflateDecoder::new(self.packed).take(limit as u64).read_to_end(&mut bytes);
        read.map_err(|_| bad(&self.name, "it cannot be unpacked"))?;
        Ok(bytes)
    }
}

/// The arrays of a ZIP, from the directory at its end.
fn entries(bytes: &[u8]) -> Result<Vec<Entry<'_>>, ReadError> {
    let fault = |cause: &str| bad("the ZIP", cause);
    let two = |at: usize| bytes.get(at..)?.first_chunk().map(|b| usize::from(u16::from_le_bytes(*b)));
    let four = |at: usize| bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b) as usize);
    let eight = |at: usize| usize::try_from(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?)).ok();
    // The end of the directory is within the last 64 kB, behind it a comment at most.
    let from = bytes.len().saturating_sub(22 + 0xffff);
    let end = bytes[from..].windows(4).rposition(|w| w == b"PK\x05\x06").map(|at| from + at);
    let end = end.ok_or_else(|| fault("it is no ZIP, or cut"))?;
    let mut at = four(end + 16).ok_or_else(|| fault("it is cut"))?;
    if at == 0xffff_ffff {
        let large = bytes[..end].windows(4).rposition(|w| w == b"PK\x06\x06");
        at = large.and_then(|large| eight(large + 48)).ok_or_else(|| fault("its directory is missing"))?;
    }
    let mut list = Vec::new();
    while bytes.get(at..).is_some_and(|rest| rest.starts_with(b"PK\x01\x02")) {
        let entry = (|| {
            let deflated = two(at + 10)? == 8;
            let (mut packed, mut size, mut offset) = (four(at + 20)?, four(at + 24)?, four(at + 42)?);
            let (name, extra, comment) = (two(at + 28)?, two(at + 30)?, two(at + 32)?);
            let text = bytes.get(at + 46..)?.get(..name)?;
            // Sizes beyond 4 GB are in an extra field, those that do not fit only, in this order.
            let mut field = at + 46 + name + 4;
            let is_large = extra >= 4 && two(field - 4)? == 1;
            for value in [&mut size, &mut packed, &mut offset] {
                if *value == 0xffff_ffff && is_large {
                    *value = eight(field)?;
                    field += 8;
                }
            }
            let data = offset.checked_add(30).filter(|&data| data <= bytes.len())?;
            let packed = bytes.get(data + two(data - 4)? + two(data - 2)?..)?.get(..packed)?;
            let name = String::from_utf8_lossy(text).trim_end_matches(".npy").to_string();
            Some((Entry { name, packed, size, deflated }, 46 + text.len() + extra + comment))
        })();
        let (entry, length) = entry.ok_or_else(|| fault("an entry goes beyond its end"))?;
        list.push(entry);
        at += length;
    }
    Ok(list)
}
