//! From a [`Model`] to a [`System`]: checks every number, then flattens the bodies.

use super::air;
use super::arithmetic::check_arithmetic;
use super::bending::bending_stencils;
use super::parts::free_parts;
use super::script::{Course, DeadLoad, ObstacleMotion};
use super::{BodyRange, ElementMaterial, Pressure, Spring, System, Tet, Triangle, with_columns};
use crate::model::{
    Body, BodyMeshError, EntryError, EntryKind, Load, LoadKind, Model, ModelError, Obstacle, Pin, PinKind,
    PointError,
};
use crate::model::{MAX_DT, MIN_DT};
use crate::state::State;
use pliant_collide::BodyId;
use pliant_linalg::small::{det, inverse};
use pliant_mesh::{DVec3, Mesh, TetMesh, TriMesh};
use std::collections::HashMap;

impl System {
    /// Checks a model and assembles it, with the pins that hold in the first step.
    ///
    /// # Errors
    /// If a value is out of range, a mesh is unusable, or a pin or load refers to something that is not there.
    pub fn build(model: &Model) -> Result<System, ModelError> {
        let first = [0.0, model.dt];
        System::build_with(model, model.pins.iter().map(|p| p.during.covers(first)).collect())
    }

    /// The same with these pins.
    pub(crate) fn build_with(model: &Model, active_pins: Vec<bool>) -> Result<System, ModelError> {
        if !(model.dt > 0.0 && model.dt.is_finite()) {
            return Err(ModelError::TimeStep(model.dt));
        }
        if !(MIN_DT..=MAX_DT).contains(&model.dt) {
            return Err(ModelError::TimeStepRange(model.dt));
        }
        if model.bodies.is_empty() {
            return Err(ModelError::Empty);
        }
        if let Some(air) = &model.air {
            air.validate()?;
        }
        let mut system = System { dt: model.dt, active_pins, ..System::default() };
        system.script.air.clone_from(&model.air);
        for body in &model.bodies {
            check_body(body, model)?;
            system.add_body(body)?;
            check_arithmetic(body, &system)?;
            let first = system.bodies[system.bodies.len() - 1].vertices.start as u32;
            if model.can_touch() {
                let own = body.mesh.surface_triangles().into_iter();
                system.surface.extend(own.map(|t| t.map(|v| first + v)));
            }
            system.air.extend(model.air.iter().flat_map(|air| air::triangles(air, body, first)));
        }
        system.origins.clone_from(&system.start);
        system.pinned = vec![None; system.rest.len()];
        for index in 0..model.pins.len() {
            let pin = &model.pins[index];
            system.add_pin(model, pin, index).map_err(|e| e.of(EntryKind::Pin, &pin.name))?;
        }
        check_disjoint(model)?;
        system.free_parts = free_parts(&system);
        for (index, load) in model.loads.iter().enumerate() {
            system.add_load(model, load, index as u32).map_err(|e| e.of(EntryKind::Load, &load.name))?;
        }
        let scripted = |o: &Obstacle| ObstacleMotion { placement: o.placement, motion: o.motion.clone() };
        system.script.obstacles = model.obstacles.iter().map(scripted).collect();
        Ok(system)
    }

    /// `x` as start positions, except for pinned vertices, whose motions refer to where they were.
    pub(crate) fn start_at(&self, x: &[DVec3]) -> Vec<DVec3> {
        let mut start = x.to_vec();
        let held = self.held.iter().map(|&(v, _)| v as usize);
        for v in held.chain(self.springs.iter().map(|s| s.vertex as usize)) {
            start[v] = self.start[v];
        }
        start
    }

    /// Positions and velocities at the start.
    pub(crate) fn start_state(&self, model: &Model) -> State {
        let mut velocities = Vec::with_capacity(self.rest.len());
        for (body, range) in model.bodies.iter().zip(&self.bodies) {
            let mass: f64 = self.masses[range.vertices.clone()].iter().sum();
            let moment = |i: usize| self.masses[i] * self.start[i] / mass;
            let center: DVec3 = range.vertices.clone().map(moment).sum();
            let velocity = |x: &DVec3| body.velocity + body.angular_velocity.cross(x - center);
            velocities.extend(self.start[range.vertices.clone()].iter().map(velocity));
        }
        State { positions: self.start.clone(), velocities, time: 0.0, steps: 0 }
    }

    fn add_body(&mut self, body: &Body) -> Result<(), ModelError> {
        let first = self.rest.len();
        let starts = (self.tets.len(), self.triangles.len(), self.stencils.len());
        let vertices = body.mesh.vertices();
        self.rest.extend_from_slice(vertices);
        self.start.extend_from_slice(body.start.as_deref().unwrap_or(vertices));
        self.masses.resize(self.rest.len(), 0.0);
        self.mass_damping.resize(self.rest.len(), body.damping.mass);
        let material_base = self.materials.len() as u32;
        for m in &body.materials {
            let (mu, lambda) = match *body.mesh {
                Mesh::Tet(_) => m.lame_solid(),
                Mesh::Tri(_) => m.lame_membrane(),
            };
            let crate::model::Damping { stiffness: damping, tangent: tangent_damping, .. } = body.damping;
            self.materials.push(ElementMaterial { law: m.law, mu, lambda, damping, tangent_damping });
        }
        let material = |e: usize| material_base + body.material_of.get(e).map_or(0, |&m| u32::from(m));
        match &*body.mesh {
            Mesh::Tet(mesh) => self.add_tets(body, mesh, first as u32, material),
            Mesh::Tri(mesh) => self.add_triangles(body, mesh, first as u32, material)?,
        }
        self.bodies.push(BodyRange {
            name: body.name.clone(),
            vertices: first..self.rest.len(),
            tets: starts.0..self.tets.len(),
            triangles: starts.1..self.triangles.len(),
            stencils: starts.2..self.stencils.len(),
        });
        Ok(())
    }

    fn add_tets(&mut self, body: &Body, mesh: &TetMesh, first: u32, material: impl Fn(usize) -> u32) {
        for (e, t) in mesh.tets.iter().enumerate() {
            let [a, b, c, d] = t.map(|v| mesh.vertices[v as usize]);
            let edges = with_columns([b - a, c - a, d - a]);
            let volume = det(&edges) / 6.0;
            let inverse_rest = inverse(&edges).unwrap_or_default();
            let vertices = t.map(|v| first + v);
            for v in vertices {
                self.masses[v as usize] += body.density * volume / 4.0;
            }
            self.tets.extend([Tet { vertices, inverse_rest, volume, material: material(e) }]);
        }
    }

    fn add_triangles(
        &mut self,
        body: &Body,
        mesh: &TriMesh,
        first: u32,
        material: impl Fn(usize) -> u32,
    ) -> Result<(), ModelError> {
        for (e, t) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
            let (inverse_rest, area) = flat_triangle(a, b, c);
            let volume = area * body.thickness;
            let vertices = t.map(|v| first + v);
            for v in vertices {
                self.masses[v as usize] += body.density * volume / 3.0;
            }
            self.triangles.extend([Triangle { vertices, inverse_rest, volume, material: material(e) }]);
        }
        if let Some(bending) = body.bending {
            let stencils = bending_stencils(mesh, bending, first)
                .map_err(|e| ModelError::Mesh { body: body.name.clone(), source: e.into() })?;
            self.stencils.extend(stencils);
        }
        Ok(())
    }

    fn add_pin(&mut self, model: &Model, pin: &Pin, index: usize) -> Result<(), EntryError> {
        let first = self.check_vertices(pin.body, &pin.vertices)?;
        if let PinKind::Soft(k) = pin.kind
            && !(k > 0.0 && k.is_finite())
        {
            let must = "positive and finite";
            return Err(EntryError::Value { what: "stiffness", value: k, unit: " N/m", must });
        }
        pin.motion.validate_for(pin.vertices.len())?;
        pin.during.validate()?;
        self.script.pins.push(pin.motion.clone());
        self.script.holding.push(pin.during);
        if !self.active_pins[index] {
            return Ok(());
        }
        for &v in &pin.vertices {
            let vertex = first + v as usize;
            match pin.kind {
                PinKind::Soft(stiffness) => {
                    self.springs.push(Spring { vertex: vertex as u32, stiffness, pin: index as u32 });
                }
                PinKind::Hard => {
                    if let Some(other) = self.pinned[vertex].replace(index as u32) {
                        let by = model.pins[other as usize].name.clone();
                        return Err(EntryError::AlreadyHeld { vertex: v, by });
                    }
                    self.held.push((vertex as u32, index as u32));
                }
            }
        }
        Ok(())
    }

    fn add_load(&mut self, model: &Model, load: &Load, index: u32) -> Result<(), EntryError> {
        if !(load.ramp >= 0.0 && load.ramp.is_finite()) {
            return Err(EntryError::Value { what: "ramp", value: load.ramp, unit: " s", must: "0 or more" });
        }
        load.during.validate()?;
        let (ramp, during) = (load.ramp, load.during);
        match &load.kind {
            LoadKind::Force { vertices, total } => {
                let first = self.check_vertices(load.body, vertices)? as u32;
                if let Some(&(_, value)) = total.0.iter().find(|(_, f)| !f.is_finite()) {
                    return Err(EntryError::NotFinite { what: "force", value, unit: "N" });
                }
                total.validate_finite()?;
                let vertices = vertices.iter().map(|v| first + v).collect();
                let total = Course { load: index, value: total.clone(), ramp, during };
                self.script.forces.push(DeadLoad { vertices, total });
            }
            LoadKind::Pressure { value } => {
                let first = self.check_vertices(load.body, &[0])? as u32;
                if let Some(&(_, value)) = value.0.iter().find(|(_, p)| !p.is_finite()) {
                    let (unit, must) = (" Pa", "finite");
                    return Err(EntryError::Value { what: "pressure", value, unit, must });
                }
                value.validate_finite()?;
                let surface = model.bodies[load.body.index()].mesh.surface_triangles();
                let triangles = surface.into_iter().map(|t| t.map(|v| first + v)).collect();
                self.pressures.push(Pressure { triangles });
                self.script.pressures.push(Course { load: index, value: value.clone(), ramp, during });
            }
        }
        Ok(())
    }

    /// First vertex of the body, if the body and all vertices exist and there is at least one vertex.
    fn check_vertices(&self, body: BodyId, vertices: &[u32]) -> Result<usize, EntryError> {
        let Some(range) = self.bodies.get(body.index()) else {
            return Err(PointError::NoSuchBody { body, count: self.bodies.len() }.into());
        };
        if vertices.is_empty() {
            return Err(EntryError::NoVertex);
        }
        let count = range.vertices.len();
        match vertices.iter().find(|&&v| v as usize >= count) {
            Some(&vertex) => Err(PointError::NoSuchVertex { vertex, body: range.name.clone(), count }.into()),
            None => Ok(range.vertices.start),
        }
    }
}

/// Checks that no two hard pins hold the same vertex at the same time, whether they hold now or later.
fn check_disjoint(model: &Model) -> Result<(), ModelError> {
    let is_hard = |p: &&Pin| p.kind == PinKind::Hard;
    if model.pins.iter().filter(is_hard).all(|p| p.during.is_always()) {
        return Ok(()); // then all of them hold, and have been compared
    }
    let mut holders: HashMap<(BodyId, u32), Vec<&Pin>> = HashMap::new();
    for pin in model.pins.iter().filter(is_hard) {
        for &vertex in &pin.vertices {
            let others = holders.entry((pin.body, vertex)).or_default();
            if let Some(other) = others.iter().find(|o| o.during.overlaps(&pin.during)) {
                let error = EntryError::AlreadyHeld { vertex, by: other.name.clone() };
                return Err(error.of(EntryKind::Pin, &pin.name));
            }
            others.push(pin);
        }
    }
    Ok(())
}

/// Inverse of the 2x2 edge matrix of a triangle in its own plane (first axis along `b - a`), and its area.
fn flat_triangle(a: DVec3, b: DVec3, c: DVec3) -> ([[f64; 2]; 2], f64) {
    let (e1, e2) = (b - a, c - a);
    let length = e1.length();
    let along = e1.dot(e2) / length;
    let across = (e2.length_squared() - along * along).max(0.0).sqrt();
    // Edge matrix [[length, along], [0, across]].
    ([[1.0 / length, -along / (length * across)], [0.0, 1.0 / across]], 0.5 * length * across)
}

fn check_body(body: &Body, model: &Model) -> Result<(), ModelError> {
    let value = |what, value: f64, ok: bool, must| {
        if ok { Ok(()) } else { Err(ModelError::Value { body: body.name.clone(), what, value, must }) }
    };
    let mesh = |source: BodyMeshError| ModelError::Mesh { body: body.name.clone(), source };
    let positive = |x: f64| x > 0.0 && x.is_finite();
    value("density", body.density, positive(body.density), "positive and finite (water is 1000 kg/m^3)")?;
    if matches!(*body.mesh, Mesh::Tri(_)) {
        value("thickness", body.thickness, positive(body.thickness), "positive and finite (in metres)")?;
    }
    if let Some(b) = body.bending {
        value(
            "bending stiffness",
            b.stiffness,
            b.stiffness >= 0.0 && b.stiffness.is_finite(),
            "0 or more (in N m)",
        )?;
    }
    for (what, x) in [
        ("mass damping", body.damping.mass),
        ("stiffness damping", body.damping.stiffness),
        ("tangent damping", body.damping.tangent),
        ("friction", body.friction),
        ("contact radius", body.contact_radius),
    ] {
        value(what, x, x >= 0.0 && x.is_finite(), "0 or more")?;
    }
    for (what, vector) in
        [("velocity", body.velocity), ("velocity", body.angular_velocity), ("gravity", model.gravity)]
    {
        for x in vector.to_array() {
            value(what, x, x.is_finite(), "finite")?;
        }
    }
    for m in &body.materials {
        m.validate().map_err(|source| ModelError::Material { body: body.name.clone(), source })?;
    }
    body.mesh.validate().map_err(|e| mesh(e.into()))?;
    if body.materials.is_empty() {
        return Err(mesh(BodyMeshError::NoMaterial));
    }
    let elements = body.mesh.element_count();
    if !body.material_of.is_empty() && body.material_of.len() != elements {
        return Err(mesh(BodyMeshError::MaterialCount { given: body.material_of.len(), elements }));
    }
    if let Some(&index) = body.material_of.iter().find(|&&m| usize::from(m) >= body.materials.len()) {
        return Err(mesh(BodyMeshError::NoSuchMaterial { index, count: body.materials.len() }));
    }
    if let Some([drag, lift]) = body.drag_and_lift {
        value("drag", drag, drag >= 0.0 && drag.is_finite(), "0 or more")?;
        value("lift", lift, (0.0..=drag).contains(&lift), "from 0 to the drag")?;
    }
    if let Some(start) = &body.start
        && (start.len() != body.mesh.vertices().len() || start.iter().any(|x| !x.is_finite()))
    {
        return Err(mesh(BodyMeshError::Start));
    }
    Ok(())
}
