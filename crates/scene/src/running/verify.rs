//! Every state of a run by an exact check that knows nothing of how the solver looks for contact.

use pliant::{CollideError, Inspector, World};
use serde_json::{Value, json};

/// Checks states, and counts what it finds.
#[derive(Clone, Debug)]
pub struct Verifier {
    inspector: Inspector,
    states: usize,
    intersections: usize,
    inverted: usize,
    /// Time of the first state with any, s.
    first: Option<f64>,
}

impl Verifier {
    /// Starts with the present state of a world.
    ///
    /// # Errors
    /// If its surfaces cannot be tested.
    pub fn new(world: &World) -> Result<Verifier, CollideError> {
        let inspector = world.inspector()?;
        let mut verifier = Verifier { inspector, states: 0, intersections: 0, inverted: 0, first: None };
        verifier.look(world);
        Ok(verifier)
    }

    /// Checks the present state.
    pub fn look(&mut self, world: &World) {
        let found = self.inspector.verify(world);
        self.states += 1;
        self.intersections += found.intersections.count() + found.intersections.unchecked;
        self.inverted += found.inverted;
        if !found.is_free() {
            self.first.get_or_insert(world.state().time);
        }
    }

    /// Whether all states were free.
    pub fn is_free(&self) -> bool {
        self.first.is_none()
    }

    /// What was found, in a line.
    pub fn summary(&self) -> String {
        let since = self.first.map(|t| format!(", first at {t:.4} s")).unwrap_or_default();
        let Verifier { states, intersections, inverted, .. } = self;
        format!(
            "verified: {states} states, {intersections} intersections, {inverted} inverted elements{since}"
        )
    }

    /// The same for a report.
    pub fn report(&self) -> Value {
        json!({
            "states": self.states,
            "intersections": self.intersections,
            "inverted": self.inverted,
            "first_s": self.first,
        })
    }
}
