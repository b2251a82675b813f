//! What is printed of all runs.

use super::arguments::Arguments;
use super::judge::Judged;
use analysis::inference::Patterns;
use std::collections::BTreeMap;
use zoo::truth::Outcome;

/// Right, wrong and undecided.
#[derive(Default, Clone, Copy)]
struct Count([u32; 3]);

impl Count {
    fn add(&mut self, outcome: Outcome) {
        self.0[outcome as usize] += 1;
    }

    fn text(&self) -> String {
        let [right, wrong, undecided] = self.0;
        match wrong {
            0 => format!("{right}/{undecided}"),
            wrong => format!("{right}/{undecided} WRONG {wrong}"),
        }
    }
}

/// Prints the tables, and writes the record of patterns where asked.
pub fn print(arguments: &Arguments, judged: &[Judged]) {
    for condition in &arguments.conditions {
        println!("\n== {}: right/undecided of each finding", condition.name);
        let mine = || judged.iter().filter(|j| j.condition == condition.name);
        let keys = order(mine().map(|j| j.finding.key.as_str()));
        for key in keys {
            print!("{key:18}");
            for core in &arguments.cores {
                let mut count = Count::default();
                let of = mine().filter(|j| j.core == core.name && j.finding.key == key);
                of.for_each(|j| count.add(j.outcome));
                if count.0 != [0; 3] {
                    print!("  {} {}", core.name, count.text());
                }
            }
            println!();
        }
    }
    by_pattern(judged);
    by_method(judged);
    if arguments.verbose {
        wrong(judged);
    }
    if let Some(path) = &arguments.keep {
        keep(judged, path);
    }
}

fn order<'a>(keys: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut all: Vec<&str> = Vec::new();
    for key in keys {
        if !all.contains(&key) {
            all.push(key);
        }
    }
    all
}

fn by_pattern(judged: &[Judged]) {
    println!("\n== patterns of agreement: right and wrong");
    let mut counts: BTreeMap<(&str, &str), Count> = BTreeMap::new();
    for j in judged {
        if let Some(pattern) = &j.finding.pattern {
            counts
                .entry((&j.finding.key, &pattern.text))
                .or_default()
                .add(j.outcome);
        }
    }
    for ((key, text), Count([right, wrong, _])) in counts {
        println!("{key:18} {text:60} {right:5} {wrong:4}");
    }
}

fn by_method(judged: &[Judged]) {
    println!("\n== each method by itself: right/undecided, wrong");
    let mut counts: BTreeMap<(&str, &str), Count> = BTreeMap::new();
    for j in judged {
        for (method, outcome) in &j.methods {
            counts
                .entry((&j.finding.key, method))
                .or_default()
                .add(*outcome);
        }
    }
    for ((key, method), count) in counts {
        println!("{key:18} {method:14} {}", count.text());
    }
}

fn wrong(judged: &[Judged]) {
    println!("\n== wrong and undecided");
    for j in judged.iter().filter(|j| j.outcome != Outcome::Right) {
        let f = &j.finding;
        println!(
            "{:?} {} {} {} seed {}: {}",
            j.outcome, f.key, j.core, j.condition, j.seed, f.sentence
        );
        for m in &f.methods {
            println!(
                "    {} {:?} [{:?} {:?}] {:?} {}",
                m.method, m.value, m.low, m.high, m.stand, m.why
            );
        }
    }
}

fn keep(judged: &[Judged], path: &str) {
    let mut patterns = Patterns::default();
    for j in judged {
        if let Some(pattern) = &j.finding.pattern {
            patterns.add(&j.finding.key, &pattern.text, j.outcome == Outcome::Right);
        }
    }
    let written = patterns.text().map_err(|e| e.to_string());
    let written = written.and_then(|text| std::fs::write(path, text).map_err(|e| e.to_string()));
    if let Err(why) = written {
        eprintln!("zoo: cannot write {path}: {why}");
    }
}
