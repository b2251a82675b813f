//! Columns that are written from a row and read back into one: each is said once, in a
//! table of the row's type, in the order of the file.

use super::cell::{Cell, ColumnKind};
use super::column_reader::{
    TableFault, all_set, doubles, ints, longs, nullable_doubles, nullable_ints, texts, wrong_type,
};
use parquet::file::reader::RowGroupReader;

/// How a cell is got of a row, and put into a row that is being read.
pub(super) enum Stored<R> {
    U16(fn(&R) -> u16, fn(&mut R, u16)),
    U32(fn(&R) -> u32, fn(&mut R, u32)),
    U64(fn(&R) -> u64, fn(&mut R, u64)),
    /// A size, which axes have signed.
    Size(fn(&R) -> u64, fn(&mut R, u64)),
    OptU32(fn(&R) -> Option<u32>, fn(&mut R, Option<u32>)),
    OptU64(fn(&R) -> Option<u64>, fn(&mut R, Option<u64>)),
    Double(fn(&R) -> f64, fn(&mut R, f64)),
    OptDouble(fn(&R) -> Option<f64>, fn(&mut R, Option<f64>)),
    OptText(fn(&R) -> Option<&str>, fn(&mut R, Option<String>)),
    /// From a fixed list; what is put is `None` where the list does not have it.
    Word(fn(&R) -> &str, fn(&mut R, &str) -> Option<()>),
}

/// A field of the row in both directions, by its path.
macro_rules! field {
    ($kind:ident, $($path:ident).+) => {
        Stored::$kind(|row| row.$($path).+, |row, value| row.$($path).+ = value)
    };
}
pub(super) use field;

impl<R: Clone + Default> Stored<R> {
    /// What Parquet stores it as.
    pub fn kind(&self) -> ColumnKind {
        match self {
            Stored::U16(..) => ColumnKind::Unsigned16,
            Stored::U32(..) | Stored::OptU32(..) => ColumnKind::Unsigned32,
            Stored::U64(..) | Stored::OptU64(..) => ColumnKind::Unsigned64,
            Stored::Size(..) => ColumnKind::Signed64,
            Stored::Double(..) | Stored::OptDouble(..) => ColumnKind::Double,
            Stored::OptText(..) | Stored::Word(..) => ColumnKind::Text,
        }
    }

    /// Whether a row may have no value in it.
    pub fn is_nullable(&self) -> bool {
        use Stored::{OptDouble, OptText, OptU32, OptU64};
        matches!(self, OptU32(..) | OptU64(..) | OptDouble(..) | OptText(..))
    }

    /// Its value in a row.
    pub fn cell<'r>(&self, row: &'r R) -> Cell<'r> {
        match self {
            Stored::U16(get, _) => u32::from(get(row)).into(),
            Stored::U32(get, _) => get(row).into(),
            Stored::U64(get, _) | Stored::Size(get, _) => get(row).into(),
            Stored::OptU32(get, _) => get(row).into(),
            Stored::OptU64(get, _) => get(row).into(),
            Stored::Double(get, _) => Cell::Double(get(row)),
            Stored::OptDouble(get, _) => get(row).map_or(Cell::Null, Cell::Double),
            Stored::OptText(get, _) => get(row).into(),
            Stored::Word(get, _) => get(row).into(),
        }
    }

    /// Puts the column `name` of a group into its rows, which the first column makes.
    pub fn read(
        &self,
        group: &dyn RowGroupReader,
        name: &'static str,
        rows: &mut Vec<R>,
    ) -> Result<(), TableFault> {
        match self {
            Stored::U16(_, set) => {
                let values: Result<Vec<_>, _> =
                    ints(group, name)?.into_iter().map(u16::try_from).collect();
                let values = values.map_err(|_| wrong_type(name, "numbers of 16 bits"))?;
                put(rows, values, set);
            }
            Stored::U32(_, set) => put(rows, ints(group, name)?, |r, v| set(r, v.cast_unsigned())),
            Stored::U64(_, set) | Stored::Size(_, set) => {
                let values = all_set(name, longs(group, name)?)?;
                put(rows, values, |r, v| set(r, v.cast_unsigned()));
            }
            Stored::OptU32(_, set) => {
                let values = nullable_ints(group, name)?;
                put(rows, values, |r, v| set(r, v.map(i32::cast_unsigned)));
            }
            Stored::OptU64(_, set) => {
                let values = longs(group, name)?;
                put(rows, values, |r, v| set(r, v.map(i64::cast_unsigned)));
            }
            Stored::Double(_, set) => put(rows, doubles(group, name)?, set),
            Stored::OptDouble(_, set) => put(rows, nullable_doubles(group, name)?, set),
            Stored::OptText(_, set) => put(rows, texts(group, name)?, set),
            Stored::Word(_, set) => {
                let words = all_set(name, texts(group, name)?)?;
                let mut known = Some(());
                put(rows, words, |r, word| known = known.and(set(r, &word)));
                known.ok_or_else(|| wrong_type(name, "the words it may hold"))?;
            }
        }
        Ok(())
    }
}

fn put<R: Clone + Default, T>(rows: &mut Vec<R>, values: Vec<T>, mut set: impl FnMut(&mut R, T)) {
    rows.resize(values.len(), R::default());
    for (row, value) in rows.iter_mut().zip(values) {
        set(row, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use parquet::data_type::Int32Type;
    use parquet::file::reader::FileReader;
    use parquet::file::serialized_reader::SerializedFileReader;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    fn file(cpu: i32) -> Bytes {
        let schema = parse_message_type("message m { REQUIRED INT32 cpu; }").unwrap();
        let mut bytes = Vec::new();
        let properties = Arc::default();
        let mut file = SerializedFileWriter::new(&mut bytes, Arc::new(schema), properties).unwrap();
        let mut group = file.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let cells = column.typed::<Int32Type>();
        cells.write_batch(&[cpu], None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        file.close().unwrap();
        bytes.into()
    }

    #[test]
    fn a_number_beyond_16_bits_is_damage_and_not_another_number() {
        let cpu: Stored<u16> = Stored::U16(|row| *row, |row, value| *row = value);
        let read = |value| {
            let reader = SerializedFileReader::new(file(value)).unwrap();
            let mut rows = Vec::new();
            cpu.read(&*reader.get_row_group(0).unwrap(), "cpu", &mut rows)
                .map(|()| rows)
                .map_err(|fault| fault.to_string())
        };
        assert_eq!(read(65_535), Ok(vec![65_535]));
        for wrong in [65_536 + 7, -1] {
            let cause = "column cpu does not hold numbers of 16 bits";
            assert_eq!(read(wrong), Err(cause.to_owned()));
        }
    }
}
