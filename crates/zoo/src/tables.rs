//! What is printed of all runs.

use super::arguments::Arguments;
use analysis::inference::Patterns;
use record::Finding;
use std::collections::BTreeMap;
use zoo::judge::{Judged, counted};
use zoo::reliability;
use zoo::truth::Outcome;

/// Right, wrong and undecided; and how many of these nothing can decide.
#[derive(Default, Clone, Copy)]
struct Count([u32; 3], u32);

impl Count {
    fn add(&mut self, outcome: Outcome) {
        self.0[outcome as usize] += 1;
    }

    fn add_judged(&mut self, judged: &Judged) {
        self.add(judged.outcome);
        let hidden = judged.outcome == Outcome::Undecided && judged.hidden.is_some();
        self.1 += u32::from(hidden);
    }

    /// What was decided, of what could be.
    fn decided(&self) -> (u32, u32) {
        let [right, wrong, undecided] = self.0;
        (right + wrong, right + wrong + undecided - self.1)
    }

    fn text(&self) -> String {
        let [right, wrong, undecided] = self.0;
        let mut text = format!("{right}/{}", undecided - self.1);
        if self.1 > 0 {
            text += &format!("+{}", self.1);
        }
        if wrong > 0 {
            text += &format!(" WRONG {wrong}");
        }
        text
    }
}

/// Prints the tables, and writes the record of patterns where asked.
pub fn print(arguments: &Arguments, judged: &[Judged]) {
    let mut silent = Vec::new();
    for condition in &arguments.conditions {
        println!(
            "\n== {}: right/undecided of each finding, +those that the description hides",
            condition.name
        );
        let mine = || judged.iter().filter(|j| j.condition == condition.name);
        let keys = order(mine().map(|j| j.finding.key.as_str()));
        for key in keys {
            print!("{key:18}");
            for core in &arguments.cores {
                let mut count = Count::default();
                let of = mine().filter(|j| j.core == core.name && j.finding.key == key);
                of.for_each(|j| count.add_judged(j));
                if count.0 != [0; 3] {
                    print!("  {} {}", core.name, count.text());
                }
                let (decided, of) = count.decided();
                if f64::from(decided) < condition.decides * f64::from(of) {
                    silent.push((condition.name, key, core.name.as_str(), decided, of));
                }
            }
            println!();
        }
    }
    println!("\n== silent: decided less often than is wanted of what could be");
    for (condition, key, core, decided, of) in silent {
        println!("{condition:10} {key:18} {core:16} {decided} of {of}");
    }
    by_pattern(judged);
    println!("\n== reliability: confidence by the other cores, and the share that was right");
    print!("{}", reliability::drawn(&reliability::classes(judged)));
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
        for (pattern, outcome) in j.agreements() {
            let count = counts.entry((&j.finding.key, pattern)).or_default();
            count.add(outcome);
        }
    }
    for ((key, text), Count([right, wrong, _], _)) in counts {
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
            "{:?} {} {} {} seed {}: {}{}",
            j.outcome,
            f.key,
            j.core,
            j.condition,
            j.seed,
            f.sentence,
            j.hidden
                .map_or(String::new(), |by| format!(" [hidden: {by}]"))
        );
        methods(f);
    }
}

/// A line for each method of a finding.
pub fn methods(f: &Finding) {
    for m in &f.methods {
        println!(
            "    {} {:?} [{:?} {:?}] {:?} {}",
            m.method, m.value, m.low, m.high, m.stand, m.why
        );
    }
}

/// Writes what was counted into the file; what that has of other quantities stays.
fn keep(judged: &[Judged], path: &str) {
    let written =
        kept(judged, path).and_then(|text| std::fs::write(path, text).map_err(|e| e.to_string()));
    if let Err(why) = written {
        eprintln!("zoo: cannot write {path}: {why}");
    }
}

fn kept(judged: &[Judged], path: &str) -> Result<String, String> {
    let mut all = match std::fs::read_to_string(path) {
        Ok(text) => Patterns::parse(&text).map_err(|e| e.to_string())?,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Patterns::default(),
        Err(e) => return Err(e.to_string()),
    };
    let keys = order(judged.iter().map(|j| j.finding.key.as_str()));
    all.replace(&counted(judged.iter()), &keys);
    all.text().map_err(|e| e.to_string())
}
