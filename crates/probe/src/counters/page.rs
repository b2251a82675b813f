//! Counters read without a system call: the page the kernel shares with the
//! counting thread, mapped; `sequence` reads what it says.

use super::reading::Times;
#[cfg(target_arch = "x86_64")]
use super::sequence::read_page;

/// The mapped page of an event of this thread.
#[derive(Debug)]
pub struct UserPage {
    #[cfg(target_arch = "x86_64")]
    mapped: x86::Mapped,
}

#[cfg(target_arch = "x86_64")]
impl UserPage {
    /// Maps the page; None where it cannot be had, then read(2) serves.
    pub fn map(event: &std::fs::File) -> Option<Self> {
        let mapped = x86::Mapped::of(event)?;
        Some(UserPage { mapped })
    }

    /// Time enabled and running, without a system call.
    pub fn read(&self) -> Option<Times> {
        read_page(self.mapped.words(), &x86::Processor)
    }
}

/// On ARM the kernel forbids it unless kernel.perf_user_access is 1, and the
/// registers are others: read(2) serves.
#[cfg(not(target_arch = "x86_64"))]
impl UserPage {
    /// No page: this processor's counters are read by system call.
    pub fn map(_event: &std::fs::File) -> Option<Self> {
        None
    }

    /// Nothing: there is no page.
    pub fn read(&self) -> Option<Times> {
        None
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use crate::counters::sequence::{Registers, Words};
    use mapped::Map;
    use std::fs::File;
    use std::os::fd::AsFd;

    /// The first page of an event's mapping.
    #[derive(Debug)]
    pub struct Mapped(Map);

    const PAGE: usize = 4096;

    impl Mapped {
        /// None where the kernel refuses it.
        pub fn of(event: &File) -> Option<Self> {
            Map::for_reading(PAGE, event.as_fd(), 0).ok().map(Mapped)
        }

        /// Its words, which the kernel changes meanwhile.
        pub fn words(&self) -> &Words {
            // SAFETY: a page, aligned, mapped until drop, of which the kernel
            // changes words at will: hence atomics.
            unsafe { self.0.base().cast().as_ref() }
        }
    }

    /// The counters of the CPU that reads them (RDPMC).
    pub struct Processor;

    impl Registers for Processor {
        fn counter(&self, index: u32) -> u64 {
            let (low, high): (u32, u32);
            // SAFETY: reads a register. The page allowed it, and named the
            // index, a moment ago; the kernel grants RDPMC to the whole
            // process for as long as the event is mapped.
            unsafe {
                core::arch::asm!("rdpmc", in("ecx") index, out("eax") low, out("edx") high,
                    options(nomem, nostack, preserves_flags));
            }
            u64::from(high) << 32 | u64::from(low)
        }

        fn stamp(&self) -> u64 {
            // SAFETY: reads a register that every x86-64 processor has.
            unsafe { core::arch::x86_64::_rdtsc() }
        }
    }
}
