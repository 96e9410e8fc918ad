//! Whether a mesh can be simulated, and what to do if not.

use super::summary::count;
use pliant_mesh::Mesh;
use pliant_meshing::inspect::MeshReport;
use serde_json::{Value, json};

/// Tets below this quality slow solvers down and spoil results.
const POOR_QUALITY: f64 = 0.02;
/// Holes that would need patches of more than this share of the area make an open sheet, as the mesher sees it.
const SHEET: f64 = 0.08;
/// Bodies larger or smaller than this, in metres, are probably in another unit.
const USUAL_SIZE: std::ops::Range<f64> = 1e-3..50.0;

/// What to think of a mesh.
#[derive(Debug)]
pub struct Verdict {
    /// Whether it can be simulated as it is.
    pub ready: bool,
    /// In a sentence.
    pub summary: String,
    /// What to do or to mind.
    pub advice: Vec<String>,
}

impl Verdict {
    /// Judges a mesh as it is in its file; a scene tidies meshes when it reads them.
    pub fn of(file: &str, mesh: &Mesh, report: &MeshReport) -> Verdict {
        let mut tidied = mesh.clone();
        let changes = tidied.tidy();
        let mut faults: Vec<String> = tidied.validate().err().map(|e| e.to_string()).into_iter().collect();
        let mut verdict = match mesh {
            Mesh::Tet(_) => of_tets(file, report, &mut faults),
            Mesh::Tri(_) => of_triangles(file, report, &mut faults),
        };
        if faults.is_empty() {
            verdict.advice.extend(changes.iter().map(|c| format!("a scene corrects on reading: {c}")));
        } else {
            verdict.ready = false;
            verdict.summary = format!("not ready to simulate: {}", faults.join("; "));
            verdict
                .advice
                .insert(0, format!("repair it: pliant mesh repair {file} -o repaired.{}", ending(mesh)));
        }
        verdict.advice.extend(common(report));
        verdict
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        json!({ "ready": self.ready, "summary": self.summary, "advice": self.advice })
    }
}

fn ending(mesh: &Mesh) -> &'static str {
    match mesh {
        Mesh::Tet(_) => "msh",
        Mesh::Tri(_) => "obj",
    }
}

fn of_tets(file: &str, report: &MeshReport, faults: &mut Vec<String>) -> Verdict {
    let defects = &report.defects;
    if defects.duplicate_elements.count > 0 {
        faults.push(format!(
            "{} twice",
            count(defects.duplicate_elements.count, "tet is there", "tets are there")
        ));
    }
    if defects.crowded_faces.count > 0 {
        let n = count(defects.crowded_faces.count, "face has", "faces have");
        faults.push(format!("{n} more than two tets, which overlap"));
    }
    let mut advice = Vec::new();
    if let Some(quality) = report.rms_quality.as_ref().filter(|q| q.min < POOR_QUALITY) {
        advice.push(format!(
            "the worst tet has a quality of {:.1e}: re-mesh for accuracy: pliant mesh tetrahedralize {file} -o better.msh",
            quality.min
        ));
    }
    let hinges = defects.non_manifold_edges.count + defects.non_manifold_vertices.count;
    if hinges > 0 {
        advice.push(format!(
            "parts touch in {} only and swing there",
            count(hinges, "edge or vertex", "edges or vertices")
        ));
    }
    Verdict { ready: true, summary: "ready to simulate as a solid".into(), advice }
}

fn of_triangles(file: &str, report: &MeshReport, faults: &mut Vec<String>) -> Verdict {
    let defects = &report.defects;
    if defects.non_manifold_edges.count > 0 {
        let n = count(defects.non_manifold_edges.count, "edge has", "edges have");
        faults.push(format!("{n} more than two triangles"));
    }
    let fill = format!("pliant mesh tetrahedralize {file} -o body.msh");
    let open: f64 = report.longest_open_loops.iter().map(|l| l.area).sum();
    let mut advice = Vec::new();
    let summary = if report.closed {
        advice.push(format!("fill it with tets: {fill}"));
        "ready to simulate as a membrane, or to be filled with tets"
    } else if open > SHEET * report.area {
        "ready to simulate as cloth; an open sheet has no inside to fill"
    } else {
        let holes = count(report.open_loops, "hole", "holes");
        advice.push(format!("it has {holes}; small ones are bridged when it is filled with tets: {fill}"));
        "ready to simulate as cloth; its holes are small enough to be filled with tets"
    };
    if defects.self_intersections.count > 0 {
        advice.push(
            "triangles intersect: as cloth it starts tangled; the mesher fills what is inside all the same"
                .into(),
        );
    }
    if defects.misoriented_edges.count > 0 {
        advice.push("some triangles face the other way: pliant mesh repair turns them".into());
    }
    if report.volume.is_some_and(|v| v < 0.0) {
        advice.push("the surface is inside out: pliant mesh repair turns it".into());
    }
    Verdict { ready: true, summary: summary.into(), advice }
}

fn common(report: &MeshReport) -> Vec<String> {
    let mut advice = Vec::new();
    if report.components > 1 {
        advice.push(format!("{} parts do not hang together", report.components));
    }
    let doubles = report.defects.duplicate_vertices.count;
    if doubles > 0 {
        let n = count(doubles, "vertex is", "vertices are");
        advice.push(format!(
            "{n} at the place of another: the mesh is cut there unless pliant mesh repair welds it"
        ));
    }
    if !USUAL_SIZE.contains(&report.diagonal) {
        advice.push(format!(
            "the body is {} m large: if its lengths are not metres, give --unit mm, cm or in",
            crate::output::short(report.diagonal)
        ));
    }
    advice
}
