//! Words and arrays of a VTK legacy file, as text or binary.

use super::grid::Fault;
use crate::ReadError;
use crate::cursor::Order;
use crate::numbers::{Array, NumberType};
use crate::scan::{DAMAGED, Scanner, shown};

/// The type of the entries of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataType {
    Number(NumberType),
    /// Eight to a byte in binary files.
    Bit,
    Text,
}

impl DataType {
    fn of(word: &[u8]) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_slice() {
            b"bit" => Self::Bit,
            b"string" => Self::Text,
            b"char" | b"signed_char" | b"vtktypeint8" => Self::Number(NumberType::I8),
            b"unsigned_char" | b"vtktypeuint8" => Self::Number(NumberType::U8),
            b"short" | b"vtktypeint16" => Self::Number(NumberType::I16),
            b"unsigned_short" | b"vtktypeuint16" => Self::Number(NumberType::U16),
            // VTK writes its index type as 32-bit integers here.
            b"int" | b"vtkidtype" | b"vtktypeint32" => Self::Number(NumberType::I32),
            b"unsigned_int" | b"vtktypeuint32" => Self::Number(NumberType::U32),
            b"long" | b"vtktypeint64" => Self::Number(NumberType::I64),
            b"unsigned_long" | b"vtktypeuint64" => Self::Number(NumberType::U64),
            b"float" | b"vtktypefloat32" => Self::Number(NumberType::F32),
            b"double" | b"vtktypefloat64" => Self::Number(NumberType::F64),
            _ => return None,
        })
    }
}

/// A cursor over a file of either encoding.
pub(super) struct Data<'a> {
    pub scan: Scanner<'a>,
    pub binary: bool,
}

impl<'a> Data<'a> {
    /// The next word, which must exist.
    pub fn word(&mut self, what: &str) -> Result<&'a [u8], ReadError> {
        match self.scan.word() {
            Some(word) => Ok(word),
            None => Err(self.error(format!("the file ends where {what} is expected"))),
        }
    }

    pub fn count(&mut self, what: &str) -> Result<usize, ReadError> {
        let word = self.word(what)?;
        let value = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
        value.ok_or_else(|| self.error(format!("expected {what}, found `{}`", shown(word))))
    }

    pub fn data_type(&mut self) -> Result<DataType, ReadError> {
        let word = self.word("a data type")?;
        DataType::of(word).ok_or_else(|| self.error(format!("`{}` is no data type", shown(word))))
    }

    /// The type of numbers that are needed.
    pub fn number_type(&mut self) -> Result<NumberType, ReadError> {
        match self.data_type()? {
            DataType::Number(number) => Ok(number),
            other => Err(self.error(format!("numbers are expected, not {other:?}"))),
        }
    }

    /// The next `rows` times `columns` numbers; the cursor is in the line before them.
    pub fn numbers(
        &mut self,
        rows: usize,
        columns: usize,
        number: NumberType,
    ) -> Result<Array<'a>, ReadError> {
        let count = rows.checked_mul(columns).ok_or_else(|| self.too_many())?;
        if self.binary {
            self.scan.skip_line();
            let bytes = self.take(count.checked_mul(number.size()).ok_or_else(|| self.too_many())?)?;
            return Ok(Array::Binary { bytes: bytes.into(), number, order: Order::Big });
        }
        Ok(Array::Text(self.words(count)?))
    }

    /// Numbers of which none may be cut short. In text, the last digits of the last number of a file could be
    /// missing without a trace, so a blank or line end must follow.
    pub fn whole_numbers(
        &mut self,
        rows: usize,
        columns: usize,
        number: NumberType,
    ) -> Result<Array<'a>, ReadError> {
        let array = self.numbers(rows, columns, number)?;
        if !self.binary && rows > 0 && self.scan.remaining() == 0 {
            let cause = "the file ends right behind a number, which may be cut".to_string();
            let remedy = "export it again, or add a line end if it is whole";
            return Err(ReadError::At { line: self.scan.line(), cause, remedy });
        }
        Ok(array)
    }

    /// An array without its first number, which must be zero.
    pub fn after_first(&self, array: Array<'a>) -> Result<Array<'a>, ReadError> {
        let not_zero = || self.error("the first offset is not zero".to_string());
        match array {
            Array::Text(text) => {
                let mut scan = Scanner::new(text);
                let zero = scan.word().is_some_and(|word| word == b"0");
                if zero { Ok(Array::Text(&text[scan.offset()..])) } else { Err(not_zero()) }
            }
            Array::Binary { bytes, number, order } => {
                let size = number.size();
                let zero =
                    bytes.slice(0..size).and_then(|first| Some(first.bytes().ok()?.iter().all(|&b| b == 0)));
                match bytes.slice(size..bytes.len()) {
                    Some(bytes) if zero == Some(true) => Ok(Array::Binary { bytes, number, order }),
                    _ => Err(not_zero()),
                }
            }
        }
    }

    /// Passes over an array of any type.
    pub fn skip(&mut self, rows: usize, columns: usize, data: DataType) -> Result<(), ReadError> {
        let count = rows.checked_mul(columns).ok_or_else(|| self.too_many())?;
        match data {
            DataType::Number(number) => self.numbers(rows, columns, number).map(|_| ()),
            DataType::Bit if self.binary => {
                self.scan.skip_line();
                self.take(count.div_ceil(8)).map(|_| ())
            }
            DataType::Bit => self.words(count).map(|_| ()),
            DataType::Text => self.skip_texts(count),
        }
    }

    /// Texts take a line each, or are led by their length, whose two highest bits are its own size.
    fn skip_texts(&mut self, count: usize) -> Result<(), ReadError> {
        self.scan.skip_line();
        for _ in 0..count {
            if !self.binary {
                if self.scan.remaining() == 0 {
                    return Err(self.error("the file ends within texts".to_string()));
                }
                self.scan.skip_line();
                continue;
            }
            let first = self.take(1)?[0];
            let more = [7, 3, 1, 0][usize::from(first >> 6)];
            let rest = self.take(more)?;
            let length = rest.iter().fold(u64::from(first & 0x3f), |n, &b| (n << 8) | u64::from(b));
            self.take(usize::try_from(length).map_err(|_| self.too_many())?)?;
        }
        Ok(())
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], ReadError> {
        match self.scan.take(count) {
            Some(bytes) => Ok(bytes),
            None => Err(self.error("the file ends within an array".to_string())),
        }
    }

    /// The text of the next `count` words.
    fn words(&mut self, count: usize) -> Result<&'a [u8], ReadError> {
        let start = self.scan.offset();
        for _ in 0..count {
            self.word("a number")?;
        }
        Ok(self.scan.since(start))
    }

    fn too_many(&self) -> ReadError {
        self.error("an array is larger than any file".to_string())
    }

    /// An error at the cursor, for a damaged file.
    pub fn error(&self, cause: String) -> ReadError {
        self.error_with(cause, DAMAGED)
    }

    pub fn fault(&self, fault: Fault) -> ReadError {
        self.error_with(fault.cause, fault.remedy)
    }

    pub fn error_with(&self, cause: String, remedy: &'static str) -> ReadError {
        if self.binary {
            ReadError::AtByte { offset: self.scan.offset(), cause, remedy }
        } else {
            ReadError::At { line: self.scan.line(), cause, remedy }
        }
    }
}
