//! Moves a vertex to where its worst tet is better. Boundary vertices stay on the surface.

use super::complex::{Complex, quality};
use super::surface::Surface;
use pliant_mesh::DVec3;
use pliant_mesh::vector::unit;

/// Moves one vertex; true if its worst tet became better.
pub(super) fn smooth(complex: &mut Complex, surface: &Surface<'_>, v: u32) -> bool {
    let start = complex.worst_at(v);
    let mut worst = start;
    let reach = shortest_edge(complex, v);
    let center = center(complex, v);
    let here = complex.positions[v as usize];
    for fraction in [1.0, 0.5, 0.25] {
        let target = here + fraction * (center - here);
        if let Some(better) = try_move(complex, surface, v, target, worst) {
            worst = better;
            break;
        }
    }
    let mut step = 0.3 * reach;
    for _ in 0..12 {
        let Some(direction) = uphill(complex, v, 1e-3 * reach) else { break };
        let target = complex.positions[v as usize] + step * direction;
        match try_move(complex, surface, v, target, worst) {
            Some(better) => worst = better,
            None => step *= 0.4,
        }
        if step < 0.005 * reach {
            break;
        }
    }
    worst > start + 1e-6
}

/// Moves a vertex to `target`, or to the surface near it, if the worst tet becomes better than `worst`.
fn try_move(complex: &mut Complex, surface: &Surface<'_>, v: u32, target: DVec3, worst: f64) -> Option<f64> {
    let old = complex.positions[v as usize];
    let on_surface = complex.on_surface[v as usize];
    let target = if on_surface { surface.solid.project(target).point } else { target };
    let faces = if on_surface { complex.surface_at(v) } else { Vec::new() };
    let corners = |complex: &Complex, face: &[u32; 3]| face.map(|w| complex.positions[w as usize]);
    let near =
        |complex: &Complex, limit: f64| faces.iter().all(|f| surface.is_near(corners(complex, f), limit));
    complex.positions[v as usize] = target;
    let better = complex.worst_at(v);
    if better > worst + 1e-6 {
        if near(complex, surface.tolerance) {
            return Some(better);
        }
        complex.positions[v as usize] = old;
        let before = faces.iter().map(|f| surface.error(corners(complex, f))).fold(0.0, f64::max);
        complex.positions[v as usize] = target;
        if before > surface.tolerance && near(complex, before) {
            return Some(better);
        }
    }
    complex.positions[v as usize] = old;
    None
}

fn shortest_edge(complex: &Complex, v: u32) -> f64 {
    let here = complex.positions[v as usize];
    let others = complex.star_tets(v).flatten().filter(|&w| w != v);
    others.map(|w| here.distance(complex.positions[w as usize])).fold(f64::INFINITY, f64::min)
}

/// The mean of the neighbours; on the boundary, of those on the boundary.
fn center(complex: &Complex, v: u32) -> DVec3 {
    let on_surface = complex.on_surface[v as usize];
    let (mut sum, mut count) = (DVec3::ZERO, 0.0);
    for w in complex.star_tets(v).flatten() {
        if w != v && (!on_surface || complex.on_surface[w as usize]) {
            sum += complex.positions[w as usize];
            count += 1.0;
        }
    }
    if count == 0.0 { complex.positions[v as usize] } else { sum * (1.0 / count) }
}

/// The direction that improves the worst tet of a vertex most and the tets nearly as bad too.
fn uphill(complex: &Complex, v: u32, difference: f64) -> Option<DVec3> {
    let mut tets: Vec<([u32; 4], f64)> =
        complex.star_tets(v).map(|tet| (tet, complex.quality(tet))).collect();
    tets.sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
    let worst = tets.first()?.1;
    let mut direction = DVec3::ZERO;
    for &(tet, value) in tets.iter().take_while(|t| t.1 < worst + 0.03).take(4) {
        let gradient = gradient(complex, tet, v, difference);
        let weight = 1.0 / (1.0 + 100.0 * (value - worst));
        // A gradient that pulls back what a worse tet wants only keeps its part across it.
        let length = direction.length();
        let against = if length > 0.0 { gradient.dot(direction) / length } else { 0.0 };
        let kept = if against < 0.0 { gradient - direction * (against / length) } else { gradient };
        direction += weight * kept;
    }
    unit(direction)
}

fn gradient(complex: &Complex, tet: [u32; 4], v: u32, difference: f64) -> DVec3 {
    let place = tet.iter().position(|&w| w == v).unwrap_or(0);
    let corners = complex.corners(tet);
    let slope = |axis: usize| {
        let moved = |by: f64| {
            let mut corners = corners;
            corners[place][axis] += by;
            quality(corners)
        };
        (moved(difference) - moved(-difference)) / (2.0 * difference)
    };
    DVec3::new(slope(0), slope(1), slope(2))
}
