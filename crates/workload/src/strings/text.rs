//! The text, and what is sought in it.

use crate::random::Random;

const TEXT_BYTES: usize = 64 << 10;
const VOCABULARY: u32 = 2000;
/// Words that are sought in the text.
pub const NEEDLES: usize = 6;

/// Sentences of words that are the more frequent the earlier they stand in the
/// vocabulary.
pub fn text() -> Box<[u8]> {
    let mut random = Random::new(8);
    let vocabulary: Vec<Vec<u8>> = (0..VOCABULARY).map(|_| word(&mut random)).collect();
    let mut text = Vec::with_capacity(TEXT_BYTES + 32);
    let mut begins = true;
    while text.len() < TEXT_BYTES {
        let rank = 1 + random.below(VOCABULARY);
        let rank = 1 + random.below(rank);
        let from = text.len();
        text.extend_from_slice(&vocabulary[random.below(rank) as usize]);
        if begins {
            text[from].make_ascii_uppercase();
        }
        let between = random.below(16);
        begins = between == 0;
        text.extend_from_slice(match between {
            0 => b". ",
            1 => b", ",
            2 => b"\n",
            _ => b" ",
        });
    }
    text.truncate(TEXT_BYTES);
    text.into()
}

fn word(random: &mut Random) -> Vec<u8> {
    let letters = 2 + random.below(10);
    // Some letters are more frequent than others.
    let mut letter = || {
        let common = 1 + random.below(26);
        b'a' + random.below(common) as u8
    };
    (0..letters).map(|_| letter()).collect()
}

/// Pieces of the text, of three to eight bytes.
pub fn needles(text: &[u8]) -> [Vec<u8>; NEEDLES] {
    std::array::from_fn(|index| {
        let from = TEXT_BYTES / (NEEDLES + 1) * (index + 1);
        text[from..from + 3 + index].to_vec()
    })
}
