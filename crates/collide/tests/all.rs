//! The tests of collision detection in one program: each program of its own takes longer to link than to run. What counts
//! allocations is alone in its own.

mod between_vertices;
mod continuous;
mod drop;
mod exact;
mod exact_hits;
mod piercing;
mod proximity;
mod same_result;
mod seams;
mod sheets;
mod solids;
mod support;
mod sweeps;
