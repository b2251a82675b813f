//! Numbers and texts of a file or of a section, one behind the other; whatever is
//! missing is named. Nothing is believed of a size before the file has it.

use super::Stretch;
use super::limits::{Budget, NAME_BYTES};
use crate::bytes::Order;
use crate::error::{Result, TraceError, ensure};
use crate::width::index;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

/// Read at once where numbers stand one behind the other.
const AHEAD_BYTES: usize = 64 << 10;

#[derive(Debug, Clone, Copy)]
enum Source<'a> {
    Bytes(&'a [u8]),
    File(&'a File),
}

/// Reads a file from front to back, within limits.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    source: Source<'a>,
    end: u64,
    at: u64,
    pub order: Order,
    pub budget: &'a Budget,
    /// What was read ahead, and where it begins.
    ahead: Vec<u8>,
    ahead_at: u64,
}

impl<'a> Reader<'a> {
    /// Of a file that has `length` bytes now.
    pub fn of_file(file: &'a File, length: u64, budget: &'a Budget) -> Reader<'a> {
        Reader::new(Source::File(file), length, Order::Little, budget)
    }

    /// Of bytes in memory; what is kept is taken from `budget`.
    pub fn of_bytes(bytes: &'a [u8], order: Order, budget: &'a Budget) -> Reader<'a> {
        Reader::new(Source::Bytes(bytes), bytes.len() as u64, order, budget)
    }

    fn new(source: Source<'a>, end: u64, order: Order, budget: &'a Budget) -> Reader<'a> {
        Reader {
            source,
            end,
            at: 0,
            order,
            budget,
            ahead: Vec::new(),
            ahead_at: 0,
        }
    }

    /// The same bytes, from elsewhere.
    pub fn elsewhere(&self, what: &str, offset: u64) -> Result<Reader<'a>> {
        ensure(offset <= self.end, what, || {
            format!("it should start at {offset} of {}", self.end)
        })?;
        Ok(Reader {
            at: offset,
            ..Reader::new(self.source, self.end, self.order, self.budget)
        })
    }

    /// Passes bytes that are there, and says where they begin.
    fn pass(&mut self, what: &str, count: u64) -> Result<u64> {
        let rest = self.end - self.at;
        ensure(count <= rest, what, || {
            format!("the file ends {} bytes too early", count - rest)
        })?;
        let begin = self.at;
        self.at += count;
        Ok(begin)
    }

    fn fill(&self, what: &str, at: u64, buffer: &mut [u8]) -> Result<()> {
        let filled = match self.source {
            Source::Bytes(bytes) => (&bytes[index(at)..]).read_exact(buffer),
            Source::File(file) => file.read_exact_at(buffer, at),
        };
        filled.map_err(|error| TraceError::unread(what, &error))
    }

    /// So many bytes of a description.
    pub fn bytes(&mut self, what: &str, count: u64) -> Result<Vec<u8>> {
        let begin = self.pass(what, count)?;
        self.budget.take(what, count)?;
        let mut bytes = vec![0; index(count)];
        self.fill(what, begin, &mut bytes)?;
        Ok(bytes)
    }

    /// A few bytes, out of what was read ahead.
    pub fn few<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let begin = self.pass(what, N as u64)?;
        let held = |reader: &Reader<'_>| {
            let from = usize::try_from(begin.checked_sub(reader.ahead_at)?).ok()?;
            reader.ahead.get(from..)?.first_chunk().copied()
        };
        if let Some(few) = held(self) {
            return Ok(few);
        }
        let mut ahead = std::mem::take(&mut self.ahead);
        ahead.resize(index(self.end - begin).min(AHEAD_BYTES.max(N)), 0);
        self.fill(what, begin, &mut ahead)?;
        (self.ahead, self.ahead_at) = (ahead, begin);
        held(self).ok_or_else(|| TraceError::malformed(what, "the file ends in it"))
    }

    /// The next byte; `what` names it in an error.
    pub fn u8(&mut self, what: &str) -> Result<u8> {
        Ok(self.few::<1>(what)?[0])
    }

    /// The next 16 bits; `what` names them in an error.
    pub fn u16(&mut self, what: &str) -> Result<u16> {
        let few = self.few(what)?;
        Ok(self.order.u16(few))
    }

    /// The next 32 bits; `what` names them in an error.
    pub fn u32(&mut self, what: &str) -> Result<u32> {
        let few = self.few(what)?;
        Ok(self.order.u32(few))
    }

    /// The next 64 bits; `what` names them in an error.
    pub fn u64(&mut self, what: &str) -> Result<u64> {
        let few = self.few(what)?;
        Ok(self.order.u64(few))
    }

    /// Where the pages of a CPU lie.
    pub fn stretch(&mut self, cpu: u32) -> Result<Stretch> {
        Ok(Stretch {
            cpu,
            offset: self.u64("place of a CPU's pages")?,
            bytes: self.u64("size of a CPU's pages")?,
        })
    }

    /// A name up to a NUL, which is passed.
    pub fn text(&mut self, what: &str) -> Result<String> {
        let mut bytes = Vec::new();
        loop {
            match self.u8(what)? {
                0 => return Ok(owned_text(bytes)),
                byte => bytes.push(byte),
            }
            ensure(bytes.len() <= NAME_BYTES, what, || {
                format!("it has no end within {NAME_BYTES} bytes")
            })?;
        }
    }

    /// A number of 4 or 8 bytes, and that many bytes of text.
    pub fn sized_text(&mut self, what: &str, size_bytes: usize) -> Result<String> {
        let size = match size_bytes {
            4 => u64::from(self.u32(what)?),
            _ => self.u64(what)?,
        };
        Ok(owned_text(self.bytes(what, size)?))
    }

    /// As [`Reader::sized_text`], of a list whose lines become entries in memory.
    pub fn sized_lines(&mut self, what: &str, size_bytes: usize) -> Result<String> {
        let text = self.sized_text(what, size_bytes)?;
        self.budget.parts(what, text.lines().count() as u64)?;
        Ok(text)
    }

    /// Words that have to stand here.
    pub fn expect<const N: usize>(&mut self, word: &[u8; N]) -> Result<()> {
        let what = String::from_utf8_lossy(word)
            .trim_end_matches('\0')
            .to_owned();
        let found: [u8; N] = self.few(&what)?;
        ensure(found == *word, what, || {
            format!("found {:?} instead", String::from_utf8_lossy(&found))
        })
    }

    /// The next `count` bytes as a stream; this one goes on behind them.
    pub fn stream(&mut self, what: &str, count: u64) -> Result<io::BufReader<Stream<'a>>> {
        let at = self.pass(what, count)?;
        let stream = Stream {
            source: self.source,
            at,
            end: at + count,
        };
        Ok(io::BufReader::with_capacity(AHEAD_BYTES, stream))
    }
}

/// Bytes that are no UTF-8 replaced; a long text is not copied for it.
fn owned_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Bytes that are read as they are needed.
#[derive(Debug)]
pub struct Stream<'a> {
    source: Source<'a>,
    at: u64,
    end: u64,
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = index(self.end - self.at).min(buffer.len());
        let buffer = &mut buffer[..most];
        let read = match self.source {
            Source::Bytes(bytes) => (&bytes[index(self.at)..]).read(buffer)?,
            Source::File(file) => file.read_at(buffer, self.at)?,
        };
        self.at += read as u64;
        Ok(read)
    }
}
