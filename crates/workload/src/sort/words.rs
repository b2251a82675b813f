//! 10000 words in records of 128 bytes, 1.2 MiB of which the words are 4 %.

use super::quick::sort;
use crate::Workload;
use crate::digest::Digest;
use crate::random::Random;
use crate::unit::{Unit, program};

/// Records in a sort.
pub const COUNT: usize = 10_000;
const RECORD_BYTES: usize = 128;
/// As frequent as in a plain text; 4.3 on average.
const LENGTHS: &[u8] = &[1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6, 6, 8, 9];
const VOWELS: &[u8] = b"eeeeaaaooiiu";
const CONSONANTS: &[u8] = b"ttttnnnsssrrrhhhddllcmmfwypgbvk";

/// What the sorted words come out as; `tests` finds it with the standard library's sort.
pub const KNOWN: u64 = 0xc607_e4ff_6e77_60c7;

/// A word and bytes of 0, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record(pub [u8; RECORD_BYTES]);

impl Record {
    /// The order of `strcmp`: by bytes, up to the first 0.
    #[inline]
    pub fn is_less(&self, other: &Record) -> bool {
        for (own, others) in self.0.iter().zip(&other.0) {
            if own != others || *own == 0 {
                return own < others;
            }
        }
        false
    }
}

/// The records in their order before the sort, the same each time.
pub fn unsorted() -> Vec<Record> {
    let mut random = Random::new(4);
    (0..COUNT).map(|_| drawn(&mut random)).collect()
}

/// Consonants and vowels in turn.
fn drawn(random: &mut Random) -> Record {
    let mut pick = |letters: &[u8]| letters[random.below(letters.len() as u32) as usize];
    let length = usize::from(pick(LENGTHS));
    let mut is_vowel = length == 1 || pick(&[0, 1]) == 1;
    let mut record = Record([0; RECORD_BYTES]);
    for letter in &mut record.0[..length] {
        *letter = pick(if is_vowel { VOWELS } else { CONSONANTS });
        is_vowel = !is_vowel;
    }
    record
}

/// Of the records in their order, as far as words reach.
pub fn digest(records: &[Record]) -> u64 {
    let half = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    let all = records.iter().fold(Digest::default(), |digest, record| {
        let (halves, _) = record.0.as_chunks::<8>();
        digest.with(half(&halves[0])).with(half(&halves[1]))
    });
    all.value()
}

#[derive(Debug)]
struct Words {
    unsorted: Vec<Record>,
    records: Vec<Record>,
}

/// Makes it ready to run; the list of all programs states its unit.
pub fn build() -> Box<dyn Workload> {
    let unsorted = unsorted();
    let records = unsorted.clone();
    program(Words { unsorted, records }, KNOWN)
}

impl Unit for Words {
    fn once(&mut self) -> u64 {
        self.records.copy_from_slice(&self.unsorted);
        sort(&mut self.records, Record::is_less);
        digest(&self.records)
    }

    fn bytes(&self) -> u64 {
        2 * size_of_val(&*self.records) as u64
    }
}
