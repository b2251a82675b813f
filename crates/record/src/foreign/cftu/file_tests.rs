//! The records that the document prints, what people make of them, and what is
//! none of them.

use super::{DatFile, DatName, Lines, MalformedLine};
use crate::foreign::cftu::{BandBlock, BandRecord, SynthRecord, VictimSynth, test_of, victim_of};

macro_rules! printed {
    ($path:literal) => {
        include_str!(concat!(
            "../../../../../fixtures/foreign/cftu/printed/",
            $path
        ))
    };
}

const TRACE: &str = printed!("trace/risultati/mem_trace_from.dat");
const LATENCY: &str = printed!("micro-benchmark_Msg/risultati/micro-benchmark_from_1.dat");
const SYNTH: &str = printed!("micro-benchmark_Msg/risultati/micro-benchmark_from_1_synth.dat");
const MEASURE: &str = printed!("micro-benchmark_Cache_2CPU/risultati/measure_x.dat");
const SYNTHESIS: &str = printed!("micro-benchmark_Cache_2CPU/risultati/synthesis_x.dat");
const BAND: &str = printed!("micro-benchmark_Band/risultati/measures_from.dat");

fn read(name: &str, text: &str) -> Result<DatFile, MalformedLine> {
    DatFile::parse(DatName::parse(name).expect("a name of the study"), text)
}

fn notes(name: &str, text: &str) -> Vec<String> {
    let read = read(name, text).expect("readable");
    read.notes.iter().map(ToString::to_string).collect()
}

fn refused(name: &str, text: &str) -> String {
    let why = read(name, text).expect_err("malformed");
    assert!(why.why.remedy.contains("an example: "), "{why:?}");
    format!("{}: {}", why.line, why.why.cause)
}

#[test]
fn what_the_document_prints_comes_back_to_the_byte() {
    for (name, text) in [
        ("mem_trace_from.dat", TRACE),
        ("micro-benchmark_from_1.dat", LATENCY),
        ("micro-benchmark_from_1_synth.dat", SYNTH),
        ("measures_from.dat", BAND),
        ("measure_x.dat", MEASURE),
        ("synthesis_x.dat", SYNTHESIS),
    ] {
        assert_eq!(read(name, text).expect(name).lines.to_string(), text);
    }
}

#[test]
fn its_figures_follow_from_one_another() {
    assert!(notes("micro-benchmark_from_1.dat", LATENCY).is_empty());
    assert!(notes("micro-benchmark_from_1_synth.dat", SYNTH).is_empty());
    assert!(notes("measure_x.dat", MEASURE).is_empty());
    assert!(notes("synthesis_x.dat", SYNTHESIS).is_empty());
    // An address of 17 digits, and a channel printed three times.
    let of_trace = notes("mem_trace_from.dat", TRACE);
    assert_eq!(
        of_trace,
        ["1: its address 0xfffffffff8144c129 has more than 16 digits; 0xffffffff8144c129 is kept"]
    );
    let of_band = notes("measures_from.dat", BAND);
    assert!(
        of_band.len() == 1 && of_band[0].contains("appears twice"),
        "{of_band:?}"
    );
    let Lines::Band(blocks) = read("measures_from.dat", BAND).expect("readable").lines else {
        panic!("no bandwidth");
    };
    let again = |r: &BandRecord| {
        BandRecord::measured(r.channel, r.size_bytes, r.operations, r.t0_ns, r.dt_ns)
    };
    let recomputed = BandBlock::of(blocks[0].rows.iter().map(again).collect());
    assert_eq!(format!("{recomputed}\n"), BAND);
}

#[test]
fn a_synthesis_has_the_sample_variance_and_the_middle_of_even_counts() {
    let made = SynthRecord::of(64, &[4, 1, 2, 3]).expect("four times");
    assert_eq!(made.to_string(), "64\t1\t4\t2.5000\t1.6667\t2.5000");
    assert_eq!(SynthRecord::of(64, &[7]), None);
    let other = SynthRecord {
        min_ns: 2,
        ..made.clone()
    };
    assert!(
        other
            .differs_from(&made)
            .expect("differs")
            .contains("64 2 4")
    );
    assert_eq!(made.differs_from(&made), None);
}

#[test]
fn separators_of_pasted_tables_are_separators() {
    let row = TRACE.trim_end();
    for pasted in [
        row.replace('\t', " "),
        format!("| {} |", row.replace('\t', " | ")),
        format!("\\hline\n${}$ \\\\ \\hline", row.replace('\t', " & ")),
        format!("\u{feff}# a comment\r\n\n--- | ---\n{row}\r\n"),
        format!("{row}\n---\t------\t---\t---\n"),
    ] {
        let read = read("mem_trace_from.dat", &pasted).expect(&pasted);
        assert_eq!(read.lines.to_string(), TRACE, "{pasted}");
    }
}

#[test]
fn a_total_may_stand_anywhere_or_nowhere() {
    let rows = BAND.split("total").next().expect("rows").trim_end();
    for total in [
        "\ntotal_band= 11654.533911\t\t\t\t",
        "\ntotal_band=11654.533911",
        "\ntotal_band = 11654.533911",
        "\ntotal\\_band= & 11654.533911 \\\\",
        "\t11654.533911",
    ] {
        let read = read("measures_from.dat", &format!("{rows}{total}")).expect(total);
        assert_eq!(read.lines.to_string(), BAND, "{total}");
    }
    let without = notes("measures_from.dat", rows);
    assert!(
        without[1].starts_with("4: no total_band follows"),
        "{without:?}"
    );
    // A total missing between two sizes ends no file.
    let larger = rows.replace("\t1024\t", "\t2048\t");
    let Lines::Band(blocks) = read("measures_from.dat", &format!("{rows}\n{larger}"))
        .expect("readable")
        .lines
    else {
        panic!("no bandwidth");
    };
    assert_eq!(blocks.len(), 2);
}

#[test]
fn what_does_not_fit_together_is_noted_with_its_line() {
    for (name, text, expected) in [
        (
            "mem_trace_from.dat",
            TRACE.replace("\t93\t", "\t94\t"),
            "1: its dt is 94 ns, t1 - t0 is 93 ns",
        ),
        (
            "micro-benchmark_to_1.dat",
            LATENCY.replace("346193", "346000"),
            "1: it ends 85 ns before it begins",
        ),
        (
            "micro-benchmark_from_1_synth.dat",
            SYNTH.replace("98.33", "95.33"),
            "1: its mean 95.3300 is outside 96 to 115",
        ),
        (
            "measures_to.dat",
            BAND.replace("3118.0", "3119.0"),
            "2: its rate is 3119.015645 MB/s",
        ),
        (
            "measures_to.dat",
            BAND.replace("11654.5", "11655.5"),
            "4: its total is 11655.533911 MB/s",
        ),
        (
            "measures_to.dat",
            format!("total_band= 1\n{BAND}"),
            "1: a total of 1.000000 MB/s without channels",
        ),
        (
            "micro-benchmark_from_1.dat",
            SYNTH.to_owned(),
            " its lines are a synthesis",
        ),
        (
            "micro-benchmark_from_1_synth.dat",
            LATENCY.to_owned(),
            " its lines are measurements",
        ),
        (
            "measure_x.dat",
            MEASURE.replace("0.62", "0.63"),
            "1: its miss % is 0.634352, misses and refs give 0.624352",
        ),
        (
            "measure_x.dat",
            MEASURE.replace("4238957", "4238956"),
            "1: its dt is 4238956 ns",
        ),
        (
            "synthesis_x.dat",
            SYNTHESIS.replace("4599", "4407"),
            "1: its mean 4408.6608 us is above its maximum 4407 us",
        ),
        (
            "synthesis_x.dat",
            MEASURE.to_owned(),
            " its lines are measurements: it is read as measure_x.dat",
        ),
        ("measures_to.dat", String::new(), " it holds no line"),
    ] {
        let found = notes(name, &text);
        assert!(
            found.iter().any(|n| n.starts_with(expected)),
            "{expected}: {found:?}"
        );
    }
}

#[test]
fn a_line_that_is_none_is_named_with_cause_and_remedy() {
    for (name, text, expected) in [
        (
            "micro-benchmark_from_1.dat",
            format!("{LATENCY}3\t64\t27"),
            "2: it has 3 fields, a line of latency has 5: CPU, size",
        ),
        (
            "micro-benchmark_from_1.dat",
            LATENCY.replace("64", "x"),
            "1: its size \"x\" is not a whole number",
        ),
        (
            "micro-benchmark_from_1.dat",
            LATENCY.replace("\t108", "\t-108"),
            "1: its dt \"-108\" is not a whole",
        ),
        (
            "micro-benchmark_from_1.dat",
            LATENCY.replace("\t108", "\t9007199254740993"),
            "1: its dt \"9007199254740993\" is larger",
        ),
        (
            "micro-benchmark_from_1_synth.dat",
            SYNTH.replace("98.3300", "98,3300"),
            "1: its mean \"98,3300\" is not a number",
        ),
        (
            "micro-benchmark_from_1_synth.dat",
            SYNTH.replace("4.0546", "nan"),
            "1: its variance \"nan\"",
        ),
        (
            "mem_trace_to.dat",
            TRACE.replace("CPU", "GPU"),
            "1: its hardware (CPU or DMA) \"GPU\"",
        ),
        (
            "mem_trace_to.dat",
            TRACE.replace("0xf", "0xg"),
            "1: its return address",
        ),
        (
            "mem_trace_to.dat",
            TRACE.replace("0xf", "0xffffffffffffffffffffff"),
            "1: its return address",
        ),
        (
            "measures_to.dat",
            BAND.replace("\t300\t", "\t0\t"),
            "1: its operations \"0\" is zero",
        ),
        (
            "measures_to.dat",
            BAND.replace("d= 1", "d= x"),
            "5: its total \"x",
        ),
        (
            "measure_x.dat",
            format!("{MEASURE}qsort_small\t55"),
            "2: it has 2 fields, a line of a program's runs has 7: test, t0",
        ),
        (
            "measure_x.dat",
            MEASURE.replace("982", "9.82"),
            "1: its cache misses \"9.82\" is not a whole number",
        ),
        (
            "measure_x.dat",
            MEASURE.replace("qsort_small", "7"),
            "1: its test \"7\" is not the name of a test",
        ),
        (
            "synthesis_x.dat",
            SYNTHESIS.replace("2.24", "-2.24"),
            "1: its mean miss % \"-2.245550\" is not a number",
        ),
        (
            "measures_to.dat",
            BAND.replace("total_band=", "total_band= 1 2"),
            "5: it has fields after",
        ),
    ] {
        let why = refused(name, &text);
        assert!(why.starts_with(expected), "{expected}: {why}");
    }
}

#[test]
fn an_address_has_sixteen_digits_even_where_it_is_small() {
    let text = TRACE.replace("0xfffffffff8144c129", "0x8144C129");
    let read = read("mem_trace_from.dat", &text).expect("readable");
    let expected = TRACE.replace("0xfffffffff8144c129", "0x000000008144c129");
    assert_eq!(read.lines.to_string(), expected);
}

#[test]
fn what_was_not_counted_has_no_value_in_a_file_and_none_behind_it() {
    let text = "susan[s]_small\t1000\t2500\t1500\tnan\tnan\tnan\n";
    let odd = text.replacen("nan", "-NaN", 1);
    let Lines::Victims(runs) = read("measure_x.dat", &odd).expect("readable").lines else {
        panic!("no programs");
    };
    assert_eq!((runs[0].references, runs[0].miss_percent), (None, None));
    assert_eq!(Lines::Victims(runs.clone()).to_string(), text);
    let mut runs = vec![runs[0].clone(), runs[0].clone()];
    (runs[1].references, runs[1].misses) = (Some(8), Some(2));
    runs[1].dt_ns = 2999;
    let made = VictimSynth::of(&runs).expect("two runs").to_string();
    // The mean of counts is of the run that was counted.
    assert_eq!(made, "susan[s]_small\t2\t2.2495\t2\t8.0000\t25.000000");
    let none = VictimSynth::of(&runs[..1]).expect("a run");
    assert_eq!(none.to_string(), "susan[s]_small\t1\t1.5000\t1\tnan\tnan");
    let Lines::VictimSynth(read_back) = read("synthesis_x.dat", &made).expect("readable").lines
    else {
        panic!("no synthesis");
    };
    assert_eq!(
        read_back[0]
            .1
            .differs_from(&VictimSynth::of(&runs).expect("two")),
        None
    );
    assert!(none.differs_from(&read_back[0].1).is_some());
    assert_eq!(VictimSynth::of(&[]), None);
}

#[test]
fn programs_and_tests_are_called_after_each_other() {
    for (victim, test) in [
        ("susan_s_small", "susan[s]_small"),
        ("susan_c_huge", "susan[c]_huge"),
        ("qsort_large", "qsort_large"),
        ("susan_x_huge", "susan_x_huge"),
    ] {
        assert_eq!(test_of(victim), test);
        assert_eq!(victim_of(test), victim);
    }
}

/// The longest run's whole microseconds: a mean in the same one is no contradiction.
#[test]
fn the_mean_of_one_run_may_lie_behind_its_whole_microseconds() {
    let line = |mean| format!("qsort_small\t1\t{mean}\t10\tnan\tnan\n");
    assert_eq!(notes("synthesis_x.dat", &line("10.5000")), [""; 0]);
    let above = notes("synthesis_x.dat", &line("11.5000"));
    assert!(above[0].contains("is above its maximum"), "{above:?}");
}

#[test]
fn an_empty_line_does_not_decide_the_kind() {
    let text = format!("\n{SYNTH}");
    let found = notes("micro-benchmark_from_1.dat", &text);
    assert!(
        found[0].contains("its lines are a synthesis: it is read as"),
        "{found:?}"
    );
}

#[test]
fn no_references_have_no_share() {
    use crate::foreign::cftu::percent;
    assert_eq!(percent(Some(0), Some(0)), None);
    assert_eq!(percent(Some(200), Some(1)), Some(0.5));
    assert_eq!(percent(Some(200), None), None);
}
