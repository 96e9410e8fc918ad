//! Numbers into a Gmsh file, as text or binary.

use super::format_line;
use super::partition::Entities;
use crate::names::encode;
use pliant_mesh::DVec3;
use std::fmt::Debug;
use std::io::{self, Write};

/// Writes numbers of either encoding. Text numbers have a blank behind them.
pub(super) struct Sink<'a> {
    pub out: &'a mut dyn Write,
    pub binary: bool,
}

impl Sink<'_> {
    /// The header, with the number one in binary files to show the byte order.
    pub fn format(&mut self, version: &'static str) -> io::Result<()> {
        writeln!(self.out, "$MeshFormat\n{}", format_line(version, self.binary).join(" "))?;
        if self.binary {
            self.out.write_all(&1i32.to_le_bytes())?;
            writeln!(self.out)?;
        }
        writeln!(self.out, "$EndMeshFormat")
    }

    /// The names of the groups, in each dimension in which they have members.
    pub fn names(&mut self, entities: &Entities<'_>) -> io::Result<()> {
        let count: usize = entities.dimensions.iter().map(Vec::len).sum();
        if count == 0 {
            return Ok(());
        }
        writeln!(self.out, "$PhysicalNames\n{count}")?;
        for dimension in 0..=3 {
            let all = (1..).zip(entities.names.iter().zip(&entities.dimensions));
            for (number, (name, _)) in all.filter(|(_, (_, own))| own.contains(&dimension)) {
                let name = encode(name, |c| c == '"');
                writeln!(self.out, "{dimension} {number} \"{name}\"")?;
            }
        }
        writeln!(self.out, "$EndPhysicalNames")
    }

    pub fn ints(&mut self, values: impl IntoIterator<Item = i32>) -> io::Result<()> {
        values.into_iter().try_for_each(|v| self.number(v, &v.to_le_bytes()))
    }

    pub fn sizes(&mut self, values: impl IntoIterator<Item = usize>) -> io::Result<()> {
        values.into_iter().try_for_each(|v| self.number(v, &(v as u64).to_le_bytes()))
    }

    pub fn position(&mut self, p: DVec3) -> io::Result<()> {
        p.to_array().into_iter().try_for_each(|v| self.number(v, &v.to_le_bytes()))
    }

    /// Debug notation gives the shortest decimals too, and exponents to tiny and huge numbers.
    fn number(&mut self, value: impl Debug, bytes: &[u8]) -> io::Result<()> {
        if self.binary { self.out.write_all(bytes) } else { write!(self.out, "{value:?} ") }
    }

    /// The end of a line of text.
    pub fn line(&mut self) -> io::Result<()> {
        if self.binary { Ok(()) } else { writeln!(self.out) }
    }

    /// The end of a section.
    pub fn end(&mut self, section: &str) -> io::Result<()> {
        let gap = if self.binary { "\n" } else { "" };
        writeln!(self.out, "{gap}$End{section}")
    }
}
