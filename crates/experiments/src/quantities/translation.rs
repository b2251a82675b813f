//! Translation buffers (TLBs) and page walks.

use analysis::inference::{Agreement, Fooler, Kind, Makes, Method, Quantity};
use record::Unit;
use record::axis::human_bytes;

pub(crate) const PAGES: &str = "pages";
pub(crate) const APART: &str = "pages_apart";
pub(crate) const BASE_PAGES: &str = "base_pages";

const BY_PAGES: Method = Method {
    name: PAGES,
    kind: Kind::Sweep,
    experiment: "mem/latency",
    how: "one line in each page of sets that grow, less the same number of lines packed densely: \
          the rest is translation, and it rises where a buffer no longer holds all pages",
    fooled_by: &[
        Fooler {
            by: "a buffer that holds several neighbouring pages in one entry",
            makes: Makes::Larger,
        },
        Fooler {
            by: "translations that are prefetched",
            makes: Makes::Larger,
        },
        Fooler {
            by: "page tables that no longer fit the near caches",
            makes: Makes::Larger,
        },
    ],
};

const BY_APART: Method = Method {
    name: APART,
    kind: Kind::Conflict,
    experiment: "mem/latency",
    how: "the same with one line in every fifth page: no two pages share an entry, and a number \
          that is odd uses all sets of a buffer",
    fooled_by: &[
        Fooler {
            by: "a buffer whose sets are chosen so that every fifth page uses a part of them",
            makes: Makes::Smaller,
        },
        Fooler {
            by: "page tables that no longer fit the near caches",
            makes: Makes::Larger,
        },
    ],
};

const BY_BASE_PAGES: Method = Method {
    name: BASE_PAGES,
    kind: Kind::Placement,
    experiment: "mem/latency",
    how: "loads of lines in random order over base pages, less the same over huge pages, on sets \
          that the last buffer does not hold",
    fooled_by: &[
        Fooler {
            by: "a buffer that holds a part of the pages, which loads in random order come back to",
            makes: Makes::Smaller,
        },
        Fooler {
            by: "huge pages that the host has in pieces",
            makes: Makes::Smaller,
        },
        Fooler {
            by: "base pages that fall on the same sets of a cache",
            makes: Makes::Larger,
        },
    ],
};

const METHODS: &[Method] = &[BY_APART, BY_PAGES];

const fn reach(key: &'static str, name: &'static str, say: fn(&Agreement) -> String) -> Quantity {
    Quantity {
        key,
        name,
        unit: Unit::Bytes,
        within: 0.1,
        // Two sizes in an octave are measured: two methods leave an octave open between them.
        widest: 2.5,
        methods: METHODS,
        say,
        card: |_| None,
        differs: |_, _| "",
    }
}

const fn extra(key: &'static str, name: &'static str, say: fn(&Agreement) -> String) -> Quantity {
    Quantity {
        unit: Unit::Nanoseconds,
        within: 0.3,
        widest: 2.0,
        ..reach(key, name, say)
    }
}

/// Reach of the first and of the second buffer over base pages.
pub const REACHES: [Quantity; 2] = [
    reach("tlb_l1_reach", "reach of the first TLB", |of| {
        let (size, pages) = reached(of);
        format!("the first TLB reaches {size} ({pages})")
    }),
    // Threads of a core share it, and a host keeps translations of its own there.
    reach("tlb_l2_reach", "reach of the second TLB", |of| {
        let (size, pages) = reached(of);
        format!("a program here has {size} of the second TLB ({pages})")
    }),
];

/// What a miss in the first buffer that hits the second costs.
pub const SECOND: Quantity = extra("tlb_l2_latency", "latency of the second TLB", |of| {
    let ns = of.value.unwrap_or(f64::NAN);
    format!("a miss in the first TLB that hits the second adds {ns:.1} ns")
});

/// What a miss in all buffers costs.
pub const WALK: Quantity = Quantity {
    methods: &[BY_APART, BY_PAGES, BY_BASE_PAGES],
    // From hits in the first cache to two misses of it: one number does not say it.
    widest: 3.0,
    ..extra("page_walk", "page walk", |of| {
        let ns = of.value.unwrap_or(f64::NAN);
        let between = match of.low < of.high {
            true => format!(" ({:.0} to {:.0})", of.low, of.high),
            false => String::new(),
        };
        format!(
            "a page walk adds {ns:.0} ns{between} to a load while the page tables are in near \
             caches"
        )
    })
};

/// How far it reaches, and how many pages that are.
fn reached(of: &Agreement) -> (String, String) {
    let size = |bytes: f64| human_bytes(stats::whole(bytes));
    let page = engines::memory::buffer::page_bytes() as f64;
    let value = of.value.unwrap_or(f64::NAN);
    let pages = format!("{:.0} pages", value / page);
    let pages = match of.low < of.high {
        true => format!("{pages}; between {} and {}", size(of.low), size(of.high)),
        false => pages,
    };
    (size(value), pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_buffer_is_what_a_program_has_of_it() {
        let page = engines::memory::buffer::page_bytes() as f64;
        let of = Agreement {
            low: 1024.0 * page,
            high: 2048.0 * page,
            ..Agreement::of(1500.0 * page)
        };
        let [first, second] = REACHES.map(|quantity| (quantity.say)(&of));
        assert!(first.starts_with("the first TLB reaches "), "{first}");
        assert!(second.starts_with("a program here has "), "{second}");
        assert!(second.contains(" MiB of the second TLB ("), "{second}");
        for said in [first, second] {
            assert!(
                said.contains("(1500 pages; between 4 MiB and 8 MiB)"),
                "{said}"
            );
        }
    }
}
