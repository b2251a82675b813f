//! Whole numbers as C has them: int and long, with and without a sign.

use crate::width::{low_word, narrow};

/// A value with its type; what is smaller than an int has become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// Sign- or zero-extended from its type.
    value: i64,
    pub unsigned: bool,
    /// 64 bits instead of 32.
    pub wide: bool,
}

impl Number {
    /// Bits with the type that C gives them.
    pub fn new(bits: u64, unsigned: bool, wide: bool) -> Number {
        let value = match (wide, unsigned) {
            (true, _) => bits.cast_signed(),
            (false, true) => i64::from(low_word(bits)),
            (false, false) => i64::from(low_word(bits).cast_signed()),
        };
        Number {
            value,
            unsigned,
            wide,
        }
    }

    /// 1 or 0, as C compares.
    pub fn truth(yes: bool) -> Number {
        Number::new(u64::from(yes), false, false)
    }

    /// `bytes` of `bits`, as a field or after a cast.
    pub fn sized(bits: u64, bytes: usize, signed: bool) -> Number {
        let unused = 64 - 8 * narrow(bytes.clamp(1, 8));
        let bits = match signed {
            true => ((bits << unused).cast_signed() >> unused).cast_unsigned(),
            false => bits << unused >> unused,
        };
        // Smaller types become int, which holds all their values.
        Number::new(bits, !signed && bytes >= 4, bytes == 8)
    }

    /// Its bits.
    pub fn bits(self) -> u64 {
        self.value.cast_unsigned()
    }

    /// Whether it is not 0.
    pub fn is_true(self) -> bool {
        self.value != 0
    }

    /// Its negative, of its type.
    pub fn negated(self) -> Number {
        Number::new(self.bits().wrapping_neg(), self.unsigned, self.wide)
    }

    /// Its complement, of its type.
    pub fn inverted(self) -> Number {
        Number::new(!self.bits(), self.unsigned, self.wide)
    }
}

/// An operator between two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    Multiply,
    Divide,
    Rest,
    Add,
    Subtract,
    Left,
    Right,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    Unequal,
    And,
    Differ,
    Or,
    BothTrue,
    OneTrue,
}

impl Binary {
    /// None for a division by zero. The lazy ones are not decided here.
    pub fn apply(self, a: Number, b: Number) -> Option<Number> {
        if matches!(self, Binary::Left | Binary::Right) {
            return Some(shifted(self == Binary::Left, a, b));
        }
        let wide = a.wide || b.wide;
        let unsigned = [a, b].iter().any(|n| n.unsigned && n.wide == wide);
        let (a, b) = (
            Number::new(a.bits(), unsigned, wide),
            Number::new(b.bits(), unsigned, wide),
        );
        let (x, y) = (a.bits(), b.bits());
        let (i, j) = (a.value, b.value);
        // Both are of the same type, and comparing bits does for unsigned ones.
        let order = if unsigned { x.cmp(&y) } else { i.cmp(&j) };
        let bits = match self {
            Binary::Multiply => x.wrapping_mul(y),
            Binary::Divide if unsigned => x.checked_div(y)?,
            Binary::Divide => (j != 0).then(|| i.wrapping_div(j))?.cast_unsigned(),
            Binary::Rest if unsigned => x.checked_rem(y)?,
            Binary::Rest => (j != 0).then(|| i.wrapping_rem(j))?.cast_unsigned(),
            Binary::Add => x.wrapping_add(y),
            Binary::Subtract => x.wrapping_sub(y),
            Binary::And => x & y,
            Binary::Differ => x ^ y,
            Binary::Or => x | y,
            Binary::Less => return Some(Number::truth(order.is_lt())),
            Binary::LessOrEqual => return Some(Number::truth(order.is_le())),
            Binary::Greater => return Some(Number::truth(order.is_gt())),
            Binary::GreaterOrEqual => return Some(Number::truth(order.is_ge())),
            Binary::Equal => return Some(Number::truth(order.is_eq())),
            Binary::Unequal => return Some(Number::truth(order.is_ne())),
            Binary::BothTrue => return Some(Number::truth(a.is_true() && b.is_true())),
            Binary::OneTrue => return Some(Number::truth(a.is_true() || b.is_true())),
            Binary::Left | Binary::Right => unreachable!("done above"),
        };
        Some(Number::new(bits, unsigned, wide))
    }
}

/// Shifts keep the type of what is shifted. Too far shifts everything out,
/// where C leaves it open.
fn shifted(left: bool, a: Number, b: Number) -> Number {
    let by = u32::try_from(b.value).unwrap_or(64).min(64);
    let bits = match (left, a.unsigned) {
        (true, _) => a.bits().checked_shl(by).unwrap_or(0),
        (false, true) => a.bits().checked_shr(by).unwrap_or(0),
        (false, false) => (a.value >> by.min(63)).cast_unsigned(),
    };
    Number::new(bits, a.unsigned, a.wide)
}

#[cfg(test)]
mod tests {
    use super::{Binary, Number};

    const INT: fn(i32) -> Number = |n| Number::sized(n as u64, 4, true);
    const UNSIGNED: fn(u32) -> Number = |n| Number::sized(u64::from(n), 4, false);

    #[test]
    fn types_are_c_s() {
        let less = |a, b| Binary::Less.apply(a, b).unwrap().is_true();
        assert!(less(INT(-1), INT(1)));
        // -1 becomes the largest unsigned int.
        assert!(!less(INT(-1), UNSIGNED(1)));
        // A long holds all unsigned ints.
        assert!(less(Number::sized(u64::MAX, 8, true), UNSIGNED(1)));
        let sum = Binary::Add
            .apply(INT(1), Number::sized(1 << 40, 8, true))
            .unwrap();
        assert_eq!(sum.bits(), (1 << 40) + 1);
        let difference = Binary::Subtract.apply(UNSIGNED(1), UNSIGNED(2)).unwrap();
        assert_eq!(difference.bits(), 0xffff_ffff);
        assert_eq!(Number::sized(0x1ff, 1, true).bits(), u64::MAX);
        assert!(!Number::sized(0xff, 1, false).unsigned);
        assert_eq!(INT(5).inverted().bits(), !5);
        assert_eq!(UNSIGNED(5).negated().bits(), 0xffff_fffb);
    }

    #[test]
    fn the_largest_unsigned_number_is_not_minus_one() {
        for (most, of) in [
            (u64::MAX, Number::sized(u64::MAX, 8, false)),
            (u64::from(u32::MAX), UNSIGNED(u32::MAX)),
        ] {
            let ten = Number::sized(10, if of.wide { 8 } else { 4 }, true);
            let bits = |operator: Binary| operator.apply(of, ten).unwrap().bits();
            assert_eq!(bits(Binary::Divide), most / 10);
            assert_eq!(bits(Binary::Rest), most % 10);
        }
        assert_eq!(Binary::Rest.apply(INT(-7), INT(4)), Some(INT(-3)));
    }

    #[test]
    fn what_c_leaves_open_ends_well() {
        assert_eq!(Binary::Divide.apply(INT(1), INT(0)), None);
        assert_eq!(Binary::Rest.apply(UNSIGNED(1), UNSIGNED(0)), None);
        let most = Number::sized(i64::MIN as u64, 8, true);
        assert!(Binary::Divide.apply(most, INT(-1)).is_some());
        assert_eq!(Binary::Left.apply(UNSIGNED(1), INT(77)).unwrap().bits(), 0);
        assert_eq!(
            Binary::Right.apply(INT(-8), INT(1)).unwrap().bits(),
            -4i64 as u64
        );
    }
}
