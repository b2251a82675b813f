//! How much a table may become in memory, looked up before it is read.
//!
//! A page says how large it is unpacked, and the parquet crate makes that much
//! room before it unpacks; equal values, thousands in a byte, make a small file
//! large without a page that is. So the pages' headers (Thrift, compact
//! protocol; parquet.thrift `PageHeader`) are walked first.

use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

/// What a table declares that it cannot hold, or that is not read into memory.
#[derive(Debug, thiserror::Error)]
pub(super) enum BoundsError {
    #[error("a row group of {rows} rows")]
    RowGroup { rows: i64 },
    #[error("its columns have more bytes than the file")]
    Columns,
    #[error("it declares {rows} rows in {bytes} bytes, at most {most} are read")]
    Rows { rows: u64, bytes: usize, most: u64 },
    #[error("column {column}: its pages lie outside the file")]
    PagesOutside { column: String },
    #[error("column {column}: a damaged page header")]
    PageHeader { column: String },
    #[error(
        "column {column}: a page of {stored} bytes declares {unpacked} bytes unpacked, \
         at most {most} are read"
    )]
    Page {
        column: String,
        stored: u64,
        unpacked: u64,
        most: u64,
    },
    #[error("column {column}: a dictionary of {unpacked} bytes declares {values} values")]
    Dictionary {
        column: String,
        unpacked: u64,
        values: i64,
    },
}

/// Of a page, unpacked. The writer ends a page at 1 MiB.
const LARGEST_PAGE_BYTES: u64 = 64 << 20;
/// No snappy stream unpacks to more than 22 bytes for one: the longest copy, 64
/// bytes, takes three.
const SNAPPY_RATIO: u64 = 22;
/// Of a short page, which may have more header than content.
const SMALL_PAGE_BYTES: u64 = 1 << 16;
/// Rows for each byte of the file. Tables have 5 to 40 bytes for each row.
const ROWS_PER_BYTE: u64 = 4;
/// Rows that every file may have.
const FEW_ROWS: u64 = 1 << 16;
/// Structs in structs in a page header; the format has two.
const DEEPEST: u32 = 8;

/// Refuses a file that would take more memory than its size explains.
///
/// # Errors
/// What is declared, and what is allowed.
pub(super) fn check(metadata: &ParquetMetaData, bytes: &[u8]) -> Result<(), BoundsError> {
    let most = (bytes.len() as u64)
        .saturating_mul(ROWS_PER_BYTE)
        .saturating_add(FEW_ROWS);
    let mut rows: u64 = 0;
    // Columns that lie in the same place are walked, and unpacked, once each.
    let mut stored: u64 = 0;
    for group in metadata.row_groups() {
        let num_rows = group.num_rows();
        let declared =
            u64::try_from(num_rows).map_err(|_| BoundsError::RowGroup { rows: num_rows })?;
        rows = rows.saturating_add(declared);
        for chunk in group.columns() {
            stored = stored.saturating_add(u64::try_from(chunk.compressed_size()).unwrap_or(0));
            if stored > bytes.len() as u64 {
                return Err(BoundsError::Columns);
            }
            check_pages(chunk, bytes)?;
        }
    }
    if rows > most {
        return Err(BoundsError::Rows {
            rows,
            bytes: bytes.len(),
            most,
        });
    }
    Ok(())
}

fn check_pages(chunk: &ColumnChunkMetaData, bytes: &[u8]) -> Result<(), BoundsError> {
    let column = || chunk.column_path().to_string();
    let wrong = || BoundsError::PagesOutside { column: column() };
    // Where the crate begins to read; it takes negative places for large ones.
    let first = chunk
        .dictionary_page_offset()
        .unwrap_or_else(|| chunk.data_page_offset());
    let at = usize::try_from(first).map_err(|_| wrong())?;
    let length = usize::try_from(chunk.compressed_size()).map_err(|_| wrong())?;
    let end = at.checked_add(length).ok_or_else(wrong)?;
    let mut rest = bytes.get(at..end).ok_or_else(wrong)?;
    while !rest.is_empty() {
        let mut thrift = Thrift { rest };
        let header = PageHeader::read(&mut thrift)
            .ok_or_else(|| BoundsError::PageHeader { column: column() })?;
        header.check(chunk)?;
        let stored = usize::try_from(header.stored_bytes).map_err(|_| wrong())?;
        rest = thrift.rest.get(stored..).ok_or_else(wrong)?;
    }
    Ok(())
}

#[derive(Default)]
struct PageHeader {
    unpacked_bytes: i64,
    stored_bytes: i64,
    /// Of a dictionary, which is unpacked into an array at once.
    dictionary_values: i64,
}

impl PageHeader {
    fn read(thrift: &mut Thrift<'_>) -> Option<PageHeader> {
        let mut header = PageHeader::default();
        let mut id = 0;
        loop {
            match (thrift.field(&mut id)?, id) {
                (kind::END, _) => return Some(header),
                (kind::I32, 2) => header.unpacked_bytes = thrift.zigzag()?,
                (kind::I32, 3) => header.stored_bytes = thrift.zigzag()?,
                (kind::STRUCT, 7) => header.dictionary_values = first_number(thrift)?,
                (kind, _) => thrift.skip(kind, DEEPEST)?,
            }
        }
    }

    fn check(&self, chunk: &ColumnChunkMetaData) -> Result<(), BoundsError> {
        let size = |bytes: i64| u64::try_from(bytes).unwrap_or(u64::MAX);
        let (unpacked, stored) = (size(self.unpacked_bytes), size(self.stored_bytes));
        let most = stored
            .saturating_mul(SNAPPY_RATIO)
            .saturating_add(SMALL_PAGE_BYTES)
            .min(LARGEST_PAGE_BYTES);
        let column = chunk.column_path().to_string();
        if unpacked > most {
            return Err(BoundsError::Page {
                column,
                stored,
                unpacked,
                most,
            });
        }
        if size(self.dictionary_values) > unpacked {
            return Err(BoundsError::Dictionary {
                column,
                unpacked,
                values: self.dictionary_values,
            });
        }
        Ok(())
    }
}

/// Field 1 of a struct, where it is a number; the rest is skipped.
fn first_number(thrift: &mut Thrift<'_>) -> Option<i64> {
    let (mut id, mut found) = (0, 0);
    loop {
        match (thrift.field(&mut id)?, id) {
            (kind::END, _) => return Some(found),
            (kind::I32, 1) => found = thrift.zigzag()?,
            (kind, _) => thrift.skip(kind, DEEPEST)?,
        }
    }
}

/// Kinds of fields, as the protocol numbers them; a field of kind 0 is the struct's end.
mod kind {
    /// Ends a structure.
    pub const END: u8 = 0;
    /// What a bool takes in a list.
    pub const BYTE: u8 = 3;
    /// A zigzag number.
    pub const I32: u8 = 5;
    /// A structure in a structure.
    pub const STRUCT: u8 = 12;
}

/// A reader of the compact protocol; None wherever the bytes are none of it.
struct Thrift<'a> {
    rest: &'a [u8],
}

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn pass(&mut self, bytes: usize) -> Option<()> {
        self.rest = self.rest.get(bytes..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// The next field's kind, its number in `id`.
    fn field(&mut self, id: &mut i64) -> Option<u8> {
        let byte = self.byte()?;
        if byte == kind::END {
            return Some(kind::END);
        }
        *id = match byte >> 4 {
            0 => self.zigzag()?,
            delta => id.checked_add(i64::from(delta))?,
        };
        // With a number an end is none.
        Some(byte & 0xf).filter(|kind| *kind != kind::END)
    }

    /// None for maps and what the format has no number for: no page header has them.
    fn skip(&mut self, kind: u8, deeper: u32) -> Option<()> {
        let deeper = deeper.checked_sub(1)?;
        match kind {
            // Bools, which are their kind.
            1 | 2 => Some(()),
            kind::BYTE => self.pass(1),
            // Whole numbers.
            4..=6 => self.varint().map(drop),
            // A double.
            7 => self.pass(8),
            // Bytes or a text.
            8 => {
                let length = self.varint()?;
                self.pass(usize::try_from(length).ok()?)
            }
            // Lists and sets.
            9 | 10 => self.skip_list(deeper),
            kind::STRUCT => {
                let mut id = 0;
                loop {
                    match self.field(&mut id)? {
                        kind::END => return Some(()),
                        kind => self.skip(kind, deeper)?,
                    }
                }
            }
            _ => None,
        }
    }

    fn skip_list(&mut self, deeper: u32) -> Option<()> {
        let head = self.byte()?;
        let kind = match head & 0xf {
            1 | 2 => kind::BYTE,
            known @ (3..=10 | kind::STRUCT) => known,
            _ => return None,
        };
        let count = match head >> 4 {
            15 => self.varint()?,
            few => u64::from(few),
        };
        for _ in 0..count {
            self.skip(kind, deeper)?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(bytes: &[u8]) -> Option<PageHeader> {
        PageHeader::read(&mut Thrift { rest: bytes })
    }

    /// A hundred columns of one place are a hundred times its pages.
    #[test]
    fn columns_share_no_bytes_of_the_file() {
        use parquet::file::reader::{FileReader, SerializedFileReader};
        let table = include_bytes!("../../../../fixtures/records/v1-small/copy-memcpy.parquet");
        let file = SerializedFileReader::new(bytes::Bytes::from_static(table)).unwrap();
        let metadata = file.metadata().clone();
        check(&metadata, table).unwrap();
        let mut builder = metadata.into_builder();
        let groups = builder.take_row_groups();
        let place = groups[0].column(0).clone();
        let many = table.len() / usize::try_from(place.compressed_size()).unwrap() + 1;
        let metadata = builder
            .set_row_groups(vec![groups[0].clone(); many])
            .build();
        let cause = check(&metadata, table).unwrap_err().to_string();
        assert_eq!(cause, "its columns have more bytes than the file");
    }

    #[test]
    fn a_page_header_is_read_in_either_form_of_its_fields() {
        // type 0, 300 bytes unpacked, 20 stored, data_page_header{5 values}.
        let short = [0x15, 0, 0x15, 0xd8, 4, 0x15, 40, 0x2c, 0x15, 10, 0, 0];
        let read = header(&short).unwrap();
        assert_eq!((read.unpacked_bytes, read.stored_bytes), (300, 20));
        // The same with each field's number written out, and a dictionary of 9.
        let long = [5, 2, 0, 5, 4, 0xd8, 4, 5, 6, 40, 12, 14, 0x15, 18, 0, 0];
        let read = header(&long).unwrap();
        assert_eq!((read.unpacked_bytes, read.stored_bytes), (300, 20));
        assert_eq!(read.dictionary_values, 9);
    }

    #[test]
    fn what_is_not_known_is_passed_by() {
        // A text of two bytes as field 11, and the end behind it.
        let bytes = [
            0x15, 0, 0x15, 0xd8, 4, 0x15, 40, 0x2c, 0x15, 10, 0, 0x68, 2, 0xff, 0xff, 0,
        ];
        assert_eq!(header(&bytes).map(|h| h.unpacked_bytes), Some(300));
    }

    /// As the protocol has it: 0, -1, 1, -2, 2 ...
    #[test]
    fn signs_alternate() {
        let read = |bytes: &[u8]| Thrift { rest: bytes }.zigzag();
        let first: Vec<Option<i64>> = (0..5u8).map(|b| read(&[b])).collect();
        assert_eq!(first, [0, -1, 1, -2, 2].map(Some));
        assert_eq!(read(&[0xff, 0x01]), Some(-128));
        assert_eq!(read(&[]), None);
    }

    #[test]
    fn what_is_no_header_is_none_and_costs_nothing() {
        for bytes in [
            &[][..],
            &[0x15],
            &[0x15, 0xff],
            &[0x1b, 1],
            &[0x18, 0xff, 0xff, 3],
            // Text of three bytes, two of which are there.
            &[0x15, 0, 0x15, 2, 0x15, 2, 0x18, 3, 1, 2],
        ] {
            assert!(header(bytes).is_none(), "{bytes:x?}");
        }
        // Structs without end, and a list of 2^60 structs.
        assert!(header(&[0x1c; 4000]).is_none());
        let list = [
            0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,
        ];
        assert!(header(&list).is_none());
    }
}
