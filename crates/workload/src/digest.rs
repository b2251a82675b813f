//! One number for a result, so that two can be compared.

use crate::WrongResult;

/// FNV-1a over 64-bit words: the order counts, and so does every bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// The digest with one more word.
    #[must_use]
    pub fn with(self, word: u64) -> Self {
        Digest((self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3))
    }

    /// The number, with the high half folded in.
    pub fn value(self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

/// Of bytes, eight at a time.
pub fn of_bytes(bytes: &[u8]) -> u64 {
    let word = |piece: &[u8]| {
        let mut padded = [0u8; 8];
        padded[..piece.len()].copy_from_slice(piece);
        u64::from_le_bytes(padded)
    };
    let digest = bytes
        .chunks(8)
        .fold(Digest::default(), |d, piece| d.with(word(piece)));
    digest.with(bytes.len() as u64).value()
}

/// Holds the results of all units against the known one.
#[derive(Debug, Clone, Copy)]
pub struct Ledger {
    known: u64,
    units: u64,
    first_wrong: Option<(u64, u64)>,
}

impl Ledger {
    /// A ledger that holds every unit against `known`.
    pub fn expecting(known: u64) -> Ledger {
        Ledger {
            known,
            units: 0,
            first_wrong: None,
        }
    }

    /// Enters the result of one unit.
    pub fn enter(&mut self, result: u64) {
        if result != self.known && self.first_wrong.is_none() {
            self.first_wrong = Some((self.units, result));
        }
        self.units += 1;
    }

    /// # Errors
    /// Names the first unit that came out otherwise.
    pub fn verify(&self) -> Result<(), WrongResult> {
        match self.first_wrong {
            None => Ok(()),
            Some((unit, result)) => Err(WrongResult::new(format!(
                "unit {unit} came out as {result:#018x}, not {:#018x}",
                self.known
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ledger, of_bytes};

    #[test]
    fn every_byte_its_place_and_the_length_count() {
        let bytes = [1u8, 2, 3, 4, 5, 6, 7, 8, 9];
        let whole = of_bytes(&bytes);
        for at in 0..bytes.len() {
            let mut other = bytes;
            other[at] ^= 0x80;
            assert_ne!(of_bytes(&other), whole, "{at}");
        }
        assert_ne!(of_bytes(&[0]), of_bytes(&[0, 0]));
    }

    #[test]
    fn the_first_wrong_unit_is_named() {
        let mut ledger = Ledger::expecting(7);
        ledger.enter(7);
        assert_eq!(ledger.verify(), Ok(()));
        ledger.enter(8);
        ledger.enter(9);
        let wrong = ledger.verify().unwrap_err();
        assert!(
            wrong
                .to_string()
                .starts_with("unit 1 came out as 0x0000000000000008")
        );
    }
}
