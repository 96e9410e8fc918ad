//! The histories of a run that its report plots.

use crate::measuring::Trace;
use crate::measuring::{Probe, ProbeHistory};
use pliant::snapshot::{Reader, Writer};
use pliant::{BodyId, SnapshotError, Stage, StepOutcome, World};

/// Quantities over the steps of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traces {
    /// Time of a step in ms.
    pub step_ms: Trace,
    /// Time of each stage in ms, in the order of the step.
    pub stage_ms: Vec<(Stage, Trace)>,
    /// Contacts that were found.
    pub contacts: Trace,
    /// Residual of the last iteration of a step.
    pub residual: Trace,
    /// Kinetic energy of all bodies in J, in recorded steps only.
    pub kinetic: Trace,
    /// Elastic energy of all bodies in J, in recorded steps only.
    pub elastic: Trace,
    /// Components of each probe.
    pub probes: Vec<Vec<Trace>>,
}

impl Traces {
    /// Starts with the probes before the first step.
    pub(crate) fn new(world: &World, probes: &[ProbeHistory]) -> Traces {
        let time = world.state().time;
        let mut traces = Traces {
            stage_ms: world.timings().stages().iter().map(|(s, _)| (*s, Trace::default())).collect(),
            probes: probes.iter().map(|p| vec![Trace::default(); p.last().len()]).collect(),
            ..Traces::default()
        };
        for (traces, probe) in traces.probes.iter_mut().zip(probes) {
            traces.iter_mut().zip(probe.last()).for_each(|(t, v)| t.push(time, *v));
        }
        traces
    }

    /// Takes in a step.
    pub(crate) fn record(&mut self, world: &World, outcome: &StepOutcome) {
        let (time, timings) = (world.state().time, world.timings());
        self.step_ms.push(time, timings.total_ms());
        for ((_, trace), (_, ms)) in self.stage_ms.iter_mut().zip(timings.stages()) {
            trace.push(time, *ms);
        }
        self.contacts.push(time, world.contacts().len() as f64);
        self.residual.push(time, outcome.residual_last);
    }

    /// Takes in the value of a probe after a step.
    pub(crate) fn record_probe(&mut self, probe: usize, time: f64, value: &[f64]) {
        if let Some(traces) = self.probes.get_mut(probe) {
            traces.iter_mut().zip(value).for_each(|(t, v)| t.push(time, *v));
        }
    }

    /// Takes in the energies, which take longer than all else here.
    pub(crate) fn record_energies(&mut self, world: &World) {
        let bodies = (0..world.model().bodies.len()).map(BodyId::new);
        let time = world.state().time;
        self.kinetic.push(time, bodies.clone().map(|b| world.motion(b).kinetic_energy).sum());
        self.elastic.push(time, bodies.map(|b| world.elastic_energy_estimate(b)).sum());
    }

    /// The traces that every run has, in a fixed order.
    fn fixed(&self) -> impl Iterator<Item = &Trace> {
        [&self.step_ms, &self.contacts, &self.residual, &self.kinetic, &self.elastic]
            .into_iter()
            .chain(self.stage_ms.iter().map(|(_, trace)| trace))
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        self.fixed().chain(self.probes.iter().flatten()).for_each(|t| t.save(out));
    }

    /// Reads what [`save`](Self::save) wrote for these probes.
    pub(crate) fn load(from: &mut Reader, probes: &[Probe], world: &World) -> Result<Traces, SnapshotError> {
        let mut traces = Traces::new(world, &[]);
        let Traces { step_ms, stage_ms, contacts, residual, kinetic, elastic, .. } = &mut traces;
        let stages = stage_ms.iter_mut().map(|(_, trace)| trace);
        for trace in [step_ms, contacts, residual, kinetic, elastic].into_iter().chain(stages) {
            *trace = Trace::load(from)?;
        }
        for probe in probes {
            let count = probe.measure(world).len();
            traces.probes.push((0..count).map(|_| Trace::load(from)).collect::<Result<_, _>>()?);
        }
        Ok(traces)
    }
}
