//! Numbers and texts of a file, one behind the other; whatever is missing is
//! named.

use crate::bytes::{Order, Words};
use crate::error::{Result, TraceError};

#[derive(Debug, Clone)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    pub order: Order,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8], order: Order) -> Reader<'a> {
        Reader {
            bytes,
            at: 0,
            order,
        }
    }

    /// The same bytes, from elsewhere.
    pub fn elsewhere(&self, what: &str, offset: u64) -> Result<Reader<'a>> {
        let at = usize::try_from(offset).ok();
        let at = at.filter(|at| *at <= self.bytes.len());
        let at = at.ok_or_else(|| {
            let cause = format!("it should begin at {offset} of {}", self.bytes.len());
            TraceError::malformed(what, cause)
        })?;
        Ok(Reader { at, ..self.clone() })
    }

    pub fn bytes(&mut self, what: &str, count: usize) -> Result<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..count).ok_or_else(|| {
            let cause = format!("the file ends {} bytes before its end", count - rest.len());
            TraceError::malformed(what, cause)
        })?;
        self.at += count;
        Ok(taken)
    }

    pub fn u8(&mut self, what: &str) -> Result<u8> {
        Ok(self.bytes(what, 1)?[0])
    }

    pub fn u16(&mut self, what: &str) -> Result<u16> {
        let order = self.order;
        Ok(self.bytes(what, 2)?.u16_at(0, order).unwrap_or(0))
    }

    pub fn u32(&mut self, what: &str) -> Result<u32> {
        let order = self.order;
        Ok(self.bytes(what, 4)?.u32_at(0, order).unwrap_or(0))
    }

    pub fn u64(&mut self, what: &str) -> Result<u64> {
        let order = self.order;
        Ok(self.bytes(what, 8)?.u64_at(0, order).unwrap_or(0))
    }

    /// Up to a NUL, which is passed.
    pub fn text(&mut self, what: &str) -> Result<String> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|b| *b == 0);
        let end = end.ok_or_else(|| TraceError::malformed(what, "the file ends in it"))?;
        self.at += end + 1;
        Ok(String::from_utf8_lossy(&rest[..end]).into_owned())
    }

    /// A number of 4 or 8 bytes, and that many bytes of text.
    pub fn sized_text(&mut self, what: &str, size_bytes: usize) -> Result<String> {
        let size = match size_bytes {
            4 => u64::from(self.u32(what)?),
            _ => self.u64(what)?,
        };
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let bytes = self.bytes(what, size)?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    /// Words that have to stand here.
    pub fn expect(&mut self, word: &[u8]) -> Result<()> {
        let what = String::from_utf8_lossy(word)
            .trim_end_matches('\0')
            .to_owned();
        let found = self.bytes(&what, word.len())?;
        if found == word {
            return Ok(());
        }
        let found = String::from_utf8_lossy(found).into_owned();
        Err(TraceError::malformed(
            what,
            format!("{found:?} stands in its place"),
        ))
    }
}
