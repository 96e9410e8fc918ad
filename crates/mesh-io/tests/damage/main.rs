//! Damaged files of every format: no panic, nothing out of range, and no memory beyond ten times the file.
//!
//! Ten minutes of one reader, the files in a folder of one's own included:
//! `FUZZ_SECONDS=600 FUZZ_FORMAT=gmsh FUZZ_FILES=folder cargo test --release -p pliant-mesh-io --test damage fuzz --
//! --nocapture`. `FUZZ_FORMAT` takes the names of formats or their starts, divided by commas.

mod change;
#[path = "../common/mod.rs"]
mod common;
mod corpus;
mod fuzz;

use change::{apply, change};
use common::hostile::hostile;
use common::{plain_tets, written};
use corpus::{Sample, corpus};
use pliant_mesh_io::{Contents, Source, formats};
use pliant_testkit::{CountingAllocator, allocations};
use proptest::prelude::*;
use std::sync::{Mutex, OnceLock};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Measurements take turns, since the count is of the whole process.
static TURN: Mutex<()> = Mutex::new(());

/// Memory that any file may take.
const FREE: usize = 64 << 10;

/// Memory that unpacking takes, whatever the size: its window and tables.
const UNPACKING: usize = 64 << 10;

/// How bytes are read.
struct Check<'a> {
    /// The name they come with.
    name: &'a str,
    /// The sizes of the files beside it.
    beside: usize,
}

impl Check<'_> {
    /// Reads the bytes and checks what comes out. Returns the error, if any, as text, and the memory beyond what any
    /// file may take, in sizes of the file.
    fn run(&self, bytes: &[u8]) -> (Result<(), String>, f64) {
        let source = Source::from_bytes(bytes.to_vec(), Some(self.name));
        let size = source.bytes().len() + self.beside;
        let before = allocations::restart_peak();
        let result = source.read();
        let used = allocations::peak_bytes().saturating_sub(before);
        let free = if self.name.ends_with(".gz") { FREE + UNPACKING } else { FREE };
        assert!(used <= 10 * size + free, "{used} bytes of memory for {size} bytes of {}", self.name);
        let checked = result.map(check_contents).map_err(|error| error.to_string());
        (checked, used.saturating_sub(free) as f64 / size.max(1) as f64)
    }
}

fn check(bytes: &[u8], name: &str) {
    let _ = Check { name, beside: 0 }.run(bytes);
}

/// Checks a sample that may have been changed.
fn check_as(sample: &Sample, bytes: &[u8]) {
    let _ = Check { name: sample.name(), beside: sample.beside }.run(bytes);
}

/// Whatever a reader accepts must have indices in range: the rest of the crate relies on it.
fn check_contents(Contents { mut mesh, .. }: Contents) {
    let (vertices, elements) = (mesh.vertices().len(), mesh.element_count());
    assert!(mesh.surface_triangles().iter().flatten().all(|&i| (i as usize) < vertices));
    for group in mesh.groups().values() {
        for (list, count) in [(&group.vertices, vertices), (&group.elements, elements)] {
            assert!(list.is_sorted_by(|a, b| a < b));
            assert!(list.last().is_none_or(|&i| (i as usize) < count));
        }
    }
    let _ = mesh.validate();
    mesh.tidy();
    let _ = mesh.validate();
}

#[test]
fn whole_files_take_little_memory() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for sample in corpus() {
        check_as(sample, &sample.bytes);
    }
    // A mesh large enough for the bound to count.
    let mesh = pliant_mesh::block([1.0, 2.0, 3.0], [20, 20, 20]).unwrap();
    let mesh = pliant_mesh::Mesh::Tet(mesh);
    for format in formats() {
        if let Some(bytes) = written(format, &mesh) {
            check(&bytes, &format!("mesh.{}", format.endings()[0]));
        }
    }
}

#[test]
fn cut_files_are_safe() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for sample in corpus() {
        let length = sample.bytes.len();
        for cut in (0..length).step_by(1 + length / 300) {
            check_as(sample, &sample.bytes[..cut]);
        }
    }
}

#[test]
fn hostile_files_take_little_memory() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for (name, bytes) in hostile() {
        check(&bytes, name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_are_safe(changes in prop::collection::vec(change(), 1..5)) {
        let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for sample in corpus() {
            let mut bytes = sample.bytes.clone();
            changes.iter().for_each(|change| apply(&mut bytes, change));
            check_as(sample, &bytes);
        }
    }

    #[test]
    fn random_bytes_are_safe(bytes in prop::collection::vec(any::<u8>(), 0..400), keep in 0usize..120) {
        let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut seen = None;
        for sample in corpus() {
            // One start for each reader is enough.
            if seen == sample.path.extension() {
                continue;
            }
            seen = sample.path.extension();
            check_as(sample, &bytes);
            check_as(sample, &[&sample.bytes[..keep.min(sample.bytes.len())], &bytes].concat());
        }
    }

    #[test]
    fn damaged_packed_files_are_safe(changes in prop::collection::vec(change(), 1..3)) {
        let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        static PACKED: OnceLock<Vec<u8>> = OnceLock::new();
        let packed = PACKED.get_or_init(|| {
            let folder = common::Folder::new();
            let path = folder.0.join("mesh.msh.gz");
            pliant_mesh_io::write_mesh(&path, &plain_tets(), None).unwrap();
            std::fs::read(path).unwrap()
        });
        let mut bytes = packed.clone();
        changes.iter().for_each(|change| apply(&mut bytes, change));
        check(&bytes, "mesh.msh.gz");
    }
}
