//! The wide loops, written once for every vector instruction set.
//!
//! A file that uses `vector_kernels!` provides, for its vector type: `WIDTH`
//! in bytes, `load` and `store_any` (unaligned), `store4` and `stream4` (four
//! vectors to an aligned place, through the caches or around them), `xor`,
//! `add`, `splat_byte`, `splat_word`, `ramp` (a word and its successors),
//! `fold` (exclusive or of the lanes) and `drain` (streamed stores become visible
//! in order).
//!
//! Shape of every loop that writes: one unaligned vector at the front, aligned
//! blocks of four vectors, single vectors, one unaligned vector that ends where
//! the range ends. Front and end overlap their neighbours and write the same
//! bytes twice: cheaper than any loop over bytes. Turns are counted by `opaque`, so that each
//! build has the same loop.

/// How far ahead of the loop the prefetching kernels ask for lines, bytes. Far
/// enough to cover a memory access at tens of GB/s, near enough to still be in
/// the first level when the loop arrives.
pub const PREFETCH_AHEAD: usize = 1024;

macro_rules! vector_kernels {
    ($feature:literal) => {
        /// The widest vectors, plain loads and stores.
        pub const PLAIN: Kernels = Kernels {
            copy: Some(copy),
            fill: Some(fill),
            write: Some(write),
            read: Some(read),
        };

        /// The same with stores past the caches.
        pub const NON_TEMPORAL: Kernels = Kernels {
            copy: Some(copy_streaming),
            fill: Some(fill_streaming),
            write: Some(write_streaming),
            read: None,
        };

        /// The same with prefetches ahead.
        pub const PREFETCHING: Kernels = Kernels {
            copy: Some(copy_prefetching),
            fill: Some(fill_prefetching),
            write: Some(write_prefetching),
            read: Some(read_prefetching),
        };

        const BLOCK: usize = 4 * WIDTH;

        #[inline]
        fn fetch_read(at: *const u8) {
            prefetch::to_read::<BLOCK>(at);
        }
        #[inline]
        fn fetch_write(at: *const u8) {
            prefetch::to_write::<BLOCK>(at);
        }
        #[inline]
        fn leave(_: *const u8) {}
        #[inline]
        fn done() {}

        copy_kernel!(copy, $feature, store4, leave, leave, done);
        copy_kernel!(copy_streaming, $feature, stream4, fetch_read, leave, drain);
        copy_kernel!(
            copy_prefetching,
            $feature,
            store4,
            fetch_read,
            fetch_write,
            done
        );
        fill_kernel!(fill, $feature, store4, leave, done);
        fill_kernel!(fill_streaming, $feature, stream4, leave, drain);
        fill_kernel!(fill_prefetching, $feature, store4, fetch_write, done);
        write_kernel!(write, $feature, store4, leave, done);
        write_kernel!(write_streaming, $feature, stream4, leave, drain);
        write_kernel!(write_prefetching, $feature, store4, fetch_write, done);
        read_kernel!(read, $feature, leave);
        read_kernel!(read_prefetching, $feature, fetch_read);
    };
}

macro_rules! copy_kernel {
    ($name:ident, $feature:literal, $store4:ident, $fetch_from:ident, $fetch_to:ident, $end:ident) => {
        /// # Safety
        /// As `CopyFn`, on a processor that has the instruction set.
        #[target_feature(enable = $feature)]
        unsafe fn $name(to: *mut u8, from: *const u8, len: usize) {
            // SAFETY: `front` is at most WIDTH, which is at most `len` here;
            // blocks and vectors stay inside `len`; the last store ends there.
            unsafe {
                if len < WIDTH {
                    return small::copy(to, from, len);
                }
                let front = WIDTH - to as usize % WIDTH;
                store_any(to, load(from));
                let (mut out, mut into) = (to.add(front), from.add(front));
                let body = len - front;
                let mut left = body / BLOCK;
                while left != 0 {
                    left = opaque(left - 1);
                    $fetch_from(into.wrapping_add(PREFETCH_AHEAD));
                    $fetch_to(out.wrapping_add(PREFETCH_AHEAD));
                    let a = load(into);
                    let b = load(into.add(WIDTH));
                    let c = load(into.add(2 * WIDTH));
                    let d = load(into.add(3 * WIDTH));
                    $store4(out, a, b, c, d);
                    out = out.add(BLOCK);
                    into = into.add(BLOCK);
                }
                for _ in 0..body % BLOCK / WIDTH {
                    store_any(out, load(into));
                    out = out.add(WIDTH);
                    into = into.add(WIDTH);
                }
                store_any(to.add(len - WIDTH), load(from.add(len - WIDTH)));
                $end();
            }
        }
    };
}

macro_rules! fill_kernel {
    ($name:ident, $feature:literal, $store4:ident, $fetch_to:ident, $end:ident) => {
        /// # Safety
        /// As `FillFn`, on a processor that has the instruction set.
        #[target_feature(enable = $feature)]
        unsafe fn $name(to: *mut u8, value: u8, len: usize) {
            // SAFETY: as for the copying loop.
            unsafe {
                if len < WIDTH {
                    return small::fill(to, value, len);
                }
                let v = splat_byte(value);
                let front = WIDTH - to as usize % WIDTH;
                store_any(to, v);
                let mut out = to.add(front);
                let body = len - front;
                let mut left = body / BLOCK;
                while left != 0 {
                    left = opaque(left - 1);
                    $fetch_to(out.wrapping_add(PREFETCH_AHEAD));
                    $store4(out, v, v, v, v);
                    out = out.add(BLOCK);
                }
                for _ in 0..body % BLOCK / WIDTH {
                    store_any(out, v);
                    out = out.add(WIDTH);
                }
                store_any(to.add(len - WIDTH), v);
                $end();
            }
        }
    };
}

macro_rules! write_kernel {
    ($name:ident, $feature:literal, $store4:ident, $fetch_to:ident, $end:ident) => {
        /// Words are placed from the start of the range, so the wide stores
        /// are aligned only when the start can be brought there in words. A
        /// start off the word grid is left to the narrow loop.
        ///
        /// # Safety
        /// As `WriteFn`, on a processor that has the instruction set.
        #[target_feature(enable = $feature)]
        unsafe fn $name(to: *mut u8, seed: u64, len: usize) {
            let front = (to as usize).wrapping_neg() % WIDTH;
            // SAFETY: `front` and the blocks after it stay inside `len`; the
            // narrow loops take exactly what is left.
            unsafe {
                if front % 8 != 0 || len < front + BLOCK {
                    return small::write(to, seed, len);
                }
                small::write(to, seed, front);
                let mut out = to.add(front);
                let mut word = seed.wrapping_add((front / 8) as u64);
                let lanes = (WIDTH / 8) as u64;
                let mut a = ramp(word);
                let mut b = ramp(word.wrapping_add(lanes));
                let mut c = ramp(word.wrapping_add(2 * lanes));
                let mut d = ramp(word.wrapping_add(3 * lanes));
                let step = splat_word(4 * lanes);
                let body = len - front;
                let mut left = body / BLOCK;
                while left != 0 {
                    left = opaque(left - 1);
                    $fetch_to(out.wrapping_add(PREFETCH_AHEAD));
                    $store4(out, a, b, c, d);
                    a = add(a, step);
                    b = add(b, step);
                    c = add(c, step);
                    d = add(d, step);
                    out = out.add(BLOCK);
                }
                word = word.wrapping_add(4 * lanes * (body / BLOCK) as u64);
                small::write(out, word, body % BLOCK);
                $end();
            }
        }
    };
}

macro_rules! read_kernel {
    ($name:ident, $feature:literal, $fetch_from:ident) => {
        /// # Safety
        /// As `ReadFn`, on a processor that has the instruction set.
        #[target_feature(enable = $feature)]
        unsafe fn $name(from: *const u8, len: usize) -> u64 {
            // SAFETY: whole blocks stay inside `len`, the narrow loop takes
            // what is left.
            unsafe {
                let zero = splat_byte(0);
                let (mut a, mut b, mut c, mut d) = (zero, zero, zero, zero);
                let mut into = from;
                let mut left = len / BLOCK;
                while left != 0 {
                    left = opaque(left - 1);
                    $fetch_from(into.wrapping_add(PREFETCH_AHEAD));
                    a = xor(a, load(into));
                    b = xor(b, load(into.add(WIDTH)));
                    c = xor(c, load(into.add(2 * WIDTH)));
                    d = xor(d, load(into.add(3 * WIDTH)));
                    into = into.add(BLOCK);
                }
                let wide = fold(xor(xor(a, b), xor(c, d)));
                wide ^ small::read(into, len % BLOCK)
            }
        }
    };
}
