//! The columns and matrices that contact is given make the same operator as the metric itself.

use super::super::global::GlobalFactor;
use super::super::{LocalGlobalConfig, Weighted, assemble};
use super::*;
use crate::fem::System;
use crate::fem::numbering::Numbering;
use crate::material::{Law, Material};
use crate::model::{Bending, BendingKind, Body, Model};
use pliant_mesh::Mesh;

const H: f64 = 0.01;

/// Two cloths that bend easily.
fn cloths() -> System {
    let body = |name: &str, cells: usize| {
        let mesh = pliant_mesh::cloth([0.3, 0.3], cells).expect("valid sizes");
        let material = Material { law: Law::Corotational, youngs: 1e6, poisson: 0.3 };
        let mut body = Body::new(name, Mesh::Tri(mesh), material);
        body.bending = Some(Bending { kind: BendingKind::Isometric, stiffness: 1e-6 });
        body
    };
    let model = Model { bodies: vec![body("one", 3), body("other", 4)], ..Model::default() };
    System::build(&model).expect("a valid model")
}

fn metric(system: &System) -> (Metric, Numbering) {
    let config = LocalGlobalConfig::default();
    let (matrix, numbering) = assemble::ordered_matrix(system, &Weighted::all(system, 1.0), H);
    let factor = GlobalFactor::new(&config, &matrix).expect("definite");
    let parts = Parts::new(system, &numbering, H);
    let normals = Normals::new(system, &numbering, &matrix, parts.inertias(), H);
    let metric = Metric::new(Global::new(&factor), parts, normals, numbering.free());
    (metric, numbering)
}

/// A unit force on a row.
fn unit(n: usize, row: usize, axis: usize) -> Vec<Vec4> {
    let mut force = vec![Vec4::default(); n];
    force[row].0[axis] = 1.0;
    force
}

#[test]
fn the_update_is_the_metric_with_and_without_what_moves_across_cloth() {
    let system = cloths();
    let (mut metric, numbering) = metric(&system);
    let n = numbering.free();
    let bent =
        |v: u32| system.rest[v as usize] + 1e-3 * DVec3::new(1.0, 3.0, 2.0).map(|k| (k * f64::from(v)).sin());
    let q: Vec<Vec4> = numbering.vertex_of().iter().map(|&v| Vec4::new(bent(v))).collect();
    for across in [None, Some(0.0), Some(2e-3)] {
        Team::with(|team| {
            metric.begin(team, &q, across);
            metric.prepare_update(team, &q);
            let (mut s, rank) = (Vec::new(), metric.rank());
            metric.cores_into(&mut s);
            let (mut alone, mut whole) = (vec![Vec4::default(); n], vec![Vec4::default(); n]);
            let mut difference = 0.0f64;
            for (row, axis) in [(0, 0), (3, 1), (n / 2, 2), (n - 1, 0), (n - 2, 1), (n - 3, 2)] {
                let force = unit(n, row, axis);
                metric.global.solve(team, |r| force[r], &mut alone);
                metric.apply_updated(team, &q, &force, &mut whole);
                let mut at_row = vec![DVec3::ZERO; rank];
                metric.columns(&q, row, &mut at_row);
                let part = metric.parts.of(row);
                let s = &s[part * rank * rank..][..rank * rank];
                let longest = whole.iter().map(|x| x.norm_sq().sqrt()).fold(0.0, f64::max);
                for other in (0..n).filter(|&other| metric.parts.of(other) == part) {
                    let mut columns = vec![DVec3::ZERO; rank];
                    metric.columns(&q, other, &mut columns);
                    let mut moved = alone[other].point();
                    for (s, column) in s.chunks_exact(rank).zip(&columns) {
                        let amplitude: f64 = s.iter().zip(&at_row).map(|(s, at)| s * at[axis]).sum();
                        moved += amplitude * column;
                    }
                    if let Some(spike) = metric.spike(other).filter(|_| other == row) {
                        moved += spike[axis] * spike;
                        difference = difference.max(spike[axis].abs() * spike.length() / longest);
                    }
                    let error = (moved - whole[other].point()).length();
                    assert!(error < 1e-4 * longest, "{across:?} {row} {axis} {other}: {error} of {longest}");
                }
            }
            assert_eq!(difference > 0.1, across.is_some(), "cloth gives way across its plane: {difference}");
        });
    }
}

#[test]
fn cloth_that_is_to_move_far_across_its_plane_is_stiffer() {
    let system = cloths();
    let (mut metric, numbering) = metric(&system);
    let q: Vec<Vec4> = numbering.vertex_of().iter().map(|&v| Vec4::new(system.rest[v as usize])).collect();
    let mut last = f64::INFINITY;
    for reach in [0.0, 1e-3, 1e-2, 1e-1] {
        Team::with(|team| metric.begin(team, &q, Some(reach)));
        let spikes = (0..numbering.free()).filter_map(|row| metric.spike(row));
        let longest = spikes.map(|s| s.length()).fold(0.0, f64::max);
        assert!(longest < last || reach == 0.0, "{reach}: {longest}");
        last = longest;
    }
    assert!(metric.forget_normals() && !metric.forget_normals() && metric.spike(0).is_none());
}
