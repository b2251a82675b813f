//! Numbers in the byte order of the traced machine, and texts that end at a NUL.

use crate::width::narrow;
use std::borrow::Cow;

/// Byte order of the machine that was traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Lowest byte first.
    #[default]
    Little,
    /// Highest byte first.
    Big,
}

impl Order {
    /// Of the machine that this runs on.
    pub const HERE: Order = if cfg!(target_endian = "big") {
        Order::Big
    } else {
        Order::Little
    };

    /// The bytes of a number in this order, lowest first, and back.
    #[inline]
    fn lowest_first<const N: usize>(self, mut bytes: [u8; N]) -> [u8; N] {
        if self == Order::Big {
            bytes.reverse();
        }
        bytes
    }

    /// The number that these bytes are.
    #[inline]
    pub fn u16(self, bytes: [u8; 2]) -> u16 {
        u16::from_le_bytes(self.lowest_first(bytes))
    }

    /// The number that these bytes are.
    #[inline]
    pub fn u32(self, bytes: [u8; 4]) -> u32 {
        u32::from_le_bytes(self.lowest_first(bytes))
    }

    /// The number that these bytes are.
    #[inline]
    pub fn u64(self, bytes: [u8; 8]) -> u64 {
        u64::from_le_bytes(self.lowest_first(bytes))
    }

    /// The bytes of a number.
    pub fn of_u16(self, value: u16) -> [u8; 2] {
        self.lowest_first(value.to_le_bytes())
    }

    /// The bytes of a number.
    pub fn of_u32(self, value: u32) -> [u8; 4] {
        self.lowest_first(value.to_le_bytes())
    }

    /// The bytes of a number.
    pub fn of_u64(self, value: u64) -> [u8; 8] {
        self.lowest_first(value.to_le_bytes())
    }
}

/// Reading numbers out of bytes; None past the end.
pub trait Words {
    /// The `N` bytes from `at` on.
    fn bytes_at<const N: usize>(&self, at: usize) -> Option<[u8; N]>;

    /// The 2 bytes from `at` on.
    #[inline]
    fn u16_at(&self, at: usize, order: Order) -> Option<u16> {
        Some(order.u16(self.bytes_at(at)?))
    }

    /// The 4 bytes from `at` on.
    #[inline]
    fn u32_at(&self, at: usize, order: Order) -> Option<u32> {
        Some(order.u32(self.bytes_at(at)?))
    }

    /// The 8 bytes from `at` on.
    #[inline]
    fn u64_at(&self, at: usize, order: Order) -> Option<u64> {
        Some(order.u64(self.bytes_at(at)?))
    }

    /// `size` bytes (1, 2, 4 or 8) as an unsigned number.
    #[inline]
    fn unsigned_at(&self, at: usize, size: usize, order: Order) -> Option<u64> {
        match size {
            1 => self.bytes_at(at).map(|[byte]| u64::from(byte)),
            2 => self.u16_at(at, order).map(u64::from),
            4 => self.u32_at(at, order).map(u64::from),
            8 => self.u64_at(at, order),
            _ => None,
        }
    }

    /// The same, sign-extended.
    #[inline]
    fn signed_at(&self, at: usize, size: usize, order: Order) -> Option<i64> {
        let value = self.unsigned_at(at, size, order)?;
        let unused = 64 - 8 * narrow(size);
        Some((value << unused).cast_signed() >> unused)
    }
}

impl Words for [u8] {
    #[inline]
    fn bytes_at<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.get(at..)?.first_chunk().copied()
    }
}

/// What stands before the first NUL; all where there is none.
pub fn until_nul(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    &bytes[..end]
}

/// The text before the first NUL; bytes that are no UTF-8 replaced.
pub fn text_until_nul(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(until_nul(bytes))
}

#[cfg(test)]
mod tests {
    use super::{Order, Words};

    #[test]
    fn numbers_have_the_order_and_sign_of_the_traced_machine() {
        let bytes = [0xff, 0xfe, 0x00, 0x01, 9, 9, 9, 9];
        assert_eq!(bytes.u16_at(0, Order::Little), Some(0xfeff));
        assert_eq!(bytes.u16_at(0, Order::Big), Some(0xfffe));
        assert_eq!(bytes.signed_at(0, 2, Order::Big), Some(-2));
        assert_eq!(bytes.signed_at(0, 1, Order::Little), Some(-1));
        assert_eq!(bytes.unsigned_at(0, 4, Order::Big), Some(0xfffe_0001));
        assert_eq!(bytes.u64_at(1, Order::Little), None);
        assert_eq!(bytes.unsigned_at(0, 3, Order::Little), None);
    }
}
