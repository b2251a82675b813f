//! The profile for people and for pipes, and what it does not show.

use super::profile::{Profile, Sum};
use record::axis::human_bytes;
use report::document::{Column, Document, Table, Text};
use report::format::time_ns;
use serde_json::{Value, json};
use trace::analyse::symbols::Symbols;
use uapi::Operation;
use uapi::trace::State;

/// Kernels differ in the routines that they copy with.
const ENOENT: i32 = 2;

/// Columns of an operation's name.
const NAME: usize = 18;

/// A capture that has ended.
pub struct Ended<'a> {
    pub profile: &'a Profile,
    pub state: &'a State,
    pub symbols: &'a Symbols,
    /// Gaps of the sequence numbers, where records were read.
    pub lost_records: Option<u64>,
    pub callers: usize,
    /// Of an emulated processor: its times are the emulator's.
    pub emulated: bool,
}

pub fn document(ended: &Ended<'_>) -> Document {
    let emulated = ended.emulated;
    let emulated = emulated.then(|| format!("emulated: {}", report::instrument::EMULATED));
    Document::sections([
        Document::lines(emulated),
        sizes(ended.profile),
        latencies(ended.profile),
        callers(ended),
        account(ended),
    ])
}

/// One line while it runs.
pub fn progress(seconds: u64, state: &State) -> String {
    let copies: u64 = state.copies.iter().map(|(_, n)| n).sum();
    format!(
        "{seconds} s: {copies} copies, {} records and {} cells dropped, {} missed",
        state.dropped_records,
        state.dropped_slots,
        state.missed()
    )
}

fn sizes(profile: &Profile) -> Document {
    let number = |(head, least)| Column::number(head).least(least);
    let numbers = [
        ("from", 10),
        ("copies", 12),
        ("bytes", 10),
        ("mean", 10),
        ("longest", 10),
    ];
    let names = Column::words("copies by size").least(NAME);
    let mut table = Table::new(std::iter::once(names).chain(numbers.map(number)));
    for ((operation, log2), sum) in &profile.sizes {
        table.row(row(operation.word(), &human_bytes(1 << log2), sum));
    }
    table.row(row("all", "", &profile.total));
    table.into()
}

fn row(name: &str, from: &str, sum: &Sum) -> [String; 6] {
    [
        name.to_owned(),
        from.to_owned(),
        sum.copies.to_string(),
        human_bytes(sum.bytes),
        time_ns(sum.mean_ns(), 3),
        time_ns(sum.max_ns as f64, 3),
    ]
}

fn latencies(profile: &Profile) -> Document {
    let mut document = Document::new();
    document.line("latency (lower edge of the bucket)");
    for operation in profile.operations() {
        let at = |share| {
            let ns = profile.quantile_ns(operation, share);
            ns.map_or_else(String::new, |ns| time_ns(ns as f64, 3))
        };
        let text = format!(
            "half below {}, 90 % below {}, 99 % below {}",
            at(0.5),
            at(0.9),
            at(0.99)
        );
        document.text(Text::line(text).label(0, operation.word(), NAME));
    }
    document
}

fn callers(ended: &Ended<'_>) -> Document {
    let number = |least| Column::number("").least(least);
    let numbers = [14, 10, 10].map(number);
    let mut table = Table::new(numbers.into_iter().chain([Column::words("")]));
    for (address, operation, sum) in ended.profile.top_callers(ended.callers) {
        table.row([
            sum.copies.to_string(),
            human_bytes(sum.bytes),
            time_ns(sum.mean_ns(), 3),
            format!("{} <- {}", operation.word(), ended.symbols.place(address)),
        ]);
    }
    let mut document = Document::new();
    document.line("most copies by caller");
    document.table(table);
    if ended.symbols.is_empty() {
        document.line("  names hidden: run it as root, or sysctl kernel.kptr_restrict=0");
    }
    document
}

/// What was lost, and what this kernel does not show.
fn account(ended: &Ended<'_>) -> Document {
    let mut document = Document::from(Text::line("account"));
    let lines = account_lines(ended).into_iter();
    document.extend(lines.map(|line| Text::line(line).lead("  ")));
    document
}

/// The lines of the account; a record keeps them among its conditions.
pub fn account_lines(ended: &Ended<'_>) -> Vec<String> {
    let state = ended.state;
    let seen: u64 = state.copies.iter().map(|(_, n)| n).sum();
    let mut lines = vec![format!(
        "{seen} copies passed the filters; {} records and {} cells dropped; {} copies missed by \
         probes; {} by DMA",
        state.dropped_records,
        state.dropped_slots,
        state.missed(),
        ended.profile.by_dma
    )];
    let lost = ended.lost_records;
    lines.extend(lost.map(|lost| format!("{lost} gaps in the sequence numbers")));
    lines.extend(not_seen(state));
    for probe in &state.probes {
        let symbol = &probe.symbol;
        let way = if probe.optimised {
            "jump"
        } else {
            "breakpoint"
        };
        lines.push(match probe.errno.abs() {
            0 => format!(
                "probe {symbol}: {} hits, {} missed ({way})",
                probe.hits, probe.missed
            ),
            ENOENT => format!("probe {symbol}: no such routine in this kernel"),
            errno => {
                let cause = std::io::Error::from_raw_os_error(errno);
                format!("probe {symbol}: not attached: {cause}")
            }
        });
    }
    lines
}

/// In words, what a reader must not conclude from.
pub fn not_seen(state: &State) -> Vec<String> {
    let uncovered: Vec<&str> = state.uncovered().into_iter().map(Operation::word).collect();
    let uncovered = (!uncovered.is_empty())
        .then(|| format!("not seen on this kernel: {}", uncovered.join(", ")));
    let inline = "this CPU copies inline, so that entry points are probed: raw copies are not seen, \
                  and a copy of several segments counts once";
    let inline = state.entry_points.then(|| inline.to_owned());
    let merged =
        "copy_from_user and copy_to_user are inlined: raw copies are counted among the plain ones";
    let merged = state.raw_merged.then(|| merged.to_owned());
    uncovered.into_iter().chain(inline).chain(merged).collect()
}

pub fn json(ended: &Ended<'_>) -> Value {
    let (profile, state) = (ended.profile, ended.state);
    let sum = |s: &Sum| json!({"copies": s.copies, "bytes": s.bytes, "sum_ns": s.sum_ns, "max_ns": s.max_ns});
    let size = |((operation, log2), s): (&(Operation, u32), &Sum)| json!({"operation": operation.word(), "from_bytes": 1_u64 << log2, "sum": sum(s)});
    let latency = |((operation, bucket), copies): (&(Operation, u16), &u64)| {
        json!({"operation": operation.word(), "from_ns": uapi::trace::bucket_floor(*bucket),
               "copies": copies})
    };
    let caller = |(address, operation, s): (u64, Operation, Sum)| {
        json!({"operation": operation.word(), "address": format!("{address:#x}"),
               "symbol": ended.symbols.place(address), "sum": sum(&s)})
    };
    let probe = |p: &uapi::trace::Probe| {
        json!({"symbol": p.symbol, "errno": p.errno, "optimised": p.optimised,
               "hits": p.hits, "missed": p.missed})
    };
    let callers = profile.top_callers(ended.callers).into_iter();
    json!({
        "emulated": ended.emulated,
        "total": sum(&profile.total),
        "by_dma": profile.by_dma,
        "sizes": profile.sizes.iter().map(size).collect::<Vec<_>>(),
        "latencies": profile.latencies.iter().map(latency).collect::<Vec<_>>(),
        "callers": callers.map(caller).collect::<Vec<_>>(),
        "dropped_records": state.dropped_records,
        "dropped_cells": state.dropped_slots,
        "lost_records": ended.lost_records,
        "not_seen": not_seen(state),
        "probes": state.probes.iter().map(probe).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::profile::tests::slot;
    use super::*;
    use report::document::terminal;
    use uapi::trace::Probe;

    fn text(ended: &Ended<'_>) -> String {
        terminal::plain(&document(ended))
    }

    #[test]
    fn a_profile_tells_what_it_lost_and_what_it_cannot_see() {
        let mut profile = Profile::default();
        profile.add_slot(&slot(Operation::CopyFromUser, 16, 60, 1));
        profile.add_slot(&slot(Operation::CopyToUser, 4096, 96, 3));
        let state = State {
            active: false,
            active_elsewhere: false,
            entry_points: true,
            raw_merged: false,
            covered: vec![Operation::CopyFromUser, Operation::CopyToUser],
            probes: vec![
                Probe {
                    symbol: "_copy_to_user".to_owned(),
                    optimised: true,
                    errno: 0,
                    hits: 5,
                    missed: 1,
                },
                Probe {
                    symbol: "rep_movs_alternative".to_owned(),
                    optimised: false,
                    errno: -2,
                    hits: 0,
                    missed: 0,
                },
            ],
            records_per_cpu: 0,
            slots_per_cpu: 64,
            started_ns: 0,
            stopped_ns: 0,
            copies: vec![(Operation::CopyFromUser, 1), (Operation::CopyToUser, 4)],
            dropped_records: 0,
            dropped_slots: 1,
        };
        let symbols = Symbols::parse("ffffffff81000000 T seq_read_iter\n");
        let ended = Ended {
            profile: &profile,
            state: &state,
            symbols: &symbols,
            lost_records: None,
            callers: 10,
            emulated: false,
        };
        let expected = "\
copies by size            from        copies       bytes        mean     longest
copy_from_user            16 B             1        16 B     60.0 ns     60.0 ns
copy_to_user             4 KiB             3      12 KiB     96.0 ns     96.0 ns
all                                        4    12.0 KiB     87.0 ns     96.0 ns

latency (lower edge of the bucket)
copy_from_user    half below 60.0 ns, 90 % below 60.0 ns, 99 % below 60.0 ns
copy_to_user      half below 96.0 ns, 90 % below 96.0 ns, 99 % below 96.0 ns

most copies by caller
             3      12 KiB     96.0 ns  copy_to_user <- seq_read_iter+0x10
             1        16 B     60.0 ns  copy_from_user <- seq_read_iter+0x10

account
  5 copies passed the filters; 0 records and 1 cells dropped; 1 copies missed by probes; 0 by DMA
  not seen on this kernel: __copy_from_user, __copy_to_user, copy_from_iter, copy_to_iter
  this CPU copies inline, so that entry points are probed: raw copies are not seen, and a copy of several segments counts once
  probe _copy_to_user: 5 hits, 1 missed (jump)
  probe rep_movs_alternative: no such routine in this kernel
";
        assert_eq!(text(&ended), expected);
        let guest = Ended {
            emulated: true,
            ..ended
        };
        assert_eq!(
            text(&guest),
            format!("emulated: times are meaningless outside this guest\n\n{expected}")
        );
        assert_eq!(json(&guest)["sizes"][1]["sum"]["copies"], 3);
    }
}
