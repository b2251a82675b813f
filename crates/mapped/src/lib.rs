//! Memory maps that go with their owner: the one place that calls mmap(2), but for
//! experiments whose operation it is.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
// With 64 bits: on armv7 types of the C library are narrower than elsewhere.
#![cfg_attr(
    all(not(test), target_pointer_width = "64"),
    deny(clippy::cast_possible_truncation)
)]

use libc::c_int;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;

const READ_WRITE: c_int = libc::PROT_READ | libc::PROT_WRITE;

/// A mapping, unmapped on drop. A child that was forked has one of its own and unmaps
/// that. Hands out pointers only: whoever dereferences them answers for the order of
/// the accesses, and for none outliving the map.
#[derive(Debug)]
pub struct Map {
    /// What mmap returned; larger than what is used where an alignment was asked for.
    region: NonNull<u8>,
    region_bytes: usize,
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: memory is bound to no thread, and nothing but pointers is handed out.
unsafe impl Send for Map {}
// SAFETY: as above.
unsafe impl Sync for Map {}

impl Map {
    /// Memory of zeros for this process alone, not touched yet.
    ///
    /// # Errors
    /// As mmap(2): a length of 0 is `EINVAL`.
    pub fn private(bytes: usize) -> io::Result<Map> {
        Map::new(bytes, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, None)
    }

    /// Memory of zeros that children forked from now on see too. Its pages are there
    /// already: a fault in a measurement would be counted with it.
    ///
    /// # Errors
    /// As mmap(2).
    pub fn shared(bytes: usize) -> io::Result<Map> {
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_POPULATE;
        Map::new(bytes, flags, None)
    }

    /// The first bytes of a file, for reading and writing, shared.
    ///
    /// # Errors
    /// As mmap(2).
    pub fn of_file(bytes: usize, file: BorrowedFd<'_>) -> io::Result<Map> {
        Map::new(bytes, libc::MAP_SHARED, Some(file))
    }

    /// Memory for reading and writing with these `MAP_` flags, of a file or, with
    /// `MAP_ANONYMOUS`, of none.
    ///
    /// # Errors
    /// As mmap(2).
    pub fn new(bytes: usize, flags: c_int, file: Option<BorrowedFd<'_>>) -> io::Result<Map> {
        Map::whole(made(0, bytes, READ_WRITE, flags, file, 0)?, bytes)
    }

    /// Bytes of a file from `offset` on, shared, for reading only.
    ///
    /// # Errors
    /// As mmap(2); an offset that no file has is `EINVAL`.
    pub fn for_reading(bytes: usize, file: BorrowedFd<'_>, offset: u64) -> io::Result<Map> {
        let start = made(
            0,
            bytes,
            libc::PROT_READ,
            libc::MAP_SHARED,
            Some(file),
            offset,
        )?;
        Map::whole(start, bytes)
    }

    /// Private memory of zeros at this address, its pages there already.
    ///
    /// # Errors
    /// As mmap(2); `EEXIST` where the address is in use.
    pub fn at(address: usize, bytes: usize) -> io::Result<Map> {
        // Kernels before 4.17 do not know MAP_FIXED_NOREPLACE and take another place.
        let flags = libc::MAP_PRIVATE
            | libc::MAP_ANONYMOUS
            | libc::MAP_FIXED_NOREPLACE
            | libc::MAP_POPULATE;
        let map = Map::whole(made(address, bytes, READ_WRITE, flags, None, 0)?, bytes)?;
        match map.base.as_ptr() as usize == address {
            true => Ok(map),
            false => Err(io::Error::other("the kernel chose another place")),
        }
    }

    /// Private memory of zeros that begins at a multiple of `align`, a power of two.
    /// What lies around it is reserved, never touched, and so costs no memory.
    ///
    /// # Errors
    /// As mmap(2).
    pub fn aligned(bytes: usize, align: usize) -> io::Result<Map> {
        Map::reserved(bytes, align, READ_WRITE)
    }

    fn reserved(bytes: usize, align: usize, protection: c_int) -> io::Result<Map> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let region_bytes = bytes.checked_add(align).ok_or(io::ErrorKind::OutOfMemory)?;
        let region = made(0, region_bytes, protection, flags, None, 0)?;
        let mut map = Map::whole(region, region_bytes)?;
        // SAFETY: the shift is below `align`, so `bytes` from there stay inside.
        map.base = unsafe { map.region.add(map.region.align_offset(align)) };
        map.bytes = bytes;
        Ok(map)
    }

    /// As `aligned`, with the first bytes of a file in the place of the zeros, shared.
    ///
    /// # Errors
    /// As mmap(2).
    pub fn of_file_aligned(bytes: usize, align: usize, file: BorrowedFd<'_>) -> io::Result<Map> {
        // Without access: memory that may be written is charged, strict overcommit or not.
        let map = Map::reserved(bytes, align, libc::PROT_NONE)?;
        let (at, flags) = (map.base.as_ptr(), libc::MAP_SHARED | libc::MAP_FIXED);
        // This replaces our own range, to which there is no other pointer yet.
        made(at as usize, bytes, READ_WRITE, flags, Some(file), 0)?;
        Ok(map)
    }

    fn whole(region: *mut libc::c_void, bytes: usize) -> io::Result<Map> {
        let region = NonNull::new(region.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Map {
            region,
            region_bytes: bytes,
            base: region,
            bytes,
        })
    }

    /// First byte, at a page or at the alignment asked for.
    #[inline]
    pub fn base(&self) -> NonNull<u8> {
        self.base
    }

    /// First byte, for writing through.
    #[inline]
    pub fn as_ptr(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// Bytes that were asked for.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// madvise(2) over the whole of it.
    ///
    /// # Errors
    /// As madvise(2).
    ///
    /// # Safety
    /// If the advice drops contents, nothing relies on them.
    pub unsafe fn advise(&self, advice: c_int) -> io::Result<()> {
        // SAFETY: the range is our own; the caller answers for its contents.
        match unsafe { libc::madvise(self.as_ptr().cast(), self.bytes, advice) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: made by mmap with this length, and unmapped once.
        unsafe { libc::munmap(self.region.as_ptr().cast(), self.region_bytes) };
    }
}

/// Fixed addresses are for ranges of our own.
fn made(
    address: usize,
    bytes: usize,
    protection: c_int,
    flags: c_int,
    file: Option<BorrowedFd<'_>>,
    offset: u64,
) -> io::Result<*mut libc::c_void> {
    let fd = file.map_or(-1, |file| file.as_raw_fd());
    let offset =
        libc::off64_t::try_from(offset).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))?;
    let at = std::ptr::without_provenance_mut(address);
    // SAFETY: at an address of the kernel's choice, at one that is refused if in use,
    // or inside a region that is ours.
    let got = unsafe { libc::mmap64(at, bytes, protection, flags, fd, offset) };
    match got == libc::MAP_FAILED {
        true => Err(io::Error::last_os_error()),
        false => Ok(got),
    }
}

#[cfg(test)]
mod tests {
    use super::Map;
    use std::io::Write;
    use std::os::fd::AsFd;

    #[test]
    fn zeros_that_can_be_written_at_an_alignment() {
        let map = Map::aligned(8192, 1 << 21).unwrap();
        assert_eq!(map.as_ptr().align_offset(1 << 21), 0);
        // SAFETY: both bytes lie inside.
        unsafe {
            assert_eq!(map.as_ptr().add(8191).read(), 0);
            map.as_ptr().add(8191).write(7);
            assert_eq!(map.as_ptr().add(8191).read(), 7);
        }
        assert_eq!(map.bytes(), 8192);
    }

    #[test]
    fn the_bytes_of_a_file_are_those_behind_the_pointer() {
        let path = std::env::temp_dir().join(format!("pontage-mapped-{}", std::process::id()));
        let mut file = std::fs::File::create_new(&path).unwrap();
        file.write_all(&[9; 8192]).unwrap();
        let file = std::fs::File::options()
            .read(true)
            .write(true)
            .open(&path)
            .unwrap();
        std::fs::remove_file(&path).unwrap();
        let whole = Map::of_file(8192, file.as_fd()).unwrap();
        let aligned = Map::of_file_aligned(4096, 1 << 21, file.as_fd()).unwrap();
        // SAFETY: inside of the maps.
        unsafe {
            aligned.as_ptr().write_volatile(3);
            assert_eq!(whole.as_ptr().read_volatile(), 3);
            assert_eq!(whole.as_ptr().add(8191).read_volatile(), 9);
        }
        let page = Map::for_reading(4096, file.as_fd(), 4096).unwrap();
        // SAFETY: as above.
        assert_eq!(unsafe { page.as_ptr().read_volatile() }, 9);
    }

    #[test]
    fn what_cannot_be_mapped_says_why() {
        let none = Map::private(0).map(|_| ()).unwrap_err();
        assert_eq!(none.raw_os_error(), Some(libc::EINVAL));
        assert!(Map::private(usize::MAX / 2).is_err());
        let taken = Map::private(4096).unwrap();
        assert!(Map::at(taken.as_ptr() as usize, 4096).is_err());
    }
}
