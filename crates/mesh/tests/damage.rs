//! Damaged files of every format: no panic, nothing out of range, and no memory beyond ten times the file.
//!
//! `PROPTEST_CASES` makes it longer, `FUZZ_FORMAT=gmsh41` looks at one format only, `FUZZ_SHOW=1` with
//! `--nocapture` tells the memory of each file. Ten minutes of one format:
//! `FUZZ_FORMAT=vtu PROPTEST_CASES=2000000 timeout 600 cargo test --release -p pliant-mesh --test damage`.

mod common;

use common::hostile::hostile;
use common::{plain_tets, plain_triangles, tricky_tets, tricky_triangles, written};
use pliant_mesh::{Contents, Source, formats};
use proptest::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// Counts the bytes in use and the most there were.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grow(bytes: usize) {
    let now = IN_USE.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(now, Ordering::Relaxed);
}

// Safety: everything is passed on to the system's allocator; only numbers are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Growing and shrinking in one step, as the system does for large blocks.
        grow(size.saturating_sub(layout.size()));
        IN_USE.fetch_sub(layout.size().saturating_sub(size), Ordering::Relaxed);
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Measurements take turns, since the count is of the whole process.
static TURN: Mutex<()> = Mutex::new(());

const FREE: usize = 64 << 10;

/// Reads the bytes and checks what comes out. Returns the error, if any, as text.
fn check(bytes: &[u8], name: &str) -> Result<(), String> {
    let source = Source::from_bytes(bytes.to_vec(), Some(name));
    let size = source.bytes().len();
    let before = IN_USE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = source.read();
    let used = PEAK.load(Ordering::Relaxed).saturating_sub(before);
    if std::env::var_os("FUZZ_SHOW").is_some() {
        println!("{name}: {:.1} times the file", used as f64 / size as f64);
    }
    assert!(used <= 10 * size + FREE, "{used} bytes of memory for {size} bytes of {name}");
    match result {
        Ok(contents) => {
            check_contents(contents);
            Ok(())
        }
        Err(error) => Err(error.to_string()),
    }
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

/// Small files of every format, with names.
fn corpus() -> &'static [(String, Vec<u8>)] {
    static CORPUS: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    CORPUS.get_or_init(|| {
        let wanted = std::env::var("FUZZ_FORMAT").ok();
        let meshes = [plain_tets(), plain_triangles(), tricky_tets(), tricky_triangles()];
        let mut files = Vec::new();
        for format in formats().filter(|f| wanted.as_ref().is_none_or(|name| name == f.name)) {
            for mesh in &meshes {
                let name = format!("mesh.{}", format.endings()[0]);
                files.extend(written(format, mesh).map(|bytes| (name, bytes)));
            }
        }
        // Starts the threads, whose memory is not the readers'.
        files.iter().for_each(|(name, bytes)| drop(Source::from_bytes(bytes.clone(), Some(name)).read()));
        files
    })
}

/// A change to a file. Places are fractions, so that a change fits any file.
#[derive(Clone, Debug)]
enum Change {
    Set(prop::sample::Index, u8),
    Flip(prop::sample::Index, u8),
    Delete(prop::sample::Index, usize),
    Insert(prop::sample::Index, Vec<u8>),
    Repeat(prop::sample::Index, usize),
    Cut(prop::sample::Index),
    /// Replaces a word of digits, if there is one near, by a number.
    Number(prop::sample::Index, i128),
    /// The rest of another file.
    Splice(prop::sample::Index, prop::sample::Index, prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<prop::sample::Index>;
    let number = prop_oneof![
        Just(0i128),
        Just(-1),
        Just(1),
        Just(i128::from(u32::MAX)),
        Just(i128::from(i32::MAX)),
        Just(i128::from(u64::MAX)),
        Just(i128::from(i64::MAX) / 3),
        Just(1 << 70),
        (0i128..1000),
    ];
    prop_oneof![
        (index(), any::<u8>()).prop_map(|(at, value)| Change::Set(at, value)),
        (index(), 0u8..8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        (index(), 1usize..40).prop_map(|(at, count)| Change::Delete(at, count)),
        (index(), prop::collection::vec(any::<u8>(), 1..20))
            .prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (index(), 1usize..200).prop_map(|(at, count)| Change::Repeat(at, count)),
        index().prop_map(Change::Cut),
        (index(), number).prop_map(|(at, number)| Change::Number(at, number)),
        (index(), index(), index()).prop_map(|(at, file, from)| Change::Splice(at, file, from)),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    match change {
        Change::Set(at, value) => bytes[at.index(length)] = *value,
        Change::Flip(at, bit) => bytes[at.index(length)] ^= 1 << bit,
        Change::Delete(at, count) => {
            let at = at.index(length);
            bytes.drain(at..length.min(at + count));
        }
        Change::Insert(at, more) => {
            let at = at.index(length);
            bytes.splice(at..at, more.iter().copied());
        }
        Change::Repeat(at, count) => {
            let at = at.index(length);
            let part = bytes[at..length.min(at + count)].to_vec();
            bytes.splice(at..at, part);
        }
        Change::Cut(at) => bytes.truncate(at.index(length)),
        Change::Number(at, number) => {
            let at = at.index(length);
            let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit) else { return };
            let start = at + start;
            let digits = bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
            bytes.splice(start..start + digits, number.to_string().into_bytes());
        }
        Change::Splice(at, file, from) => {
            bytes.truncate(at.index(length));
            let other = &corpus()[file.index(corpus().len())].1;
            bytes.extend(&other[from.index(other.len())..]);
        }
    }
}

#[test]
fn whole_files_take_little_memory() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for (name, bytes) in corpus() {
        let _ = check(bytes, name);
    }
    // A mesh large enough for the bound to count.
    let mesh = pliant_mesh::block([1.0, 2.0, 3.0], [20, 20, 20]).unwrap();
    let mesh = pliant_mesh::Mesh::Tet(mesh);
    for format in formats() {
        if let Some(bytes) = written(format, &mesh) {
            let _ = check(&bytes, &format!("mesh.{}", format.endings()[0]));
        }
    }
}

#[test]
fn cut_files_are_safe() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for (name, bytes) in corpus() {
        for cut in (0..bytes.len()).step_by(1 + bytes.len() / 300) {
            let _ = check(&bytes[..cut], name);
        }
    }
}

#[test]
fn hostile_files_take_little_memory() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for (name, bytes) in hostile() {
        let _ = check(&bytes, name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_are_safe(changes in prop::collection::vec(change(), 1..5)) {
        let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for (name, bytes) in corpus() {
            let mut bytes = bytes.clone();
            changes.iter().for_each(|change| apply(&mut bytes, change));
            let _ = check(&bytes, name);
        }
    }

    #[test]
    fn random_bytes_are_safe(bytes in prop::collection::vec(any::<u8>(), 0..400), keep in 0usize..120) {
        let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut seen = "";
        for (name, start) in corpus() {
            // One start for each reader is enough.
            if name == seen {
                continue;
            }
            seen = name;
            let _ = check(&bytes, name);
            let mut mixed = start[..keep.min(start.len())].to_vec();
            mixed.extend(&bytes);
            let _ = check(&mixed, name);
        }
    }

    #[test]
    fn damaged_packed_files_are_safe(changes in prop::collection::vec(change(), 1..3)) {
        let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        static PACKED: OnceLock<Vec<u8>> = OnceLock::new();
        let packed = PACKED.get_or_init(|| {
            let folder = common::Folder::new();
            let path = folder.0.join("mesh.msh.gz");
            pliant_mesh::write_mesh(&path, &plain_tets(), None).unwrap();
            std::fs::read(path).unwrap()
        });
        let mut bytes = packed.clone();
        changes.iter().for_each(|change| apply(&mut bytes, change));
        let _ = check(&bytes, "mesh.msh.gz");
    }
}
