//! Bodies: their meshes, materials, regions and what is shown of them.

use super::mesh_file::{MAX_ELEMENTS_IN_ALL, MeshFiles};
use super::placement::turned_matchstick;
use super::skin::Skin;
use super::{mesh, select};
use crate::file::Scene;
use crate::file::document::{Document, Problems};
use crate::file::spec::{BendingWord, BodySpec, LawWord, MaterialSpec};
use pliant::{Bending, BendingKind, Body, Damping, Law, Material};
use pliant_mesh::Mesh;

/// The bodies with what is shown of them.
pub(super) fn bodies(
    d: &Document,
    names: &[String],
    scene: &Scene,
    problems: &mut Problems,
) -> (Vec<Body>, Vec<Skin>) {
    let (mut bodies, mut skins) = (Vec::new(), Vec::new());
    let mut elements = 0;
    // Instances follow each other and have one mesh, which may take long to make.
    let mut last: Option<(String, Mesh)> = None;
    for (i, (spec, name)) in d.bodies.iter().zip(names).enumerate() {
        let path = format!("body.{i}");
        let made = match (format!("{:?}", spec.mesh), &last) {
            (key, Some((same, mesh))) if key == *same => Ok(mesh.clone()),
            (key, _) => {
                mesh::made(&spec.mesh, MeshFiles::of(scene)).inspect(|mesh| last = Some((key, mesh.clone())))
            }
        };
        match made.and_then(|mesh| mesh::placed(mesh, &spec.transform)) {
            Ok(mesh) => {
                elements += mesh.element_count() as u128;
                skins.extend(skin(&path, spec, &mesh, scene, problems));
                bodies.push(body(d, [&path, name], spec, mesh, problems));
            }
            Err(fault) => problems.add_fault(&format!("{path}.mesh"), "", fault),
        }
        if elements > MAX_ELEMENTS_IN_ALL {
            let cause = format!("the bodies have more than {MAX_ELEMENTS_IN_ALL} elements together");
            problems.add(&format!("{path}.mesh"), cause, "use fewer cells or fewer bodies");
            break;
        }
    }
    (bodies, skins)
}

fn skin(path: &str, spec: &BodySpec, mesh: &Mesh, scene: &Scene, problems: &mut Problems) -> Option<Skin> {
    let Some(surface) = &spec.surface else { return Some(Skin::of(mesh)) };
    let path = format!("{path}.surface");
    Skin::read(surface, &spec.transform, mesh, MeshFiles::of(scene))
        .map_err(|fault| problems.add_fault(&path, "", fault))
        .ok()
}

fn body(d: &Document, [path, name]: [&str; 2], spec: &BodySpec, mesh: Mesh, problems: &mut Problems) -> Body {
    let mut materials = vec![material(&spec.material)];
    let mut material_of = Vec::new();
    if spec.regions.len() >= usize::from(u16::MAX) {
        problems.add(&format!("{path}.regions"), format!("{path} has too many regions"), "use at most 65000");
    } else if !spec.regions.is_empty() {
        material_of = vec![0; mesh.element_count()];
        for (i, region) in spec.regions.iter().enumerate() {
            materials.push(material(&region.material));
            match select::region_elements(region, &mesh) {
                Ok(elements) => elements.iter().for_each(|&e| material_of[e as usize] = i as u16 + 1),
                Err(fault) => problems.add_fault(&format!("{path}.regions.{i}"), "", fault),
            }
        }
    }
    let bending = spec.bending.and_then(|b| {
        let kind = match b.kind {
            BendingWord::Isometric => BendingKind::Isometric,
            BendingWord::LaplaceBeltrami => BendingKind::LaplaceBeltrami,
            BendingWord::None => return None,
        };
        (b.stiffness > 0.0).then_some(Bending { kind, stiffness: b.stiffness })
    });
    if bending.is_some() && matches!(mesh, Mesh::Tet(_)) {
        let path = format!("{path}.bending");
        problems.add(
            &path,
            format!("{path}: only a surface mesh can bend"),
            "remove `bending` or use a cloth",
        );
    }
    let turned = spec.matchstick.as_ref().map(|m| turned_matchstick(m, &spec.transform)).transpose();
    let matchstick = turned.unwrap_or_else(|e| {
        problems.add_fault(&format!("{path}.transform"), "", e.into());
        None
    });
    Body {
        density: spec.density,
        thickness: spec.thickness,
        material_of,
        bending,
        damping: Damping {
            mass: spec.damping.mass,
            stiffness: spec.damping.stiffness,
            tangent: spec.damping.tangent,
        },
        velocity: spec.velocity.into(),
        angular_velocity: spec.angular_velocity.into(),
        materials,
        friction: spec.friction,
        matchstick,
        contact_radius: spec.contact_radius,
        self_contact: spec.self_contact.unwrap_or(matches!(mesh, Mesh::Tri(_))),
        drag_and_lift: drag_and_lift(d, spec),
        ..Body::new(name, mesh, material(&spec.material))
    }
}

/// What a body has of its own; its lift is its drag unless it or the air says otherwise.
fn drag_and_lift(d: &Document, spec: &BodySpec) -> Option<[f64; 2]> {
    let air = d.air.as_ref()?;
    match (spec.drag, spec.lift) {
        (None, None) => None,
        (None, Some(lift)) => Some([air.drag, lift]),
        (Some(drag), lift) => Some([drag, lift.unwrap_or(drag)]),
    }
}

fn material(spec: &MaterialSpec) -> Material {
    let law = match spec.kind {
        LawWord::Arap => Law::Arap,
        LawWord::Corotational => Law::Corotational,
        LawWord::NeoHookean => Law::NeoHookean,
        LawWord::StableNeoHookean => Law::StableNeoHookean,
        LawWord::FixedCorotated => Law::FixedCorotated,
        LawWord::StVenantKirchhoff => Law::StVenantKirchhoff,
    };
    Material { law, youngs: spec.youngs, poisson: spec.poisson }
}
