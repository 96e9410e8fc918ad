//! The air that bodies move in: wind, gusts, and how strongly it pushes.

use super::{ModelError, Schedule};
use pliant_mesh::DVec3;
use std::f64::consts::TAU;

/// Air that pushes on every triangle of cloth and on the outside of solids. With the velocity u of the air past a triangle of area
/// A and normal n the force is
///
/// `rho/2 A |u| ((drag - lift) u + lift (u.n) n)`
///
/// Across the wind that is the usual `rho/2 drag A u^2`; in between, the second term lifts. The part along the normal acts on solids
/// only where the air comes from outside.
///
/// ```
/// use pliant::{Air, DVec3, Gusts, Model};
///
/// let breeze = Air {
///     wind: DVec3::new(6.0, 0.0, 0.0).into(),
///     gusts: Some(Gusts { speed: 1.5, period: 0.8, seed: 7 }),
///     ..Air::default()
/// };
/// assert!(breeze.velocity(0.3).x > 0.0);
/// let model = Model { air: Some(breeze), ..Model::default() };
/// # let _ = model;
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Air {
    /// Density rho in kg/m^3.
    pub density: f64,
    /// Velocity of the wind in m/s over time.
    pub wind: Schedule<DVec3>,
    /// What comes and goes on top of the wind.
    pub gusts: Option<Gusts>,
    /// Coefficient of drag of a triangle that faces the wind.
    pub drag: f64,
    /// Coefficient of lift, from 0 to `drag`: with `drag` the air slides along triangles without friction.
    pub lift: f64,
}

impl Default for Air {
    /// Still air at sea level.
    fn default() -> Self {
        Air { density: 1.2, wind: DVec3::ZERO.into(), gusts: None, drag: 1.2, lift: 1.2 }
    }
}

/// Velocity that comes and goes in every direction around a mean of zero. It is a function of time and seed.
///
/// ```
/// use pliant::{Air, Gusts};
///
/// let gusts = Gusts { speed: 2.0, period: 1.0, seed: 1 };
/// let air = Air { gusts: Some(gusts), ..Air::default() };
/// // A function of time: the same whenever it is asked for.
/// assert_eq!(air.velocity(0.5), air.clone().velocity(0.5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gusts {
    /// Root mean square of the speed in m/s.
    pub speed: f64,
    /// Time in s in which it usually comes and goes.
    pub period: f64,
    /// Equal seeds give equal gusts.
    pub seed: u64,
}

impl Air {
    /// Velocity in m/s at time `t`.
    pub fn velocity(&self, t: f64) -> DVec3 {
        self.wind.at(t) + self.gusts.map_or(DVec3::ZERO, |g| g.velocity(t))
    }

    /// # Errors
    /// If a number is out of range.
    pub(crate) fn validate(&self) -> Result<(), ModelError> {
        let value = |what, value: f64, ok: bool, must| {
            if ok { Ok(()) } else { Err(ModelError::Air { what, value, must }) }
        };
        let Air { density, drag, lift, .. } = *self;
        value(
            "density",
            density,
            density >= 0.0 && density.is_finite(),
            "0 or more (1.2 kg/m^3 at sea level)",
        )?;
        value("drag", drag, drag >= 0.0 && drag.is_finite(), "0 or more")?;
        value("lift", lift, (0.0..=drag).contains(&lift), "from 0 to the drag")?;
        let wind = self.wind.0.iter().flat_map(|(t, w)| [*t, w.x, w.y, w.z]);
        for x in wind {
            value("wind", x, x.is_finite(), "finite")?;
        }
        if let Some(time) = self.wind.0.windows(2).find(|w| w[0].0 >= w[1].0).map(|w| w[1].0) {
            value("time of the wind", time, false, "later than the one before")?;
        }
        if let Some(Gusts { speed, period, .. }) = self.gusts {
            value("speed of gusts", speed, speed >= 0.0 && speed.is_finite(), "0 or more")?;
            value("period of gusts", period, period > 0.0 && period.is_finite(), "positive and finite")?;
        }
        Ok(())
    }
}

impl Gusts {
    /// Waves whose sum is the gusts: from a quarter of the frequency of the period to four times that.
    const WAVES: u32 = 16;

    /// Velocity in m/s at time `t`. Each wave has a direction and a phase that its seed draws.
    pub fn velocity(&self, t: f64) -> DVec3 {
        let mut random = self.seed;
        let amplitude = self.speed * (2.0 / f64::from(Self::WAVES)).sqrt();
        let wave = |k: u32| {
            let (height, turn, phase) =
                (2.0 * unit(&mut random) - 1.0, TAU * unit(&mut random), TAU * unit(&mut random));
            let spread = 4.0 * f64::from(k) / f64::from(Self::WAVES - 1) - 2.0;
            let angle = TAU * spread.exp2() * t / self.period + phase;
            let width = (1.0 - height * height).sqrt();
            amplitude * angle.sin() * DVec3::new(width * turn.cos(), width * turn.sin(), height)
        };
        (0..Self::WAVES).map(wave).sum()
    }
}

/// A number from 0 to 1 by splitmix64 [Steele, Lea and Flood 2014].
fn unit(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gusts_have_their_speed_and_no_mean() {
        for seed in 0..5 {
            let gusts = Gusts { speed: 3.0, period: 2.0, seed };
            let samples: Vec<DVec3> = (0..200_000).map(|k| gusts.velocity(0.01 * f64::from(k))).collect();
            let count = samples.len() as f64;
            let mean = samples.iter().sum::<DVec3>() / count;
            let square = samples.iter().map(|v| v.length_squared()).sum::<f64>() / count;
            assert!(mean.length() < 0.05, "{mean}");
            assert!((square.sqrt() - 3.0).abs() < 0.1, "{}", square.sqrt());
        }
        let other = Gusts { speed: 3.0, period: 2.0, seed: 9 };
        assert_ne!(other.velocity(1.0), Gusts { seed: 8, ..other }.velocity(1.0));
    }
}
