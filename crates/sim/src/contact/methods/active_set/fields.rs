//! The amplitudes of fields as unknowns of the system of sliding forces.
//!
//! With `W' = w 1 + U^T S U` the amplitudes `theta = S (U_s f_s + U_l a lambda)` of the fields under sticking forces `f_s`
//! and sliding forces `a lambda` are unknowns beside lambda. The sticking forces are
//! `f_s = L^-T (z - Y a lambda - V theta)`, with the scalar factor L, `z = L^-1 rhs`, `Y = L^-1 w_sl` and
//! `V = L^-1 U_s^T`, so that
//!
//! ```text
//! (1 + S V^T V) theta + S (V^T Y a - U_l a) lambda = S V^T z
//! n . (U_l^T - Y^T V) theta + n . (w_ll - Y^T Y) a lambda = rest of the gap
//! ```
//!
//! This is Woodbury's formula without the inverse of S, which may be singular and may have eigenvalues of both signs.

use super::{ActiveSet, Layout, Through};
use crate::contact::operator::{LowRank, long_dot};
use pliant_mesh::DVec3;

impl ActiveSet {
    /// Values of the fields at the sticking contacts, behind the columns of the sliding ones.
    pub(super) fn fill_fields(&mut self, fields: &LowRank, layout: &Layout) {
        for (row, &i) in self.stick.iter().enumerate() {
            for (field, value) in fields.values(i as usize) {
                for c in 0..3 {
                    self.half[layout.field_column(self.slide.len(), field, c).start + row] = value[c];
                }
            }
        }
    }

    /// The rows of the amplitudes, of their own system and on the right-hand side.
    pub(super) fn write_field_rows(&mut self, fields: &LowRank, layout: &Layout) {
        let (l, count) = (self.slide.len(), fields.columns());
        self.field_rows.clear();
        self.field_rows.resize(count * (l + count), 0.0);
        self.unknown.resize(l + count, 0.0);
        if count == 0 {
            return;
        }
        let through = Through { width: l + 3 * count, values: &self.through };
        let column_of = |field: usize, c: usize| l + 3 * field + c;
        let before = &mut self.before;
        before.resize(count, 0.0);
        for (j, out) in self.field_rows.chunks_exact_mut(count).enumerate() {
            for (k, before) in before.iter_mut().enumerate() {
                let product = |c: usize| match j.checked_sub(l) {
                    None => self.along[j][c] * through.between(j, column_of(k, c)),
                    Some(other) => through.between(column_of(other, c), column_of(k, c)),
                };
                *before = (0..3).map(product).sum();
            }
            if j < l {
                for (k, value) in fields.values(self.slide[j] as usize) {
                    before[k] -= value.dot(self.along[j]);
                }
            }
            fields.apply_matrices(before, out);
            if j >= l {
                out[j - l] += 1.0;
            }
        }
        for (k, before) in before.iter_mut().enumerate() {
            let product =
                |c: usize| long_dot(&self.half[layout.field_column(l, k, c)], &self.rhs[layout.column(c)]);
            *before = (0..3).map(product).sum();
        }
        fields.apply_matrices(before, &mut self.unknown[l..]);
    }
}

/// What the amplitude of a field does along the normals of the sliding contacts.
pub(super) fn write_column(
    fields: &LowRank,
    through: &Through,
    slide: &[u32],
    normal: impl Fn(usize) -> DVec3,
    field: usize,
    out: &mut [f64],
) {
    let l = slide.len();
    for (i, out) in out.iter_mut().enumerate() {
        let behind = DVec3::from_array([0, 1, 2].map(|c| through.between(i, l + 3 * field + c)));
        let direct = fields.value(slide[i] as usize, field);
        *out = normal(i).dot(direct - behind);
    }
}
