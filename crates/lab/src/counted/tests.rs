use super::table::{names, parse};
use super::{check_claim, difference, forget, judge, keep};
use crate::data::Scenario;
use crate::outcome::{Outcome, Verdict};
use std::fs;

const TABLE: &str = "# simulated cache: tiny\n\
    region\tsequence\tcpu\tinstructions\tl2_misses\n\
    2\t0\t1\t100\t9\n2\t1\t1\t100\t5\n2\t2\t1\t100\t7\n4\t0\t1\t100\t7\n";
const TESTS: &str = "KTAP version 1\n# region 2 victim/none\nok 1 x\n # region x y\n";

#[test]
fn rows_become_medians_under_the_names_of_the_tests() {
    let table = parse(TABLE, &names(TESTS)).unwrap();
    assert_eq!(table.label, "simulated cache: tiny");
    assert_eq!(table.median("l2_misses", "victim/none"), Ok(7));
    assert_eq!(table.regions[0].times, 3);
    assert_eq!(table.regions[1].name, "4");
    assert!(table.median("l3_misses", "4").is_err());
    assert!(table.median("l2_misses", "none").is_err());
    let lines: Vec<String> = table.text().lines().map(str::to_owned).collect();
    assert_eq!(lines[0], "simulated cache: tiny; medians");
    assert_eq!(lines[1], "region       times  instructions  l2_misses");
    assert_eq!(lines[2], "victim/none      3           100          7");
}

#[test]
fn what_is_no_table_is_refused() {
    let no = |text: &str| parse(text, &names("")).unwrap_err().to_string();
    assert_eq!(no(""), "its first line does not name its format");
    assert_eq!(no("# x\nregion\tcpu\n"), "its header is another one");
    for row in ["2\t0\t1\t100", "2\t0\t1\t100\tx", "2\t0\t1\t100\t9\t9", ""] {
        let text = format!("{}\n{row}\n", TABLE.trim_end());
        assert_eq!(no(&text), format!("no row: {row}"));
    }
}

#[test]
fn claims_hold_fail_or_are_none() {
    let tables = [parse(TABLE, &names(TESTS)).unwrap()];
    let claim = |text: &str| check_claim(text, &tables);
    assert_eq!(claim("l2_misses victim/none >= 4"), Ok(()));
    assert_eq!(claim("instructions victim/none >= 4"), Ok(()));
    assert!(claim("l2_misses 4 >= 2 x victim/none").is_err());
    assert_eq!(claim("l2_misses victim/none > 0 x 4"), Ok(()));
    assert_eq!(claim("l2_misses victim/none >= 1 x 4"), Ok(()));
    let fails = claim("l2_misses victim/none > 4").unwrap_err().to_string();
    assert!(fails.ends_with("7 against 7"), "{fails}");
    for bad in [
        "l2_misses a",
        "l2_misses 4 < 4",
        "l2_misses 4 > 5",
        "x 4 > 4",
        "l2_misses 4 > x x 4",
        "l2_misses 4 > 2 y 4",
    ] {
        assert!(claim(bad).is_err(), "{bad}");
    }
    assert!(check_claim("l2_misses 4 >= 4", &[]).is_err());
}

#[test]
fn a_digit_is_a_difference() {
    assert_eq!(difference(TABLE, TABLE), None);
    let other = TABLE.replace("100\t5", "100\t6");
    let text = difference(TABLE, &other).unwrap();
    assert!(text.starts_with("two boots differ from line 4: "), "{text}");
    assert!(difference(TABLE, "").is_some());
}

#[test]
fn a_run_of_two_boots_is_judged() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path();
    let plugins = ["cache"];
    let scenario: Scenario = toml::from_str(
        "about = 'x'\nkernel = 'k'\nmachine = 'm'\ndeadline_s = 9\ntwice = true\n\
         counted = ['l2_misses victim/none >= 4']\n",
    )
    .unwrap();
    let judged = || {
        let mut outcome = Outcome::new("x", Verdict::Passed);
        judge(&mut outcome, &scenario, folder, &plugins);
        outcome
    };
    assert!(keep(folder, &plugins).is_err(), "it wrote nothing");
    assert_eq!(judged().verdict, Verdict::Failed);
    fs::write(folder.join("tests.log"), TESTS).unwrap();
    fs::write(folder.join("cache.tsv"), TABLE).unwrap();
    keep(folder, &plugins).unwrap();
    fs::write(folder.join("cache.tsv"), TABLE).unwrap();
    assert_eq!(judged().causes, Vec::<String>::new());
    assert_eq!(judged().counted.len(), 1);
    fs::write(folder.join("cache.tsv"), TABLE.replace('9', "8")).unwrap();
    assert_eq!(judged().causes.len(), 1);
    assert_eq!(judged().verdict, Verdict::Failed);
    forget(folder, &plugins);
    assert!(!folder.join("cache.first.tsv").exists() && !folder.join("cache.tsv").exists());
}
