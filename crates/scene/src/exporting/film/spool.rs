//! Frames of equal length in a temporary file.

use crate::error::OutputError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::PathBuf;

/// Bytes of a number.
const NUMBER: usize = size_of::<f64>();

/// A file of frames, each of the same number of f64.
#[derive(Debug)]
pub(in crate::exporting) struct Spool {
    path: PathBuf,
    out: BufWriter<File>,
    /// Numbers of a frame.
    numbers: usize,
    frames: usize,
    bytes: Vec<u8>,
}

impl Spool {
    /// Opens the file with its first `frames` frames, and creates it if there are none.
    pub fn open(path: PathBuf, numbers: usize, frames: usize) -> Result<Spool, OutputError> {
        let length = (frames * numbers * NUMBER) as u64;
        let open = || -> io::Result<File> {
            let mut file =
                OpenOptions::new().read(true).write(true).create(true).truncate(frames == 0).open(&path)?;
            if file.metadata()?.len() < length {
                let cause = "the frames of the run that was stopped are not all there; run it from the start";
                return Err(io::Error::new(io::ErrorKind::InvalidData, cause));
            }
            file.set_len(length)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(OutputError::io(&path))?;
        Ok(Spool { path, out: BufWriter::new(file), numbers, frames, bytes: Vec::new() })
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Adds a frame, which must have the right length.
    pub fn append(&mut self, numbers: impl IntoIterator<Item = f64>) -> Result<(), OutputError> {
        let mut count = 0;
        for number in numbers {
            let written = self.out.write_all(&number.to_le_bytes());
            written.map_err(|e| self.error(e))?;
            count += 1;
        }
        if count != self.numbers {
            let cause = format!("a frame has {count} numbers instead of {}", self.numbers);
            return Err(self.error(io::Error::new(io::ErrorKind::InvalidInput, cause)));
        }
        // What is in the file can be resumed if the run is killed.
        let written = self.out.flush();
        written.map_err(|e| self.error(e))?;
        self.frames += 1;
        Ok(())
    }

    /// Some numbers of a frame.
    pub fn read(&mut self, frame: usize, range: Range<usize>) -> io::Result<Vec<f64>> {
        let start = (frame * self.numbers + range.start) * NUMBER;
        self.bytes.resize(range.len() * NUMBER, 0);
        let file = self.out.get_mut();
        file.seek(SeekFrom::Start(start as u64))?;
        file.read_exact(&mut self.bytes)?;
        file.seek(SeekFrom::End(0))?;
        let (numbers, _) = self.bytes.as_chunks::<NUMBER>();
        Ok(numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
    }

    /// Turns an error of the system into one with the name of the file.
    pub fn error(&self, source: io::Error) -> OutputError {
        OutputError::io(&self.path)(source)
    }

    /// Removes the file when nobody needs it any more.
    pub fn remove(&mut self) {
        // A temporary file that stays is no reason to fail.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_and_go_on() {
        let path = std::env::temp_dir().join(format!("pliant-spool-{}", std::process::id()));
        let mut spool = Spool::open(path.clone(), 3, 0).unwrap();
        for frame in [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]] {
            spool.append(frame).unwrap();
            assert_eq!(spool.read(spool.frames() - 1, 1..3).unwrap(), frame[1..]);
        }
        assert!(spool.append([1.0]).is_err());
        drop(spool);
        let mut spool = Spool::open(path.clone(), 3, 2).unwrap();
        spool.append([0.5; 3]).unwrap();
        assert_eq!(spool.read(1, 0..3).unwrap(), [4.0, 5.0, 6.0]);
        assert_eq!(spool.read(2, 0..1).unwrap(), [0.5]);
        drop(spool);
        let error = Spool::open(path.clone(), 3, 4).unwrap_err();
        assert!(error.to_string().contains("run it from the start"), "{error}");
        let mut spool = Spool::open(path.clone(), 3, 0).unwrap();
        assert_eq!(spool.frames(), 0);
        spool.remove();
        assert!(!path.exists());
    }
}
