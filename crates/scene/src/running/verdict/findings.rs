//! What is said about what was seen: what, where, what to do.

use super::limits::{DOUBTFUL, FEW, HELD_BACK, LONG, LOST, PENETRATION, RARE, STRETCH};
use super::sign::{Moment, Sign};
use super::{Finding, Level, Verdict, Watch};
use crate::running::inspection::Inspection;
use pliant::{Law, Model, Side};

impl Watch {
    /// What speaks against the steps so far.
    pub fn verdict(&self, model: &Model) -> Verdict {
        self.with_inspection(model, None)
    }

    /// The same with what was found to pass through what.
    pub(crate) fn with_inspection(&self, model: &Model, inspection: Option<&Inspection>) -> Verdict {
        let mut findings: Vec<Finding> = [
            self.inverted(model),
            self.stretched(model),
            self.fast(model),
            self.far(model),
            self.energy(),
            self.leap(model),
            self.held_back(),
            self.residual(),
        ]
        .into_iter()
        .flatten()
        .collect();
        match inspection {
            Some(inspection) => findings.extend(self.penetrations(model, inspection)),
            None => findings.extend(self.deep_contacts()),
        }
        findings.sort_by_key(|f| (f.tolerated, std::cmp::Reverse(f.level)));
        Verdict { findings }
    }

    /// A finding of steps, if there were any.
    fn finding(&self, kind: &'static str, level: Level, sign: &Sign, what: String) -> Option<Finding> {
        (sign.steps > 0).then(|| Finding {
            kind,
            level,
            tolerated: false,
            what,
            place: self.when(sign),
            remedy: String::new(),
            first: (sign.first.step, sign.first.time),
        })
    }

    /// When it was, as far as that says something.
    fn when(&self, sign: &Sign) -> String {
        let Sign { first, last, worst_at, .. } = sign;
        // Elements are not always looked at after every step.
        let looked = [&self.signs.inverted, &self.signs.stretched].into_iter().any(|s| std::ptr::eq(s, sign));
        let (all, end) = if looked { (self.looks, self.looked) } else { (self.steps, self.now) };
        if all == 1 {
            return format!("in step {}", at(*first));
        }
        let mut text = match sign.steps {
            1 => format!("in step {} only", at(*first)),
            n => format!(
                "in {n} of {all} steps, first in step {}, worst in step {}",
                at(*first),
                at(*worst_at)
            ),
        };
        if last.step == end.step {
            text += ", still at the end";
        }
        text
    }

    fn inverted(&self, model: &Model) -> Option<Finding> {
        let sign = &self.signs.inverted;
        let lasts = sign.last == self.looked || sign.steps as f64 > LONG * self.looks as f64;
        let level = match sign.worst > FEW * self.limits.tets as f64 {
            _ if lasts => Level::Failed,
            true => Level::Doubtful,
            false => return None,
        };
        let (count, j) = (sign.worst, -self.signs.least_j.worst);
        let what = format!(
            "{count} {} inverted, most in body `{}`, with a volume of {j:.3} of that at rest at worst",
            if count == 1.0 { "tet was" } else { "tets were" },
            name(model, sign.body)
        );
        let mut found = self.finding("inverted_elements", level, sign, what)?;
        found.tolerated = self.limits.tolerate.inverted_elements.is_some_and(|most| count <= most as f64);
        let resists = |m: &pliant::Material| m.law == Law::NeoHookean;
        let body = model.bodies.get(sign.body);
        let law = match body.is_some_and(|b| b.materials.iter().all(resists)) {
            true => "",
            false => ", or the law neo_hookean, which resists it (material.kind)",
        };
        found.remedy = format!(
            "use a smaller dt, slower motions, smaller forces, a finer mesh or more iterations (solver.iterations = \"auto\"){law}; do \
             not hang soft bodies on few pinned vertices; if they do not matter here, set tolerate.inverted_elements = {count}"
        );
        Some(found)
    }

    fn stretched(&self, model: &Model) -> Option<Finding> {
        let sign = &self.signs.stretched;
        let body = name(model, sign.body);
        let what = format!("an element of body `{body}` grew to {:.3e} times its size at rest", sign.worst);
        let mut found = self.finding("stretch", Level::Failed, sign, what)?;
        found.tolerated = self.limits.tolerate.stretch.is_some_and(|most| sign.worst <= most);
        found.remedy = format!(
            "use a smaller dt, smaller forces or pressures, or a stiffer material; if more than {STRETCH} times is meant, set \
             tolerate.stretch"
        );
        Some(found)
    }

    fn fast(&self, model: &Model) -> Option<Finding> {
        let sign = &self.signs.fast;
        let what = format!("body `{}` reached a speed of {:.3e} m/s", name(model, sign.body), sign.worst);
        let mut found = self.finding("speed", Level::Failed, sign, what)?;
        found.tolerated = self.limits.tolerate.speed.is_some_and(|most| sign.worst <= most);
        found.remedy = "check density, forces and motions (units are SI), start without overlaps, use a smaller dt; if it is \
                        meant, set tolerate.speed"
            .into();
        Some(found)
    }

    fn far(&self, model: &Model) -> Option<Finding> {
        let sign = &self.signs.far;
        let body = name(model, sign.body);
        let what = format!("body `{body}` is lost: a vertex is {:.3e} m from the origin", sign.worst);
        let mut found = self.finding("distance", Level::Failed, sign, what)?;
        found.tolerated = self.limits.tolerate.distance.is_some_and(|most| sign.worst <= most);
        found.remedy = "check density, forces and motions (units are SI) and whether it has a floor; if it is meant, set \
                        tolerate.distance"
            .into();
        Some(found)
    }

    fn energy(&self) -> Option<Finding> {
        let sign = &self.signs.energy;
        let what =
            format!("energy came from nowhere: {} times what there was and gravity gave", many(sign.worst));
        let mut found = self.finding("energy", Level::Failed, sign, what)?;
        found.place =
            format!("first seen after step {}, worst after step {}", at(sign.first), at(sign.worst_at));
        found.tolerated = self.limits.tolerate.energy.is_some_and(|most| sign.worst <= most);
        found.remedy =
            "start without overlaps (push_apart = true in [scene]), use a smaller dt or more iterations \
                        (solver.iterations = \"auto\"); if it is meant, set tolerate.energy"
                .into();
        Some(found)
    }

    fn leap(&self, model: &Model) -> Option<Finding> {
        let sign = &self.signs.leap;
        let body = name(model, sign.body);
        let what = format!(
            "body `{body}` falls by {} of its sizes in a step, too far to meet anything",
            many(sign.worst)
        );
        let mut found = self.finding("time_step", Level::Failed, sign, what)?;
        found.remedy = "use a smaller dt or less gravity, or hold it by a pin".into();
        Some(found)
    }

    fn held_back(&self) -> Option<Finding> {
        let sign = &self.signs.held_back;
        let share = part(sign.steps, self.steps);
        let level = match HELD_BACK.map(|limit| share > limit) {
            [_, true] => Level::Failed,
            [true, _] => Level::Doubtful,
            _ => return None,
        };
        let what =
            format!("up to {} vertices had to be held back from passing through something", sign.worst);
        let mut found = self.finding("held_back", level, sign, what)?;
        found.tolerated = self.limits.tolerate.held_back.is_some_and(|most| share <= most);
        found.remedy = format!(
            "use a smaller dt, slower motions or more iterations (solver.iterations = \"auto\"), and start without overlaps; if \
             it does not matter here, set tolerate.held_back = {:.2}",
            (share * 100.0).ceil() / 100.0
        );
        Some(found)
    }

    fn residual(&self) -> Option<Finding> {
        let sign = &self.signs.residual;
        let share = part(sign.steps, self.steps);
        let lost = sign.worst > LOST || sign.worst.is_nan();
        if sign.steps == 0 || (share <= RARE && !lost) {
            return None;
        }
        let level = if lost && share > RARE { Level::Failed } else { Level::Doubtful };
        let what = format!(
            "{} of {} steps ended more than {} of the size of the bodies ({} where something touches) from their solution, {:.1e} at \
             worst",
            sign.steps, self.steps, DOUBTFUL[0], DOUBTFUL[1], sign.worst
        );
        let mut found = self.finding("residual", level, sign, what)?;
        found.tolerated = self.limits.tolerate.doubtful_steps.is_some_and(|most| share <= most);
        found.remedy = format!(
            "give the solver more iterations (solver.iterations = \"auto\") or a smaller dt; if it does not matter here, set \
             tolerate.doubtful_steps = {:.2}",
            (share * 100.0).ceil() / 100.0
        );
        Some(found)
    }

    /// What passed through what, by the exact test.
    fn penetrations(&self, model: &Model, inspection: &Inspection) -> Vec<Finding> {
        // Who lets a body pass through itself has said so.
        let allowed = |sides: [Side; 2]| match sides {
            [Side::Body(a), Side::Body(b)] if a == b => !model.bodies[a.index()].self_contact,
            _ => false,
        };
        let judged = inspection.pairs().filter(|pair| !allowed(pair.sides)).filter_map(|pair| {
            let bodies = pair.sides.iter().filter_map(|side| match side {
                Side::Body(body) => self.limits.sizes.get(body.index()),
                Side::Obstacle(_) => None,
            });
            let size = bodies.copied().fold(f64::INFINITY, f64::min);
            let level = penetration_level(pair.depth / size)?;
            let [a, b] = pair.sides.map(|side| model.name_of(side));
            let pair_name =
                if a == b { format!("{a} passes through itself") } else { format!("{a} passes through {b}") };
            let when = |time: f64| format!("{:.4} s", time);
            Some(Finding {
                kind: "penetration",
                level,
                tolerated: self.limits.tolerate.penetration.is_some_and(|most| pair.depth <= most),
                what: format!(
                    "{pair_name}, {:.3e} m deep, which is {:.1} % of the size of the body",
                    pair.depth,
                    100.0 * pair.depth / size
                ),
                place: format!(
                    "at {} moments that were looked at, first at {}, deepest at {}",
                    pair.moments,
                    when(pair.first.1),
                    when(pair.time)
                ),
                remedy: PENETRATION_REMEDY.into(),
                first: pair.first,
            })
        });
        judged.collect()
    }

    /// The depth of contacts, where nothing better is known.
    fn deep_contacts(&self) -> Option<Finding> {
        let sign = &self.signs.deep;
        let size = self.limits.sizes.iter().copied().fold(f64::INFINITY, f64::min);
        let level = penetration_level(sign.worst / size)?;
        let what = format!("something is {:.3e} m deep in something else", sign.worst);
        let mut found = self.finding("penetration", level, sign, what)?;
        found.tolerated = self.limits.tolerate.penetration.is_some_and(|most| sign.worst <= most);
        found.remedy = PENETRATION_REMEDY.into();
        Some(found)
    }
}

const PENETRATION_REMEDY: &str = "start without overlaps (`pliant check`, push_apart = true in [scene]), use a smaller dt, slower \
     motions or more iterations (solver.iterations = \"auto\"); if it does not matter here, set tolerate.penetration in m";

/// How bad a depth is, as a part of the size of the smaller body.
fn penetration_level(part: f64) -> Option<Level> {
    match PENETRATION.map(|limit| part > limit) {
        [_, true] => Some(Level::Failed),
        [true, _] => Some(Level::Doubtful),
        _ => None,
    }
}

/// A number that may be of any size.
fn many(number: f64) -> String {
    if number < 1e4 { format!("{number:.1}") } else { format!("{number:.0e}") }
}

fn part(steps: u64, of: u64) -> f64 {
    steps as f64 / of.max(1) as f64
}

fn name(model: &Model, body: usize) -> &str {
    model.bodies.get(body).map_or("?", |b| &b.name)
}

fn at(moment: Moment) -> String {
    format!("{} ({:.4} s)", moment.step, moment.time)
}
