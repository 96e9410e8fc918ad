//! Anderson acceleration of the local-global iteration, on positions and duals together.
//!
//! The iteration maps the state s = (q, u) to g(s); with residuals f = g - s of the last iterations, the next state is
//! the combination of the g whose residual is smallest. It pays from about the eighth iteration on and hurts before,
//! so it starts late, and it falls back to the plain iterate whenever the residual grew \[Zhang19\].

use super::Vec4;
use super::local::Local;
use pliant_linalg::small::symmetric_eigen;

/// Plain iterations before the first acceleration.
const DELAY: usize = 8;

/// Largest window.
const MAX_WINDOW: usize = 8;

/// History of states and residuals within one step.
#[derive(Clone, Debug)]
pub struct Anderson {
    window: usize,
    /// State that the current iteration started from.
    state: Vec<f64>,
    /// Last g and f, and the differences of successive ones, newest last.
    last_g: Vec<f64>,
    last_f: Vec<f64>,
    delta_g: Vec<Vec<f64>>,
    delta_f: Vec<Vec<f64>>,
    last_norm: f64,
    duals: Vec<f32>,
}

impl Anderson {
    /// Keeps up to `window` differences.
    pub fn new(window: usize) -> Anderson {
        Anderson {
            window: window.min(MAX_WINDOW),
            state: Vec::new(),
            last_g: Vec::new(),
            last_f: Vec::new(),
            delta_g: Vec::new(),
            delta_f: Vec::new(),
            last_norm: f64::INFINITY,
            duals: Vec::new(),
        }
    }

    /// Called after iteration `k` with its result; replaces it by the accelerated one.
    pub fn accelerate(&mut self, k: usize, q: &mut [Vec4], local: &mut Local) {
        if k + 1 < DELAY {
            return;
        }
        let g = self.collect(q, local);
        if k + 1 == DELAY {
            self.delta_g.clear();
            self.delta_f.clear();
            self.last_f.clear();
            self.last_norm = f64::INFINITY;
            self.state = g;
            return;
        }
        let f: Vec<f64> = g.iter().zip(&self.state).map(|(g, s)| g - s).collect();
        let norm = dot(&f, &f);
        if !self.last_f.is_empty() {
            self.delta_g.push(difference(&g, &self.last_g));
            self.delta_f.push(difference(&f, &self.last_f));
            if self.delta_g.len() > self.window {
                self.delta_g.remove(0);
                self.delta_f.remove(0);
            }
        }
        let mut next = g.clone();
        if norm > 4.0 * self.last_norm {
            // The extrapolation went wrong: go on from the plain iterate with an empty history.
            self.delta_g.clear();
            self.delta_f.clear();
        } else {
            for (theta, delta) in self.mix(&f).into_iter().zip(&self.delta_g) {
                for (x, d) in next.iter_mut().zip(delta) {
                    *x -= theta * d;
                }
            }
        }
        self.last_norm = norm;
        (self.last_g, self.last_f) = (g, f);
        self.distribute(&next, q, local);
        self.state = next;
    }

    /// `argmin |f - sum theta_j delta_f_j|` by the normal equations; directions that f64 cannot tell apart are left out.
    fn mix(&self, f: &[f64]) -> Vec<f64> {
        let m = self.delta_f.len();
        let mut gram = [[0.0; MAX_WINDOW]; MAX_WINDOW];
        let mut right = [0.0; MAX_WINDOW];
        for i in 0..m {
            for j in 0..=i {
                gram[i][j] = dot(&self.delta_f[i], &self.delta_f[j]);
                gram[j][i] = gram[i][j];
            }
            right[i] = dot(&self.delta_f[i], f);
        }
        let (values, vectors) = symmetric_eigen(&gram);
        let largest = values.iter().fold(0.0f64, |a, &b| a.max(b));
        let mut theta = vec![0.0; m];
        for (k, &value) in values.iter().enumerate().filter(|(_, v)| **v > 1e-10 * largest) {
            let along: f64 = (0..m).map(|i| vectors[i][k] * right[i]).sum();
            for i in 0..m {
                theta[i] += vectors[i][k] * along / value;
            }
        }
        theta
    }

    fn collect(&mut self, q: &[Vec4], local: &Local) -> Vec<f64> {
        self.duals.clear();
        local.save_duals(&mut self.duals);
        let positions = q.iter().flat_map(|q| q.0.into_iter().take(3));
        positions.chain(self.duals.iter().map(|&u| f64::from(u))).collect()
    }

    fn distribute(&mut self, state: &[f64], q: &mut [Vec4], local: &mut Local) {
        let (positions, duals) = state.split_at(3 * q.len());
        for (q, p) in q.iter_mut().zip(positions.as_chunks::<3>().0) {
            q.0[..3].copy_from_slice(p);
        }
        self.duals.clear();
        self.duals.extend(duals.iter().map(|&u| u as f32));
        local.load_duals(&self.duals);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}
