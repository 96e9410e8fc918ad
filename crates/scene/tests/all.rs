//! The tests of scenes in one program: each program of its own takes longer to link than to run.

mod animation;
mod checkpoint;
mod common;
mod contact;
mod damage;
mod errors;
mod exports;
mod expressions;
mod fuzz;
mod instances;
mod joints;
mod many_bodies;
mod needle;
mod open_meshes;
mod pairs;
mod piercing;
mod run;
mod schema;
mod snapshot;
mod solids;
mod timed;
mod trials;
