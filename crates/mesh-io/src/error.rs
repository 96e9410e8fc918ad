//! Why a mesh file cannot be read or written.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a mesh file cannot be read. Lines count from one.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// An error inside a file, with the file's name.
    #[error("{}: {error}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        #[source]
        error: Box<ReadError>,
    },
    /// There is no such file.
    #[error("the file does not exist; check the path, it is relative to {base}")]
    Missing {
        /// What a relative path starts from.
        base: &'static str,
    },
    /// The file cannot be read.
    #[error("the file cannot be read ({0}); check its permissions and that it is a file")]
    Io(#[source] io::Error),
    /// The gzip stream is damaged.
    #[error("the file cannot be unpacked ({0}); it is damaged or cut, fetch it again")]
    Gzip(#[source] io::Error),
    /// A gzip stream that unpacks to a suspicious size.
    #[error(
        "the {packed} bytes of the file unpack to more than {limit}; if you trust it, unpack it first: gunzip"
    )]
    GzipTooLarge {
        /// Size of the file.
        packed: usize,
        /// The most that it may unpack to.
        limit: usize,
    },
    /// The content and the ending of the file fit no known format.
    #[error("not a known mesh format; `pliant mesh formats` lists the known ones")]
    UnknownFormat,
    /// A Gmsh file of another version.
    #[error("Gmsh format {version} is not supported; save as MSH 4.1: gmsh -format msh41 -save")]
    GmshVersion {
        /// The version found.
        version: String,
    },
    /// Something is wrong at a line.
    #[error("line {line}: {cause}; {remedy}")]
    At {
        /// Line number, from one.
        line: usize,
        /// What is wrong.
        cause: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Something is wrong at a byte of a binary file.
    #[error("byte {offset}: {cause}; {remedy}")]
    AtByte {
        /// Offset from the start of the (unpacked) file.
        offset: usize,
        /// What is wrong.
        cause: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Something is wrong in a named part of a file.
    #[error("{place}: {cause}; {remedy}")]
    In {
        /// The part, for example `accessor 3`.
        place: String,
        /// What is wrong.
        cause: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The file holds no tets and no triangles.
    #[error("the file has no tets and no triangles; {remedy}")]
    Empty {
        /// What to do.
        remedy: &'static str,
    },
    /// A small file that stands for a huge mesh.
    #[error(
        "the file unfolds to more than ten times its size in memory; export it with fewer groups, as triangles \
         and without instances"
    )]
    OutOfProportion,
    /// Another file is needed and cannot be used.
    #[error("the file needs `{name}`, {cause}; {remedy}")]
    Companion {
        /// Name of the other file.
        name: String,
        /// Why it cannot be used.
        cause: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A file of a known kind with something in it that is not supported.
    #[error("{what} is not supported; {remedy}")]
    Unsupported {
        /// What it is.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// More than 2^32 vertices or elements, or more than the size of the file can explain.
    #[error("the file has too many vertices or elements; split it")]
    TooLarge,
    /// Groups that would take far more memory than the file.
    #[error("the file has too many groups for its size; put the elements into fewer groups")]
    TooManyGroups,
}

/// Why a mesh cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The name has no ending of a known format.
    #[error("`{}` has no ending of a known mesh format; give a format, see `pliant mesh formats`", path.display())]
    UnknownFormat {
        /// The file that was asked for.
        path: PathBuf,
    },
    /// The format has no tetrahedra.
    #[error("{format} holds surfaces only; write the boundary, or use a volume format such as VTU or MSH")]
    SurfaceOnly {
        /// Name of the format.
        format: &'static str,
    },
    /// The mesh does not fit into the format.
    #[error("{format} cannot hold this mesh: {cause}")]
    DoesNotFit {
        /// Name of the format.
        format: &'static str,
        /// What does not fit, and what to do.
        cause: String,
    },
    /// The disk says no.
    #[error("`{}` cannot be written ({error}); check the folder, its permissions and the space left", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
}
