//! Anonymous memory whose page size was checked.

use super::buffer::page_bytes;
use harness::{Context, Measured, SetupError, Simulated};
use machine::smaps;
use machine::tunable::{COMPACT_MEMORY, THP_BYTES, THP_ENABLED};
use mapped::Map;
use record::axis::human_bytes;
use std::ptr::NonNull;

/// Share of a mapping that must be in huge pages for it to count as such.
const HUGE_ENOUGH: f64 = 0.95;

/// Which pages back a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// The kernel's base pages (4 KiB on most machines), huge pages refused.
    Base,
    /// Transparent huge pages.
    Thp,
}

impl Pages {
    /// Words of a `pages` axis.
    pub const WORDS: &'static [&'static str] = &["base", "thp"];

    /// Reads a word of `WORDS`; the plan has refused any other.
    pub fn from_word(word: &str) -> Self {
        if word == "thp" {
            Pages::Thp
        } else {
            Pages::Base
        }
    }
}

/// A private anonymous mapping, touched, of known page size, unmapped on drop.
#[derive(Debug)]
pub struct Mapping {
    map: Map,
    page_bytes: usize,
    note: String,
    measured: Measured,
}

impl Mapping {
    /// Maps and touches `len` bytes, aligned to the page kind asked for.
    ///
    /// # Errors
    /// `Skip` when memory or huge pages are not to be had here, `Fail` when
    /// the kernel refuses an ordinary request.
    pub fn new(len: usize, pages: Pages, context: &Context) -> Result<Self, SetupError> {
        let mut mapping = Mapping::untouched(len, pages, context)?;
        if mapping.simulated().is_none() {
            mapping.touch(page_bytes());
            mapping.note = mapping.check_pages(pages)?;
        }
        Ok(mapping)
    }

    /// Maps as many bytes without touching them: for a few elements far apart. Which pages
    /// they got is not checked.
    ///
    /// # Errors
    /// As `new`.
    pub fn untouched(len: usize, pages: Pages, context: &Context) -> Result<Self, SetupError> {
        if let Some(machine) = context.measured.in_numbers() {
            return Mapping::in_numbers(len, pages, machine, context);
        }
        let base_page = page_bytes();
        let align = match pages {
            Pages::Base => base_page,
            Pages::Thp => thp_bytes()?,
        };
        let rounded = len.max(1).next_multiple_of(align);
        fits(rounded, context)?;
        let map = Map::aligned(rounded, align).map_err(|cause| {
            let doing = format!("map {}", human_bytes((rounded + align) as u64));
            SetupError::fail(&doing, cause)
        })?;
        let mapping = Mapping {
            map,
            page_bytes: align,
            note: "only pages that hold an element are touched".to_owned(),
            measured: Measured::default(),
        };
        mapping.advise(pages)?;
        Ok(mapping)
    }

    /// Memory that stands for memory of a simulated machine.
    fn in_numbers(
        len: usize,
        pages: Pages,
        machine: &dyn Simulated,
        context: &Context,
    ) -> Result<Self, SetupError> {
        let page = match pages {
            Pages::Base => base_page_bytes(context),
            Pages::Thp => machine.huge_page_bytes().ok_or_else(|| {
                SetupError::skip(
                    "the simulated machine has no huge pages",
                    "none: its description says so",
                )
            })?,
        };
        let rounded = len.max(1).next_multiple_of(page);
        fits(rounded, context)?;
        let map = Map::aligned(rounded, page.max(page_bytes()))
            .map_err(|cause| SetupError::fail("map memory", cause))?;
        machine.map(map.as_ptr() as usize, rounded, pages == Pages::Thp);
        Ok(Mapping {
            map,
            page_bytes: page,
            note: "memory of a simulated machine".to_owned(),
            measured: context.measured.clone(),
        })
    }

    /// The simulated machine that it is memory of, if any.
    pub fn simulated(&self) -> Option<&dyn Simulated> {
        self.measured.in_numbers()
    }

    /// In transparent huge pages where they are to be had, else in base pages.
    ///
    /// # Errors
    /// As `new` of base pages.
    pub fn huge_if_possible(len: usize, context: &Context) -> Result<Self, SetupError> {
        Mapping::new(len, Pages::Thp, context).or_else(|_| Mapping::new(len, Pages::Base, context))
    }

    /// All of it.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: mapped, touched, and borrowed for as long.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr(), self.len()) }
    }

    /// All of it, to be written.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and held exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.map.as_ptr(), self.len()) }
    }

    /// First byte; aligned to `page_bytes`.
    pub fn base(&self) -> NonNull<u8> {
        self.map.base()
    }

    /// Usable bytes: what was asked for, rounded up to whole pages.
    pub fn len(&self) -> usize {
        self.map.bytes()
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of one page of the kind that was obtained.
    pub fn page_bytes(&self) -> usize {
        self.page_bytes
    }

    /// What was obtained, for the notes of a point.
    pub fn note(&self) -> &str {
        &self.note
    }

    fn advise(&self, pages: Pages) -> Result<(), SetupError> {
        let advice = match pages {
            Pages::Base => libc::MADV_NOHUGEPAGE,
            Pages::Thp => libc::MADV_HUGEPAGE,
        };
        // SAFETY: neither word drops contents.
        match (unsafe { self.map.advise(advice) }, pages) {
            (Ok(()), _) => Ok(()),
            // A kernel built without THP knows neither word and gives base
            // pages anyway.
            (Err(cause), Pages::Base) if cause.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            (Err(cause), _) => Err(SetupError::fail("advise the kernel on page size", cause)),
        }
    }

    /// Has the kernel give every page, so that no page fault is left for the timed part: all
    /// at once where it can (5.14 and later), else page after page, by writing into each.
    fn touch(&mut self, base_page: usize) {
        // SAFETY: the word gives pages and leaves what they hold.
        if unsafe { self.map.advise(libc::MADV_POPULATE_WRITE) }.is_ok() {
            return;
        }
        for offset in (0..self.len()).step_by(base_page) {
            // SAFETY: offset < len, inside our own writable mapping.
            unsafe { self.map.as_ptr().add(offset).write_volatile(0) };
        }
    }

    fn check_pages(&self, pages: Pages) -> Result<String, SetupError> {
        let huge = smaps::own()
            .and_then(|text| smaps::anon_huge_bytes(&text, self.map.as_ptr() as usize, self.len()));
        let of = human_bytes(self.len() as u64);
        match (pages, huge) {
            (Pages::Base, Some(0)) => Ok(format!(
                "pages of {} (0 of {of} huge)",
                human_bytes(self.page_bytes as u64)
            )),
            (Pages::Base, Some(got)) => Err(SetupError::skip(
                format!(
                    "{} of {of} are in huge pages although base pages were requested",
                    human_bytes(got as u64)
                ),
                THP_ENABLED.set("madvise"),
            )),
            (Pages::Base, None) => {
                Ok("page size not verified: /proc/self/smaps cannot be read".to_owned())
            }
            (Pages::Thp, Some(got)) if got as f64 >= HUGE_ENOUGH * self.len() as f64 => {
                Ok(format!("huge pages: {} of {of}", human_bytes(got as u64)))
            }
            (Pages::Thp, got) => Err(SetupError::skip(
                format!(
                    "only {} of {of} are in huge pages",
                    human_bytes(got.unwrap_or(0) as u64)
                ),
                COMPACT_MEMORY.set(1),
            )),
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if let Some(machine) = self.measured.in_numbers() {
            machine.unmap(self.map.as_ptr() as usize);
        }
    }
}

/// Bytes of a base page of the machine that is measured.
pub fn base_page_bytes(context: &Context) -> usize {
    let said = usize::try_from(context.card.page_bytes).unwrap_or(0);
    match context.measured.in_numbers() {
        Some(_) if said.is_power_of_two() => said,
        _ => page_bytes(),
    }
}

/// Refuses a set that would push the machine into swap.
///
/// # Errors
/// `Skip` with both figures.
pub fn fits(bytes: usize, context: &Context) -> Result<(), SetupError> {
    let available = context.memory_available_bytes;
    if bytes as u64 <= available {
        return Ok(());
    }
    Err(SetupError::skip(
        format!(
            "{} are needed and {} are available",
            human_bytes(bytes as u64),
            human_bytes(available)
        ),
        format!("free some memory, or limit the axis: --axis size=..{available}"),
    ))
}

/// Refuses buffers that together take `times` the size and more than half of the
/// available memory; `what` names them in the message, after their bytes.
///
/// # Errors
/// `Skip` with both figures.
pub fn leaves_half(
    size: usize,
    times: u64,
    what: &str,
    context: &Context,
) -> Result<(), SetupError> {
    let wanted = (size as u64).saturating_mul(times);
    let limit = context.memory_available_bytes / 2;
    if wanted <= limit {
        return Ok(());
    }
    let (wanted, limits) = (human_bytes(wanted), human_bytes(limit));
    Err(SetupError::skip(
        format!("{wanted} {what} are needed, and at most {limits} may be used"),
        format!("--axis size=1..{}", limit / times),
    ))
}

/// Bytes of one transparent huge page, or why there are none.
fn thp_bytes() -> Result<usize, SetupError> {
    let enabled = THP_ENABLED.word().ok_or_else(|| {
        SetupError::skip(
            "this kernel has no transparent huge pages",
            "boot a kernel built with CONFIG_TRANSPARENT_HUGEPAGE",
        )
    })?;
    if enabled.contains("[never]") {
        return Err(SetupError::skip(
            "transparent huge pages are switched off",
            THP_ENABLED.set("madvise"),
        ));
    }
    // The file is younger than the switch; 2 MiB was the only size where it is missing.
    Ok(THP_BYTES
        .value()
        .filter(|s: &usize| s.is_power_of_two())
        .unwrap_or(2 << 20))
}
