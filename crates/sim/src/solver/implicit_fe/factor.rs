//! The factor of the matrix some steps ago, and the one that is made beside the simulation.
//!
//! A factor is good for several steps as preconditioner of the free motion and as the compliance of the contacts. The next one
//! is begun in a step and taken over `lag` steps later, however long it took, so that results do not depend on the speed of the
//! machine [Zeng22, sec. 3.4]; `when_ready` gives that up.

use super::config::FactorMode;
use crate::fem::Drag;
use crate::fem::assembly::Assembly;
use crate::fem::potential::Potential;
use crate::snapshot::{Reader, SnapshotError, Writer};
use crate::solver::SolveError;
use pliant_linalg::background::{Background, BackgroundError};
use pliant_linalg::panels::{Analysis, PanelFactor};
use pliant_linalg::{NotPositiveDefinite, SymmetricCsc, Team};
use pliant_mesh::{DMat3, DVec3};
use std::sync::{Arc, Mutex, PoisonError};

/// What a matrix follows from besides the model: with it the factor can be made again.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Origin {
    /// The step it is of.
    step: u64,
    /// Positions of all vertices.
    pub(super) x: Vec<DVec3>,
    pressures: Vec<f64>,
    /// Matrices of the drag on each vertex.
    drags: Vec<DMat3>,
    /// Positions at the start of the step, if damping depends on them.
    x_t0: Vec<DVec3>,
}

impl Origin {
    fn new(step: u64, potential: &Potential, x: &[DVec3]) -> Origin {
        Origin {
            step,
            x: x.to_vec(),
            pressures: potential.pressures.to_vec(),
            drags: potential.drags.iter().map(|d| d.matrix).collect(),
            x_t0: match potential.system.materials.iter().any(|m| m.tangent_damping > 0.0) {
                true => potential.x_t0.to_vec(),
                false => Vec::new(),
            },
        }
    }

    /// The matrix, assembled again.
    fn matrix(&self, team: &Team, potential: &Potential, assembly: &mut Assembly) -> SymmetricCsc {
        let drags: Vec<Drag> =
            self.drags.iter().map(|matrix| Drag { matrix: *matrix, pull: DVec3::ZERO }).collect();
        let x_t0 = if self.x_t0.is_empty() { potential.x_t0 } else { &self.x_t0 };
        let then = Potential { pressures: &self.pressures, drags: &drags, x_t0, ..*potential };
        assembly.assemble(team, &then, &self.x, true);
        expanded(team, assembly)
    }

    fn save(&self, out: &mut Writer) {
        out.u64(self.step);
        out.points(&self.x);
        out.f64s(&self.pressures);
        out.list(&self.drags, |out, m| m.to_cols_array().into_iter().for_each(|x| out.f64(x)));
        out.bool(!self.x_t0.is_empty());
        if !self.x_t0.is_empty() {
            out.points(&self.x_t0);
        }
    }

    fn load(from: &mut Reader, vertices: usize) -> Result<Origin, SnapshotError> {
        let step = from.u64()?;
        let x = from.points("vertices of a factor", vertices)?;
        let pressures = from.f64s()?;
        let drags = from.list(|from| {
            let mut columns = [0.0; 9];
            columns.iter_mut().try_for_each(|x| from.f64().map(|read| *x = read))?;
            Ok(DMat3::from_cols_array(&columns))
        })?;
        let x_t0 = if from.bool()? { from.points("vertices of a factor", vertices)? } else { Vec::new() };
        Ok(Origin { step, x, pressures, drags, x_t0 })
    }

    /// Whether it is of such a system.
    fn fits(&self, potential: &Potential) -> bool {
        self.pressures.len() == potential.pressures.len() && self.drags.len() == potential.drags.len()
    }
}

/// A factor and where it is from.
#[derive(Clone, Debug)]
pub(super) struct Factor {
    pub(super) origin: Origin,
    pub(super) panels: PanelFactor,
}

type Made = Result<Arc<Factor>, SolveError>;

/// A factor that is being made. Copies of a world share it.
#[derive(Clone, Debug)]
struct Pending {
    due: u64,
    origin: Arc<Origin>,
    work: Arc<Mutex<Work>>,
}

#[derive(Debug)]
enum Work {
    Running(Background<Result<PanelFactor, NotPositiveDefinite>>),
    Done(Made),
}

impl Pending {
    fn start(due: u64, origin: Origin, matrix: SymmetricCsc, analysis: Analysis) -> Pending {
        let job = Background::start(due, move |_| PanelFactor::with_analysis(&matrix, &analysis));
        Pending { due, origin: Arc::new(origin), work: Arc::new(Mutex::new(Work::Running(job))) }
    }

    fn is_ready(&self) -> bool {
        match &*self.work.lock().unwrap_or_else(PoisonError::into_inner) {
            Work::Running(job) => job.is_ready(),
            Work::Done(_) => true,
        }
    }

    /// The factor, once it is made.
    fn take(&self) -> Made {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        if let Work::Running(job) = &mut *work {
            let made = match job.deliver_at(u64::MAX) {
                Some(Ok(Ok(panels))) => Ok(Arc::new(Factor { origin: (*self.origin).clone(), panels })),
                Some(Ok(Err(e))) => Err(SolveError::NotPositiveDefinite(e)),
                Some(Err(e)) => Err(SolveError::Background(e)),
                None => {
                    Err(SolveError::Background(BackgroundError::Panicked { message: "delivered".into() }))
                }
            };
            *work = Work::Done(made);
        }
        match &*work {
            Work::Done(made) => made.clone(),
            Work::Running(_) => unreachable!("it has been waited for"),
        }
    }
}

/// The factor that is in use and the next one.
#[derive(Clone, Debug)]
pub(super) struct Factors {
    /// What all factors have in common.
    analysis: Analysis,
    current: Option<Arc<Factor>>,
    pending: Option<Pending>,
    /// Read from a snapshot, and not made yet: that takes the model, which the next step has.
    saved: Option<Saved>,
}

#[derive(Clone, Debug)]
struct Saved {
    current: Option<Origin>,
    pending: Option<(u64, Origin)>,
}

impl Factors {
    /// None yet, for matrices of the pattern that was analysed.
    pub(super) fn new(analysis: Analysis) -> Factors {
        Factors { analysis, current: None, pending: None, saved: None }
    }

    /// The factor in use.
    ///
    /// # Panics
    /// Before the first [`prepare`](Self::prepare).
    pub(super) fn current(&self) -> &Arc<Factor> {
        self.current.as_ref().expect("a step begins with its factor")
    }

    /// Steps since the state that the factor in use is of.
    pub(super) fn age(&self, step: u64) -> u64 {
        self.current.as_ref().map_or(0, |f| step.saturating_sub(f.origin.step))
    }

    /// Makes again what a snapshot told.
    pub(super) fn restore(
        &mut self,
        team: &Team,
        potential: &Potential,
        assembly: &mut Assembly,
    ) -> Result<(), SolveError> {
        let Some(Saved { current, pending }) = self.saved.take() else { return Ok(()) };
        if let Some(origin) = current.filter(|o| o.fits(potential)) {
            let panels =
                PanelFactor::with_analysis(&origin.matrix(team, potential, assembly), &self.analysis)?;
            self.current = Some(Arc::new(Factor { origin, panels }));
        }
        if let Some((due, origin)) = pending.filter(|(_, o)| o.fits(potential)) {
            let matrix = origin.matrix(team, potential, assembly);
            self.pending = Some(Pending::start(due, origin, matrix, self.analysis.clone()));
        }
        Ok(())
    }

    /// Makes sure that there is a factor for this step, whose matrix at x has been assembled, and begins the next one where
    /// it is time; returns whether the factor is another one than before.
    pub(super) fn prepare(
        &mut self,
        mode: FactorMode,
        step: u64,
        potential: &Potential,
        x: &[DVec3],
        matrix: impl Fn() -> SymmetricCsc,
    ) -> Result<bool, SolveError> {
        if mode == FactorMode::EachStep || self.current.is_none() {
            self.renew(step, potential, x, &matrix)?;
        } else {
            let is_due = |p: &Pending| match mode {
                FactorMode::WhenReady => p.is_ready(),
                _ => step >= p.due,
            };
            match self.pending.take_if(|p| is_due(p)) {
                Some(pending) => self.current = Some(pending.take()?),
                None if self.pending.is_some() => return Ok(false),
                None => {
                    self.begin(mode, step, potential, x, matrix);
                    return Ok(false);
                }
            }
        }
        self.begin(mode, step, potential, x, matrix);
        Ok(true)
    }

    /// Makes the factor of the matrix at x now.
    pub(super) fn renew(
        &mut self,
        step: u64,
        potential: &Potential,
        x: &[DVec3],
        matrix: impl Fn() -> SymmetricCsc,
    ) -> Result<(), SolveError> {
        let panels = PanelFactor::with_analysis(&matrix(), &self.analysis)?;
        self.current = Some(Arc::new(Factor { origin: Origin::new(step, potential, x), panels }));
        Ok(())
    }

    /// Begins the next factor.
    fn begin(
        &mut self,
        mode: FactorMode,
        step: u64,
        potential: &Potential,
        x: &[DVec3],
        matrix: impl Fn() -> SymmetricCsc,
    ) {
        let due = match mode {
            FactorMode::EachStep => return,
            FactorMode::Lagged(lag) => step.saturating_add(lag as u64),
            FactorMode::WhenReady => step + 1,
        };
        if self.current.as_ref().is_some_and(|f| f.origin.step == step && f.origin.x == x) {
            // The factor is of this very state: the next step begins another one.
            self.pending = None;
            return;
        }
        let origin = Origin::new(step, potential, x);
        self.pending = Some(Pending::start(due, origin, matrix(), self.analysis.clone()));
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Factors::new(self.analysis.clone());
    }

    /// Bytes that are in use at most, while one factor serves and the next is made.
    pub(super) fn bytes_at_most(&self) -> usize {
        self.analysis.panel_bytes() + self.analysis.working_bytes()
    }

    /// Bytes of the factor in use.
    pub(super) fn bytes(&self) -> usize {
        self.current.as_ref().map_or(0, |f| f.panels.bytes())
    }

    pub(super) fn save(&self, out: &mut Writer) {
        let saved = self.saved.as_ref();
        let current = match saved {
            Some(saved) => saved.current.as_ref(),
            None => self.current.as_ref().map(|f| &f.origin),
        };
        let pending = match saved {
            Some(saved) => saved.pending.as_ref().map(|(due, origin)| (*due, origin)),
            None => self.pending.as_ref().map(|p| (p.due, &*p.origin)),
        };
        out.bool(current.is_some());
        if let Some(origin) = current {
            origin.save(out);
        }
        out.bool(pending.is_some());
        if let Some((due, origin)) = pending {
            out.u64(due);
            origin.save(out);
        }
    }

    pub(super) fn load(&mut self, from: &mut Reader, vertices: usize) -> Result<(), SnapshotError> {
        self.clear();
        let current = if from.bool()? { Some(Origin::load(from, vertices)?) } else { None };
        let pending = if from.bool()? { Some((from.u64()?, Origin::load(from, vertices)?)) } else { None };
        self.saved = Some(Saved { current, pending });
        Ok(())
    }
}

/// The assembled matrix as one of numbers.
pub(super) fn expanded(team: &Team, assembly: &Assembly) -> SymmetricCsc {
    let mut matrix = assembly.scalar_pattern();
    assembly.expand_into(team, &mut matrix);
    matrix
}
