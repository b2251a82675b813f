//! `events/header_page`: how a page of the ring begins.

use super::field::Field;
use crate::error::{Result, TraceError, ensure};

/// Where the parts of a page lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLayout {
    /// Of the u64 with the stamp that the page begins at.
    pub stamp_at: usize,
    /// Of the word with the bytes in use and the flags, and its size.
    pub commit_at: usize,
    /// Bytes of that word: those of a long.
    pub commit_bytes: usize,
    /// Of the first event.
    pub data_at: usize,
}

impl PageLayout {
    /// That of kernels with longs of this size.
    pub fn usual(long_bytes: u8) -> PageLayout {
        let commit_bytes = usize::from(long_bytes);
        PageLayout {
            stamp_at: 0,
            commit_at: 8,
            commit_bytes,
            data_at: 8 + commit_bytes,
        }
    }

    /// # Errors
    /// Where a part is missing.
    pub fn parse(text: &str) -> Result<PageLayout> {
        let fields: Vec<Field> = Field::lines(text)
            .filter_map(|(_, rest)| Field::parse(rest.trim_start()))
            .collect();
        let find = |name: &str| {
            let found = fields.iter().find(|f| f.name == name);
            found.ok_or_else(|| {
                TraceError::malformed("header_page", format!("it has no field {name}"))
            })
        };
        let (stamp, commit, data) = (find("timestamp")?, find("commit")?, find("data")?);
        let possible = stamp.size == 8 && matches!(commit.size, 4 | 8);
        ensure(possible, "header_page", || {
            format!("stamps of {} bytes, lengths of {}", stamp.size, commit.size)
        })?;
        Ok(PageLayout {
            stamp_at: stamp.offset,
            commit_at: commit.offset,
            commit_bytes: commit.size,
            data_at: data.offset,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::PageLayout;

    const OF_64_BITS: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
        \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
        \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\
        \tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

    #[test]
    fn the_layout_is_the_texts() {
        assert_eq!(PageLayout::parse(OF_64_BITS).unwrap(), PageLayout::usual(8));
        let of_32_bits = OF_64_BITS
            .replace("commit;\toffset:8;\tsize:8", "commit;\toffset:8;\tsize:4")
            .replace("offset:16;\tsize:4080", "offset:12;\tsize:4084");
        assert_eq!(
            PageLayout::parse(&of_32_bits).unwrap(),
            PageLayout::usual(4)
        );
        assert!(PageLayout::parse("").is_err());
    }
}
