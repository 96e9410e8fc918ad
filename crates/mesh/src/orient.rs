//! Tets written in the other orientation, distinguished from tets that are folded over.

use crate::topology::TET_FACES;
use crate::vector::tet_volume;
use crate::{DVec3, TetMesh};
use rayon::prelude::*;

/// A face by its vertices in ascending order.
type FaceKey = [u32; 3];

/// A face of a tet with negative volume.
struct Side {
    key: FaceKey,
    /// Index into the list of negative tets.
    owner: u32,
    /// Whether the ascending order is an even permutation of the outward order.
    even: bool,
}

/// Two negative tets with a common face.
struct Link {
    from: u32,
    to: u32,
    /// They see the face from opposite sides, as neighbours should.
    agree: bool,
}

/// Turns the tets with negative volume that were only written in the other orientation: those that then agree
/// with their neighbours (a common face is seen from opposite sides), those without neighbours, and all of a
/// connected part without any positive tet. A negative tet that agrees with its neighbours as it is lies folded
/// over them; it is left to validation. Returns how many were turned.
///
/// Indices must be in range. The work beyond one pass grows with the number of negative tets.
pub(crate) fn turn_misoriented(mesh: &mut TetMesh) -> usize {
    let negative: Vec<u32> = (0..mesh.tets.len() as u32)
        .into_par_iter()
        .with_min_len(1 << 14)
        .filter(|&t| volume(&mesh.vertices, mesh.tets[t as usize]) < 0.0)
        .collect();
    let turn = if negative.len() == mesh.tets.len() {
        vec![true; negative.len()]
    } else {
        decide(&mesh.tets, &negative)
    };
    let mut turned = 0;
    for (&tet, _) in negative.iter().zip(&turn).filter(|&(_, &turn)| turn) {
        mesh.tets[tet as usize].swap(2, 3);
        turned += 1;
    }
    turned
}

fn volume(vertices: &[DVec3], tet: [u32; 4]) -> f64 {
    tet_volume(tet.map(|i| vertices[i as usize]))
}

/// Which of the negative tets to turn.
fn decide(tets: &[[u32; 4]], negative: &[u32]) -> Vec<bool> {
    if negative.is_empty() {
        return Vec::new();
    }
    let mut sides: Vec<Side> = (0..)
        .zip(negative)
        .flat_map(|(owner, &tet)| faces(tets[tet as usize]).map(move |(key, even)| Side { key, owner, even }))
        .collect();
    sides.sort_unstable_by_key(|side| (side.key, side.owner));
    let votes = votes(tets, negative, &sides);
    let links: Vec<Link> = sides
        .chunk_by(|a, b| a.key == b.key)
        // A face of three or more tets says nothing.
        .filter(|same| same.len() == 2)
        .flat_map(|same| {
            let (a, b) = (&same[0], &same[1]);
            let agree = a.even != b.even;
            [Link { from: a.owner, to: b.owner, agree }, Link { from: b.owner, to: a.owner, agree }]
        })
        .collect();
    decide_clusters(&votes, links)
}

/// For each negative tet: by how many of its faces the tets around, which are not negative, want it turned
/// rather than kept, and whether there are any.
fn votes(tets: &[[u32; 4]], negative: &[u32], sides: &[Side]) -> Vec<(i32, bool)> {
    let found: Vec<(u32, bool)> = (0..tets.len() as u32)
        .into_par_iter()
        .with_min_len(4096)
        .filter(|t| negative.binary_search(t).is_err())
        .flat_map_iter(|t| {
            faces(tets[t as usize]).into_iter().filter_map(|(key, even)| {
                let at = sides.partition_point(|side| side.key < key);
                let side = sides.get(at).filter(|side| side.key == key)?;
                let alone = sides.get(at + 1).is_none_or(|next| next.key != key);
                alone.then_some((side.owner, side.even == even))
            })
        })
        .collect();
    let mut votes = vec![(0, false); negative.len()];
    for (owner, same_side) in found {
        let vote = &mut votes[owner as usize];
        vote.0 += if same_side { 1 } else { -1 };
        vote.1 = true;
    }
    votes
}

/// Neighbouring negative tets are decided together, so that they agree with each other.
fn decide_clusters(votes: &[(i32, bool)], mut links: Vec<Link>) -> Vec<bool> {
    links.sort_unstable_by_key(|link| (link.from, link.to));
    let mut turn = vec![false; votes.len()];
    // `Some(true)`: to be turned if and only if the first of its cluster is not.
    let mut opposed: Vec<Option<bool>> = vec![None; votes.len()];
    for start in 0..votes.len() {
        if opposed[start].is_some() {
            continue;
        }
        opposed[start] = Some(false);
        let mut cluster = vec![start];
        let mut next = 0;
        while let Some(&tet) = cluster.get(next) {
            next += 1;
            let first = links.partition_point(|link| (link.from as usize) < tet);
            for link in links[first..].iter().take_while(|link| link.from as usize == tet) {
                let to = link.to as usize;
                if opposed[to].is_none() {
                    opposed[to] = opposed[tet].map(|o| o == link.agree);
                    cluster.push(to);
                }
            }
        }
        let is_opposed = |&tet: &usize| opposed[tet] == Some(true);
        let sum: i32 = cluster.iter().map(|t| if is_opposed(t) { -votes[*t].0 } else { votes[*t].0 }).sum();
        let free = cluster.iter().all(|&t| !votes[t].1);
        for tet in &cluster {
            turn[*tet] = free || if is_opposed(tet) { sum < 0 } else { sum > 0 };
        }
    }
    turn
}

/// The faces of a tet, each with the parity of its order.
fn faces(tet: [u32; 4]) -> [(FaceKey, bool); 4] {
    TET_FACES.map(|face| {
        let mut key = face.map(|k| tet[k]);
        let mut even = true;
        for (i, j) in [(0, 1), (1, 2), (0, 1)] {
            if key[i] > key[j] {
                key.swap(i, j);
                even = !even;
            }
        }
        (key, even)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> TetMesh {
        crate::block([3.0, 2.0, 1.0], [3, 2, 2]).unwrap()
    }

    #[test]
    fn tets_written_the_other_way_are_turned() {
        let good = block();
        let count = good.tets.len();
        for turned in [
            vec![5],
            vec![0, 1, 2, 3, 40, 41, 71],
            (0..count).step_by(2).collect(),
            (1..count).collect(),
            (0..count).collect(),
        ] {
            let mut mesh = good.clone();
            for &t in &turned {
                mesh.tets[t].swap(0, 1);
            }
            assert_eq!(turn_misoriented(&mut mesh), turned.len());
            mesh.validate().unwrap();
            assert_eq!(turn_misoriented(&mut mesh), 0);
        }
    }

    #[test]
    fn a_folded_tet_is_left() {
        // An inner vertex is moved out of its ball: some tets around it become negative.
        let mut mesh = block();
        let inner = (0..mesh.vertices.len())
            .find(|&i| !mesh.boundary_vertices().contains(&(i as u32)))
            .expect("an inner vertex");
        mesh.vertices[inner][0] += 1.7;
        let before = mesh.clone();
        assert!(mesh.tet_volumes().iter().any(|&v| v < 0.0));
        assert_eq!(turn_misoriented(&mut mesh), 0);
        assert_eq!(mesh, before);
        // Written the other way, it is still distinguished from the others.
        mesh.tets[0].swap(0, 1);
        assert_eq!(turn_misoriented(&mut mesh), 1);
        assert_eq!(mesh.tet_volumes(), before.tet_volumes());
    }

    #[test]
    fn parts_are_decided_on_their_own() {
        let mut mesh = block();
        let count = mesh.vertices.len() as u32;
        let mut other = block();
        other.tets.iter_mut().for_each(|t| t.swap(1, 2));
        mesh.tets.extend(other.tets.iter().map(|t| t.map(|i| i + count)));
        mesh.vertices.extend(other.vertices.iter().map(|p| *p + 10.0 * DVec3::X));
        assert_eq!(turn_misoriented(&mut mesh), other.tets.len());
        mesh.validate().unwrap();
    }

    #[test]
    fn parity_of_faces() {
        for (key, even) in faces([7, 3, 9, 5]) {
            assert!(key.is_sorted());
            let opposite = faces([3, 7, 9, 5]).into_iter().find(|f| f.0 == key).unwrap();
            assert_ne!(opposite.1, even);
        }
    }
}
