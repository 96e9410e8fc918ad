//! The tests of the simulator in one program: each program of its own takes longer to link than to run. What counts
//! allocations is alone in its own.

mod accuracy;
mod admm;
mod air;
mod bad_models;
mod barrier;
mod cantilever;
mod common;
mod contact;
mod determinism;
mod equals_newton;
mod fields;
mod free_flight;
mod global_solvers;
mod implicit_fe;
mod live;
mod matchstick;
mod needle;
mod patch;
mod prepared;
mod push_apart;
#[path = "common/random_scenes.rs"]
mod random_scenes;
mod refusals;
mod rollback;
mod settle;
mod smooth_motion;
mod steer;
mod table_of_solvers;
mod timed;
mod tipping;
mod torture;
