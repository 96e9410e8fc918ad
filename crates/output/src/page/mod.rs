//! `report.html`: a run on one page that can be sent to somebody else. It loads nothing from anywhere.

mod html;
mod plots;
mod tables;

use crate::text::short;
use html::{escape, facts, png_address, section};
use pliant_scene::{Run, Scene};
use serde_json::Value;
use tables::value;

const STYLE: &str = include_str!("page.css");

/// What a page is made of besides the run.
#[derive(Debug)]
pub struct Sources<'a> {
    /// The scene with its changes.
    pub scene: &'a Scene,
    /// The JSON report.
    pub report: &'a Value,
    /// The last state, as a PNG file.
    pub picture: Option<Vec<u8>>,
    /// Times and PNG files of some frames.
    pub strip: Vec<(f64, Vec<u8>)>,
    /// What was typed.
    pub command: String,
}

/// The page.
pub fn page(run: &Run, from: &Sources) -> String {
    let report = from.report;
    let title = escape(report["scene"].as_str().unwrap_or_default());
    let setup = run.setup();
    let mut body = format!(
        "<h1>{title}</h1>\n<p class=\"about\">{}</p>\n{}",
        escape(&setup.description),
        verdict(report)
    );
    body += &findings(report);
    body += &pictures(from, &title);
    body += &section("Expectations", &tables::expectations(report));
    body += &section("Run", &run_facts(run, report));
    let plots: String = plots::plots(run).iter().map(|svg| format!("<div>{svg}</div>\n")).collect();
    body += &section(
        "Over time",
        &if plots.is_empty() { plots } else { format!("<div class=\"plots\">\n{plots}</div>\n") },
    );
    body += &section("Probes", &tables::probes(&setup.probes, report));
    body += &section("Bodies at the end", &tables::bodies(report));
    body += &section("Contacts at the end", &tables::contact_pairs(report));
    body += &section("Forces at the end", &tables::others(report));
    body += &section("Times of steps", &tables::times(report));
    body += &section("Again", &format!("<pre>{}</pre>\n", escape(&from.command)));
    let text = format!(
        "<details><summary>the file as it was read</summary><pre>{}</pre></details>\n",
        escape(from.scene.text())
    );
    body += &section("Scene", &text);
    let version = report["pliant"].as_str().unwrap_or_default();
    let hash = report["state_hash"].as_str().unwrap_or_default();
    document(&title, &body, &format!("{version}. State hash {hash}"))
}

/// A whole page. Title and body are markup, the version is text.
pub(crate) fn document(title: &str, body: &str, version: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\
         <footer>Made by pliant {}.</footer>\n</body>\n</html>\n",
        escape(version)
    )
}

/// What speaks against the results, each with what to do.
fn findings(report: &Value) -> String {
    let each = report["warnings"].as_array().into_iter().flatten();
    each.map(|w| {
        let [what, place, remedy] = ["what", "where", "remedy"].map(|key| escape(w[key].as_str().unwrap_or("?")));
        let class = match (w["tolerated"] == true, w["level"] == "failed") {
            (true, _) => "finding tolerated",
            (_, true) => "finding failed",
            _ => "finding doubtful",
        };
        let tolerated = if w["tolerated"] == true { " The scene tolerates it." } else { "" };
        format!(
            "<div class=\"{class}\"><p><strong>{what}</strong> <span class=\"about\">{place}.{tolerated}</span></p>\n\
             <p>What to do: {remedy}.</p></div>\n"
        )
    })
    .collect()
}

/// One word about how it went.
fn verdict(report: &Value) -> String {
    let count = report["expect"].as_array().map_or(0, Vec::len);
    let failed = report["expect"].as_array().into_iter().flatten().filter(|e| e["ok"] != true).count();
    let (class, text) = if report["error"].is_string() {
        (" failed", "broke down".to_string())
    } else if report["verdict"] == "failed" {
        (" failed", "finished, but its results cannot be trusted".to_string())
    } else if failed > 0 {
        (" failed", format!("{failed} of {count} expectations did not hold"))
    } else if report["verdict"] == "doubtful" {
        (" open", "finished, but its results are doubtful".to_string())
    } else if report["ok"] != true {
        (" open", "not finished".to_string())
    } else if count == 0 {
        ("", "finished".to_string())
    } else {
        let what = if count == 1 {
            "its expectation holds".into()
        } else {
            format!("all {count} expectations hold")
        };
        ("", format!("finished, {what}"))
    };
    format!("<p class=\"verdict{class}\">{text}</p>\n")
}

fn pictures(from: &Sources, title: &str) -> String {
    let image = |png: &[u8], class: &str, about: &str| {
        format!("<img{class} alt=\"{about}\" src=\"{}\">", png_address(png))
    };
    let mut out = String::new();
    if let Some(png) = &from.picture {
        out += &image(png, " class=\"picture\"", &format!("{title} at the end"));
    }
    // One frame is the picture above.
    if from.strip.len() > 1 {
        let frame = |(time, png): &(f64, Vec<u8>)| {
            let when = format!("{} s", short(*time));
            format!(
                "<figure>{}<figcaption>{when}</figcaption></figure>\n",
                image(png, "", &format!("at {when}"))
            )
        };
        out +=
            &format!("<div class=\"strip\">\n{}</div>\n", from.strip.iter().map(frame).collect::<String>());
    }
    out
}

fn run_facts(run: &Run, report: &Value) -> String {
    let steps_s = run.step_times().sum() / 1e3;
    let simulated = report["simulated_s"].as_f64().unwrap_or(0.0);
    let or_dash = |v: &Value| v.as_str().unwrap_or("-").to_string();
    let mut list = vec![
        ("solver", or_dash(&report["solver"])),
        ("variant", or_dash(&report["variant"])),
        ("source", run.setup().source.clone()),
        ("steps", format!("{} × {} s", value(&report["steps"]), short(run.setup().model.dt))),
        ("simulated", format!("{} s", short(simulated))),
        ("time of all steps", format!("{} s", short(steps_s))),
        ("real-time factor", short(simulated / steps_s.max(1e-9))),
        ("whole time", format!("{} s", value(&report["wall_s"]))),
        ("setup", format!("{} s", value(&report["setup_s"]))),
        ("threads", value(&report["threads"])),
        ("vectors", format!("{:?}", pliant::solver::vector_level()).to_lowercase()),
        ("vertices", value(&report["vertices"])),
        ("elements", value(&report["elements"])),
        ("bodies", run.setup().model.bodies.len().to_string()),
        ("obstacles", run.setup().model.obstacles.len().to_string()),
        ("iterations, mean", value(&report["residual"]["iterations_mean"])),
        ("residual, worst", value(&report["residual"]["last_max"])),
        ("contacts, most", value(&report["contacts"]["max_points"])),
        ("deepest penetration", format!("{} m", value(&report["penetration_max_m"]))),
        ("intersections", value(&report["intersections"])),
        ("inverted elements", value(&report["inverted_elements"])),
    ];
    let mut counters = Vec::new();
    for (counter, counts) in run.counters() {
        let (mean, most) = (short(counts.mean()), short(counts.max()));
        counters.push((counter.name().replace('_', " "), format!("{mean} a step, at most {most}")));
    }
    list.extend(counters.iter().map(|(name, counts)| (name.as_str(), counts.clone())));
    let peak = report["memory"]["peak_rss_bytes"].as_f64().unwrap_or(0.0);
    if peak > 0.0 {
        list.push(("peak memory", format!("{:.0} MB", peak / 1e6)));
    }
    facts(&list)
}
