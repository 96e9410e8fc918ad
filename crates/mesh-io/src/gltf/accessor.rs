//! Numbers of a glTF file: positions and indices.

use super::buffer::Buffers;
use super::document::{Accessor, BufferView, Kind, Sparse, Tables};
use crate::ReadError;
use crate::budget::Budget;
use pliant_mesh::DVec3;

/// Type of the numbers of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn new(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The number at the start of bytes, which are long enough.
    fn number(self, bytes: &[u8]) -> f64 {
        let two = || bytes.first_chunk().copied().unwrap_or_default();
        let four = || bytes.first_chunk().copied().unwrap_or_default();
        let one = bytes.first().copied().unwrap_or_default();
        match self {
            Self::I8 => f64::from(one as i8),
            Self::U8 => f64::from(one),
            Self::I16 => f64::from(i16::from_le_bytes(two())),
            Self::U16 => f64::from(u16::from_le_bytes(two())),
            Self::U32 => f64::from(u32::from_le_bytes(four())),
            Self::F32 => f64::from(f32::from_le_bytes(four())),
        }
    }

    /// What a normalised integer of this type stands for.
    fn normalised(self, value: f64) -> f64 {
        match self {
            Self::I8 => (value / 127.0).max(-1.0),
            Self::U8 => value / 255.0,
            Self::I16 => (value / 32767.0).max(-1.0),
            Self::U16 => value / 65535.0,
            Self::U32 | Self::F32 => value,
        }
    }
}

/// An array in a buffer, checked to lie within it.
struct Strided {
    view: BufferView,
    offset: usize,
    stride: usize,
    component: Component,
}

/// An accessor whose data are there.
pub(super) struct Checked {
    pub count: usize,
    normalized: bool,
    data: Option<Strided>,
    /// Replaced items: how many, their indices and their values.
    sparse: Option<(usize, Strided, Strided)>,
}

/// What an accessor is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Positions,
    Indices,
    /// Numbers of an animation or of a skin: one, three, four or sixteen at a time.
    Numbers(Kind),
}

/// Looks accessors up and loads what they need.
pub(super) struct Accessors<'t, 'a> {
    pub tables: &'t Tables<'a>,
    pub buffers: Buffers<'a>,
}

impl Accessors<'_, '_> {
    /// An accessor with all its data in place.
    pub fn check(
        &mut self,
        index: u32,
        used: Use,
        (memory, work): (&mut Budget, &mut Budget),
    ) -> Result<Checked, ReadError> {
        let index = index as usize;
        let accessor: Accessor = self.tables.accessors.get(index, work)?;
        let bad = |cause: &str| self.tables.accessors.error(index, cause.to_string());
        let (kind, components) = match used {
            Use::Positions => (Kind::Vec3, 3),
            Use::Indices => (Kind::Scalar, 1),
            Use::Numbers(kind) => (kind, kind.size()),
        };
        let component = Component::new(accessor.component_type)
            .filter(|component| match used {
                Use::Positions => *component != Component::U32,
                Use::Indices => matches!(component, Component::U8 | Component::U16 | Component::U32),
                Use::Numbers(_) => true,
            })
            .ok_or_else(|| bad(&format!("its component type {} does not fit", accessor.component_type)))?;
        if accessor.kind != kind {
            return Err(bad(&format!("expected {kind:?}, found {:?}", accessor.kind)));
        }
        let Accessor { buffer_view, byte_offset, count, normalized, sparse, .. } = accessor;
        let places = Places { index, count, components, component };
        let mut data = None;
        if let Some(view) = buffer_view {
            data = Some(self.strided(places, view, byte_offset, (memory, work))?);
        } else if sparse.is_none() {
            return Err(bad("it has no data; maybe it is compressed (Draco)"));
        }
        let sparse = match sparse {
            Some(sparse) => Some(self.sparse(places, &sparse, (memory, work))?),
            None => None,
        };
        Ok(Checked { count, normalized, data, sparse })
    }

    fn strided(
        &mut self,
        places: Places,
        view_index: usize,
        offset: usize,
        budgets: (&mut Budget, &mut Budget),
    ) -> Result<Strided, ReadError> {
        let view = self.buffers.load(self.tables, view_index, budgets)?;
        let size = places.components * places.component.size();
        let stride = view.byte_stride.unwrap_or(size);
        let end = places
            .count
            .saturating_sub(1)
            .checked_mul(stride)
            .and_then(|last| last.checked_add(offset)?.checked_add(size));
        if stride < size || (places.count > 0 && end.is_none_or(|end| end > view.byte_length)) {
            let cause = format!("it goes beyond the end of {}", self.tables.buffer_views.name(view_index));
            return Err(self.tables.accessors.error(places.index, cause));
        }
        Ok(Strided { view, offset, stride, component: places.component })
    }

    fn sparse(
        &mut self,
        places: Places,
        sparse: &Sparse,
        (memory, work): (&mut Budget, &mut Budget),
    ) -> Result<(usize, Strided, Strided), ReadError> {
        let (from, to) = (&sparse.indices, &sparse.values);
        let Some(component) = Component::new(from.component_type) else {
            let cause = format!("its component type {} does not fit", from.component_type);
            return Err(self.tables.accessors.error(places.index, cause));
        };
        let index_places = Places { count: sparse.count, components: 1, component, ..places };
        let indices = self.strided(index_places, from.buffer_view, from.byte_offset, (memory, work))?;
        let value_places = Places { count: sparse.count, ..places };
        let values = self.strided(value_places, to.buffer_view, to.byte_offset, (memory, work))?;
        Ok((sparse.count, indices, values))
    }

    /// Numbers of an array.
    fn numbers<const N: usize>(&self, array: &Strided, count: usize) -> impl Iterator<Item = [f64; N]> {
        let bytes = self.buffers.view(&array.view).unwrap_or_default();
        let (offset, stride, component) = (array.offset, array.stride, array.component);
        (0..count).map(move |k| {
            let item = bytes.get(offset + k * stride..).unwrap_or_default();
            std::array::from_fn(|c| component.number(item.get(c * component.size()..).unwrap_or_default()))
        })
    }

    /// The numbers of an accessor, `N` at a time.
    pub fn values<const N: usize>(&self, accessor: &Checked) -> Vec<[f64; N]> {
        let Some(array) = &accessor.data else { return vec![[0.0; N]; accessor.count] };
        let value = |x: f64| if accessor.normalized { array.component.normalised(x) } else { x };
        self.numbers(array, accessor.count).map(|item: [f64; N]| item.map(value)).collect()
    }

    /// Adds the positions of an accessor to a list.
    pub fn positions(&self, accessor: &Checked, index: u32, list: &mut Vec<DVec3>) -> Result<(), ReadError> {
        let start = list.len();
        let position = |array: &Strided, p: [f64; 3]| {
            let p = DVec3::from_array(p);
            if accessor.normalized { p.map(|c| array.component.normalised(c)) } else { p }
        };
        match &accessor.data {
            Some(array) => list.extend(self.numbers(array, accessor.count).map(|p| position(array, p))),
            None => list.resize(start + accessor.count, DVec3::ZERO),
        }
        if let Some((count, indices, values)) = &accessor.sparse {
            let places = self.numbers::<1>(indices, *count);
            for ([place], value) in places.zip(self.numbers(values, *count)) {
                *self.item(&mut list[start..], place, index)? = position(values, value);
            }
        }
        Ok(())
    }

    /// Adds the indices of an accessor to a list.
    pub fn indices(&self, accessor: &Checked, index: u32, list: &mut Vec<u32>) -> Result<(), ReadError> {
        let start = list.len();
        // Every index of 32 bits is exact as f64.
        match &accessor.data {
            Some(array) => list.extend(self.numbers(array, accessor.count).map(|[i]| i as u32)),
            None => list.resize(start + accessor.count, 0),
        }
        if let Some((count, indices, values)) = &accessor.sparse {
            let places = self.numbers::<1>(indices, *count);
            for ([place], [value]) in places.zip(self.numbers(values, *count)) {
                *self.item(&mut list[start..], place, index)? = value as u32;
            }
        }
        Ok(())
    }

    /// The item that a sparse accessor replaces.
    fn item<'l, T>(&self, list: &'l mut [T], place: f64, accessor: u32) -> Result<&'l mut T, ReadError> {
        let count = list.len();
        list.get_mut(place as usize).filter(|_| place >= 0.0).ok_or_else(|| {
            let cause = format!("it replaces item {place}, there are {count}");
            self.tables.accessors.error(accessor as usize, cause)
        })
    }
}

/// What an array of an accessor must have room for.
#[derive(Clone, Copy)]
struct Places {
    /// The accessor.
    index: usize,
    count: usize,
    components: usize,
    component: Component,
}
