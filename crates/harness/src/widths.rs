//! Fields of the C library whose width depends on the architecture: times,
//! limits and sizes have 32 bits on 32-bit ARM.

/// As 64 bits; what is negative counts as 0.
pub fn whole(field: impl TryInto<u64>) -> u64 {
    field.try_into().unwrap_or(0)
}

/// The descriptor that a system call returned; None where it failed.
pub fn descriptor(returned: impl TryInto<i32>) -> Option<i32> {
    returned.try_into().ok().filter(|fd| *fd >= 0)
}

#[cfg(test)]
mod tests {
    use super::{descriptor, whole};

    #[test]
    fn every_width_is_taken_and_negatives_are_nothing() {
        assert_eq!(whole(7_i32), 7);
        assert_eq!(whole(u32::MAX), 4_294_967_295);
        assert_eq!(whole(u64::MAX), u64::MAX);
        assert_eq!(whole(-1_i64), 0);
    }

    #[test]
    fn a_failed_call_has_no_descriptor() {
        assert_eq!(descriptor(3_i64), Some(3));
        assert_eq!(descriptor(-1_i32), None);
        assert_eq!(descriptor(i64::MAX), None);
    }
}
