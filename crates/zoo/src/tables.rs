//! What is printed of all runs.

use super::arguments::Arguments;
use analysis::inference::Patterns;
use record::Finding;
use std::collections::BTreeMap;
use zoo::judge::{Judged, counted};
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
    reliability(judged);
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

/// Lower ends of the classes of confidence.
const CLASSES: [f64; 6] = [0.0, 0.5, 0.8, 0.9, 0.95, 0.98];

/// How often answers were right against how sure they would have been, each by the record of
/// all other cores.
fn reliability(judged: &[Judged]) {
    println!("\n== reliability: confidence by the other cores, and the share that was right");
    let mut classes = [(0.0, 0u32, 0u32); CLASSES.len()];
    let mut cores: Vec<&str> = judged.iter().map(|j| j.core.as_str()).collect();
    cores.sort_unstable();
    cores.dedup();
    for core in cores {
        let (own, others): (Vec<&Judged>, Vec<&Judged>) =
            judged.iter().partition(|j| j.core == core);
        let patterns = counted(others.into_iter());
        let said = own.iter().flat_map(|j| {
            let key = &j.finding.key;
            j.agreements()
                .map(move |(pattern, outcome)| (key, pattern, outcome))
        });
        for (key, pattern, outcome) in said {
            let said = patterns.share(key, pattern);
            let class = CLASSES.iter().rposition(|low| said >= *low).unwrap_or(0);
            let (sum, right, all) = &mut classes[class];
            *sum += said;
            *right += u32::from(outcome == Outcome::Right);
            *all += 1;
        }
    }
    for ((sum, right, all), low) in classes.iter().zip(CLASSES) {
        if *all > 0 {
            let (n, said) = (f64::from(*all), 100.0 * sum / f64::from(*all));
            let right = 100.0 * f64::from(*right) / n;
            let from = 100.0 * low;
            println!("from {from:3.0} %: said {said:5.1} %, right {right:5.1} % of {all}");
        }
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
