//! `pliant mesh tetrahedralize`: a surface or a modelled body, filled with tets.

use super::clock::Clock;
use super::files::{Target, check_picture, read_path};
use super::{ToolReport, picture, summary};
use crate::args::mesh::{FinenessArgs, TetrahedralizeArgs, Unit};
use crate::failure::Failure;
use crate::output::short;
use pliant_mesh::{Mesh, MeshError, TriMesh};
use pliant_meshing::inspect::{InspectOptions, MeshReport, inspect};
use pliant_meshing::{
    MeshSize, Meshed, MesherError, MesherOptions, ShapeSolid, bodies, hausdorff, tetrahedralize,
    tetrahedralize_surface,
};
use pliant_scene::suggest;
use serde_json::{Value, json};
use std::path::Path;

/// Tets of a mesh if nothing else is asked for.
const DEFAULT_TETS: usize = 20_000;
/// Samples per edge length when the distance to the input is measured.
const SAMPLES_PER_EDGE: f64 = 8.0;

/// Fills a body with tets, measures the result and writes it.
pub fn run(args: &TetrahedralizeArgs) -> Result<ToolReport, Failure> {
    let name = args.input.strip_prefix("body:");
    let path = Path::new(&args.input);
    let target = Target::new(&args.output.file, &args.output.how, name.is_none().then_some(path))?;
    target.check_volumes("write to a volume format such as .msh, .vtu or .mesh")?;
    check_picture(&args.picture)?;
    let mut clock = Clock::start();
    let mut input = match name {
        Some(name) => Input::modelled(name, args)?,
        None => Input::read(path, args)?,
    };
    clock.stage("read");
    let options = MesherOptions {
        coarsest: args.coarsest,
        keep_features: !args.no_features,
        ..MesherOptions::new(size(&args.fineness))
    };
    let meshed = input.fill(&options).map_err(|e| Failure::input(format!("{}: {e}", args.input)))?;
    clock.stage("mesh");
    input.notes.extend(meshed.notes.iter().cloned());
    let mesh = Mesh::Tet(meshed.mesh.clone());
    let checked = Checked::new(&mesh, &meshed, &input).map_err(|e| Failure::other(e.to_string()))?;
    clock.stage("check");
    input.notes.extend(target.write(&mesh)?);
    clock.stage("write");
    picture::draw_inspected(&args.picture, &mesh, &checked.report, target.path.display().to_string())?;
    let found =
        Found { args, target: &target, input: &input, meshed: &meshed, checked: &checked, clock: &clock };
    Ok(ToolReport { text: found.text(&mesh), json: found.json(&mesh) })
}

fn size(args: &FinenessArgs) -> MeshSize {
    match (args.edge, args.vertices, args.tets) {
        (Some(edge), _, _) => MeshSize::Edge(edge),
        (_, Some(vertices), _) => MeshSize::Vertices(vertices),
        (_, _, tets) => MeshSize::Tets(tets.unwrap_or(DEFAULT_TETS)),
    }
}

/// What is filled.
struct Input {
    /// For people.
    format: String,
    body: Body,
    notes: Vec<String>,
}

enum Body {
    Surface(TriMesh),
    Modelled(Box<ShapeSolid>),
}

impl Input {
    fn modelled(name: &str, args: &TetrahedralizeArgs) -> Result<Self, Failure> {
        if args.lengths.unit != Unit::M {
            return Err(Failure::input("--unit is for files: a modelled body is in metres, see --size"));
        }
        let shape = bodies::body(name).ok_or_else(|| {
            let names: Vec<&str> = bodies::bodies().iter().map(|b| b.name).collect();
            Failure::input(format!(
                "body:{name}: there is no such body: {}",
                suggest(name, &names, "modelled bodies")
            ))
        })?;
        let bad = |e: pliant_meshing::ShapeError| Failure::input(format!("body:{name}: {e}"));
        let largest = shape.compile().map_err(bad)?.size().max_element();
        let solid = shape.scaled(args.size.unwrap_or(1.0) / largest).compile().map_err(bad)?;
        let format = "modelled body".to_string();
        Ok(Input { format, body: Body::Modelled(Box::new(solid)), notes: Vec::new() })
    }

    fn read(path: &Path, args: &TetrahedralizeArgs) -> Result<Self, Failure> {
        if args.size.is_some() {
            return Err(Failure::input("--size is for modelled bodies: scale a file with --unit"));
        }
        let mut contents = read_path(path, &args.lengths)?;
        let surface = match contents.mesh {
            Mesh::Tri(surface) => surface,
            Mesh::Tet(tets) => {
                contents.notes.push(format!("the boundary of {} tets is filled anew", tets.tets.len()));
                tets.surface()
            }
        };
        Ok(Input { format: contents.format, body: Body::Surface(surface), notes: contents.notes })
    }

    fn fill(&self, options: &MesherOptions) -> Result<Meshed, MesherError> {
        match &self.body {
            Body::Surface(surface) => tetrahedralize_surface(surface, options),
            Body::Modelled(solid) => tetrahedralize(&**solid, options),
        }
    }
}

/// What was measured on the result.
struct Checked {
    report: MeshReport,
    /// From the boundary of the mesh to the input and back, m; known for surfaces.
    distances: Option<[f64; 2]>,
    /// Volume of the input, m^3.
    volume: f64,
}

impl Checked {
    fn new(mesh: &Mesh, meshed: &Meshed, input: &Input) -> Result<Self, MeshError> {
        let options = InspectOptions { self_intersections: false, ..InspectOptions::default() };
        let report = inspect(mesh, &options)?;
        let Body::Surface(surface) = &input.body else {
            return Ok(Self { report, distances: None, volume: meshed.body_volume });
        };
        let boundary = meshed.mesh.surface();
        let both = hausdorff(&boundary, surface, meshed.edge / SAMPLES_PER_EDGE)?;
        let closed = inspect(&Mesh::Tri(surface.clone()), &options)?.volume;
        Ok(Self {
            report,
            distances: Some([both.a_to_b.max, both.b_to_a.max]),
            // The volume of a surface that is not closed is that of what the mesher takes as inside.
            volume: closed.map_or(meshed.body_volume, f64::abs),
        })
    }
}

/// All that is to be reported.
struct Found<'a> {
    args: &'a TetrahedralizeArgs,
    target: &'a Target<'a>,
    input: &'a Input,
    meshed: &'a Meshed,
    checked: &'a Checked,
    clock: &'a Clock,
}

impl Found<'_> {
    fn text(&self, mesh: &Mesh) -> String {
        let (meshed, report) = (self.meshed, &self.checked.report);
        let mut lines = vec![
            format!("{}: {}", self.args.input, self.input.format),
            format!("{}: {}, {}", self.target.path.display(), self.target.format.name, summary::line(mesh)),
        ];
        lines.extend(summary::notes(&self.input.notes));
        lines.extend(summary::notes(&self.far_parts()));
        let mut entry = |name: &str, text: String| lines.push(format!("  {name:<12}{text}"));
        let edge = report.edge_length;
        entry(
            "edges",
            format!(
                "{} m at the surface; {} to {} m in all, mean {} m",
                short(meshed.edge),
                short(edge.min),
                short(edge.max),
                short(edge.mean)
            ),
        );
        let angle = &report.angle_degrees;
        entry("angles", format!("{:.1} to {:.1} degrees between faces", angle.min, angle.max));
        if let Some(quality) = &report.rms_quality {
            entry("quality", format!("{:.3} worst, {:.3} mean", quality.min, quality.mean));
        }
        entry("distance", self.distance());
        let volume = report.volume.unwrap_or(0.0);
        let off = 100.0 * (volume / self.checked.volume - 1.0);
        entry(
            "volume",
            format!("{} m^3, {off:+.2} % of the input's {}", short(volume), short(self.checked.volume)),
        );
        entry("time", self.clock.text());
        if meshed.halvings > 0 {
            let times = summary::count(meshed.halvings as usize, "time", "times");
            entry("refined", format!("cells halved {times} to catch thin or small parts"));
        }
        lines.join("\n")
    }

    fn distance(&self) -> String {
        let edge = self.meshed.edge;
        let share = |d: f64| format!("{} m ({:.2} of the edge)", short(d), d / edge);
        match self.checked.distances {
            Some([out, back]) => format!("{} from mesh to input, {} back", share(out), share(back)),
            None => format!("{} at most", share(self.meshed.deviation)),
        }
    }

    /// Why the mesh and the input are farther apart than the mesher allows.
    fn far_parts(&self) -> Vec<String> {
        let (edge, outside) = (self.meshed.edge, self.meshed.deviation);
        let mut notes = Vec::new();
        let Some([out, back]) = self.checked.distances else { return notes };
        let is_far = |distance: f64| distance > 0.5 * edge && distance > 1.1 * outside;
        if is_far(back) {
            notes.push(format!(
                "surfaces inside of the body, up to {} m from its outside, are left out; the outside itself is within {} m",
                short(back),
                short(outside)
            ));
        }
        if is_far(out) {
            notes.push(format!("where holes were closed the mesh is up to {} m from the input", short(out)));
        }
        notes
    }

    fn json(&self, mesh: &Mesh) -> Value {
        let (meshed, checked) = (self.meshed, self.checked);
        let notes = [self.input.notes.clone(), self.far_parts()].concat();
        let volume = checked.report.volume.unwrap_or(0.0);
        json!({
            "input": { "file": self.args.input, "format": self.input.format, "volume_m3": checked.volume },
            "output": {
                "file": self.target.path, "format": self.target.format.name, "bytes": self.target.bytes(),
                "mesh": summary::json(mesh),
            },
            "edge_m": meshed.edge,
            "edge_length_m": checked.report.edge_length,
            "dihedral_degrees": { "min": checked.report.angle_degrees.min, "max": checked.report.angle_degrees.max },
            "quality": checked.report.rms_quality.as_ref().map(|q| json!({ "min": q.min, "mean": q.mean })),
            "deviation_m": {
                "max": meshed.deviation,
                "mesh_to_input": checked.distances.map(|d| d[0]),
                "input_to_mesh": checked.distances.map(|d| d[1]),
            },
            "deviation_of_edge": meshed.deviation / meshed.edge,
            "volume_m3": volume,
            "volume_ratio": volume / checked.volume,
            "halvings": meshed.halvings,
            "time_s": self.clock.json(),
            "notes": notes,
        })
    }
}
