//! Pieces shorter than a vector, for the ends of the wide loops.

/// Copies any length, one word at a time, the ends overlapping.
///
/// # Safety
/// As `CopyFn`.
#[inline]
pub unsafe fn copy(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: every access is in the first or the last `size` of `len`
    // bytes, or in a whole word between them.
    unsafe {
        match len {
            0 => {}
            1 => to.write(from.read()),
            2..4 => both_ends::<u16>(to, from, len),
            4..8 => both_ends::<u32>(to, from, len),
            _ => {
                let mut at = 0;
                while at + 8 <= len {
                    move_one::<u64>(to.add(at), from.add(at));
                    at += 8;
                }
                move_one::<u64>(to.add(len - 8), from.add(len - 8));
            }
        }
    }
}

/// # Safety
/// `len` is at least the size of `T` and at most twice that.
#[inline]
unsafe fn both_ends<T>(to: *mut u8, from: *const u8, len: usize) {
    let last = len - size_of::<T>();
    // SAFETY: by the caller's promise both pieces are inside `len`.
    unsafe {
        move_one::<T>(to, from);
        move_one::<T>(to.add(last), from.add(last));
    }
}

/// # Safety
/// Both pointers are valid for one `T`, aligned or not.
#[inline]
unsafe fn move_one<T>(to: *mut u8, from: *const u8) {
    // SAFETY: by the caller's promise; unaligned access is asked for.
    unsafe {
        to.cast::<T>()
            .write_unaligned(from.cast::<T>().read_unaligned());
    }
}

/// Fills any length byte by byte.
///
/// # Safety
/// As `FillFn`.
#[inline]
pub unsafe fn fill(to: *mut u8, value: u8, len: usize) {
    for at in 0..len {
        // SAFETY: `at` is below `len`.
        unsafe { to.add(at).write(value) };
    }
}

/// Writes the word sequence from `seed`, the last word cut where `len` ends.
///
/// # Safety
/// As `WriteFn`.
#[inline]
pub unsafe fn write(to: *mut u8, seed: u64, len: usize) {
    let mut word = seed;
    let mut at = 0;
    while at < len {
        let bytes = word.to_le_bytes();
        let piece = (len - at).min(8);
        // SAFETY: `piece` bytes from `at` end at or before `len`.
        unsafe { copy(to.add(at), bytes.as_ptr(), piece) };
        word = word.wrapping_add(1);
        at += piece;
    }
}

/// Exclusive or of the words, the last padded with zeros.
///
/// # Safety
/// As `ReadFn`.
#[inline]
pub unsafe fn read(from: *const u8, len: usize) -> u64 {
    let mut sum = 0;
    let mut at = 0;
    while at < len {
        let mut bytes = [0; 8];
        let piece = (len - at).min(8);
        // SAFETY: `piece` bytes from `at` end at or before `len`.
        unsafe { copy(bytes.as_mut_ptr(), from.add(at), piece) };
        sum ^= u64::from_le_bytes(bytes);
        at += piece;
    }
    sum
}
