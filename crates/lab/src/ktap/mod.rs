//! KTAP, the form in which kernel tests speak (the kernel's
//! Documentation/dev-tools/ktap.rst): nested lists of numbered results between
//! lines that are none.

#[cfg(test)]
mod fuzz;
mod line;
#[cfg(test)]
mod tests;

use line::{Directive, Line};
use serde::Serialize;

/// How one test ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Result {
    Passed,
    Failed,
    Skipped(String),
}

/// One result, with the tests it sums up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    pub name: String,
    pub result: Result,
    pub inner: Vec<Test>,
    /// Its diagnostic lines, without the `#`.
    pub diagnostics: Vec<String>,
}

/// Everything that a stream reported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub tests: Vec<Test>,
    /// What is wrong with the stream itself: tests that were promised and did
    /// not come, a list without a plan, a bail out.
    pub problems: Vec<String>,
}

/// Tests without tests inside, by their result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

/// A list that is being read.
#[derive(Default)]
struct List {
    indent: usize,
    plan: Option<u64>,
    tests: Vec<Test>,
    diagnostics: Vec<String>,
}

/// Reads a stream. Never fails: what is wrong with it stands in `problems`.
pub fn parse(text: &str) -> Report {
    let mut reader = Reader::default();
    for raw in text.lines() {
        let (indent, line) = line::parse(raw);
        reader.take(indent, line);
    }
    reader.end()
}

#[derive(Default)]
struct Reader {
    /// The list being read last, those around it before it.
    open: Vec<List>,
    /// Tests of a closed inner list, whose own result has yet to come.
    inner: Vec<Test>,
    report: Report,
    bailed: bool,
}

impl Reader {
    fn take(&mut self, indent: usize, line: Line) {
        if self.bailed {
            return;
        }
        match line {
            Line::Version => self.begin(indent),
            // Before the first list only noise is possible.
            _ if self.open.is_empty() => {}
            Line::Plan { tests, skip } => self.plan(indent, tests, skip),
            Line::Result {
                ok,
                number,
                name,
                directive,
            } => self.result(indent, ok, number, name, directive),
            Line::Diagnostic(text) => {
                if let Some(list) = self.open.last_mut() {
                    list.diagnostics.push(text);
                }
            }
            Line::BailOut(reason) => {
                self.bailed = true;
                self.report.problems.push(format!("bail out: {reason}"));
            }
            Line::Other => {}
        }
    }

    /// A list begins: inside the last, or a new one after it.
    fn begin(&mut self, indent: usize) {
        let deeper = self.open.last().is_none_or(|list| indent > list.indent);
        if !deeper {
            self.close_to(indent);
            if let Some(list) = self.open.pop() {
                self.close(list);
            }
        }
        self.open.push(List {
            indent,
            ..List::default()
        });
    }

    fn plan(&mut self, indent: usize, tests: u64, skip: Option<String>) {
        self.close_to(indent);
        let Some(list) = self.open.last_mut() else {
            return;
        };
        let problems = &mut self.report.problems;
        if list.plan.replace(tests).is_some() {
            problems.push("a second plan in one list".to_owned());
        }
        if let (0, Some(reason)) = (tests, skip) {
            list.plan = Some(1);
            list.tests.push(Test {
                name: "everything".to_owned(),
                result: Result::Skipped(reason),
                inner: Vec::new(),
                diagnostics: Vec::new(),
            });
        }
    }

    fn result(
        &mut self,
        indent: usize,
        ok: bool,
        number: Option<u64>,
        name: String,
        directive: Option<Directive>,
    ) {
        self.close_to(indent);
        let inner = std::mem::take(&mut self.inner);
        let Some(list) = self.open.last_mut() else {
            return;
        };
        let expected = list.tests.len() as u64 + 1;
        if number.is_some_and(|n| n != expected) {
            let number = number.unwrap_or_default();
            self.report.problems.push(format!(
                "test {number} ({name}) where number {expected} was due"
            ));
        }
        list.tests.push(Test {
            result: judged(ok, directive),
            name,
            inner,
            diagnostics: std::mem::take(&mut list.diagnostics),
        });
    }

    /// Closes lists further in than `indent`; the outermost stays.
    fn close_to(&mut self, indent: usize) {
        while self.open.len() > 1 && self.open.last().is_some_and(|l| l.indent > indent) {
            if let Some(list) = self.open.pop() {
                self.close(list);
            }
        }
    }

    fn close(&mut self, list: List) {
        let seen = list.tests.len() as u64;
        let problem = match list.plan {
            None if seen == 0 => Some("a list without tests".to_owned()),
            None => Some(format!("no plan for {seen} tests")),
            Some(planned) if planned > seen => {
                Some(format!("{} of {planned} tests are missing", planned - seen))
            }
            Some(planned) if planned < seen => {
                Some(format!("{seen} tests where {planned} were planned"))
            }
            Some(_) => None,
        };
        self.report.problems.extend(problem);
        // A list whose result never came: what it held must not get lost.
        self.report.tests.append(&mut self.inner);
        if self.open.is_empty() {
            self.report.tests.extend(list.tests);
        } else {
            self.inner = list.tests;
        }
    }

    fn end(mut self) -> Report {
        while let Some(list) = self.open.pop() {
            let nested = !self.open.is_empty();
            self.close(list);
            if nested {
                let problem = "inner tests without the result they belong to";
                self.report.problems.push(problem.to_owned());
            }
        }
        self.report
    }
}

fn judged(ok: bool, directive: Option<Directive>) -> Result {
    match (ok, directive) {
        (true, Some(Directive::Skip(reason))) => Result::Skipped(reason),
        (_, Some(Directive::ExpectedFailure(reason))) => {
            Result::Skipped(format!("known to fail: {reason}"))
        }
        (_, Some(Directive::Broken(_))) | (false, _) => Result::Failed,
        (true, None) => Result::Passed,
    }
}

impl Report {
    /// How many tests passed, failed and were skipped.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for (_, test) in self.leaves() {
            match test.result {
                Result::Passed => counts.passed += 1,
                Result::Failed => counts.failed += 1,
                Result::Skipped(_) => counts.skipped += 1,
            }
        }
        counts
    }

    /// Names of the tests that failed, from the outermost list inwards.
    pub fn failures(&self) -> Vec<(String, Vec<String>)> {
        let mut leaves = self.leaves();
        leaves.retain(|(_, test)| test.result == Result::Failed);
        let failure = |(path, test): (String, &Test)| (path, test.diagnostics.clone());
        leaves.into_iter().map(failure).collect()
    }

    /// Names and reasons of the tests that were skipped.
    pub fn skips(&self) -> Vec<(String, String)> {
        let skip = |(path, test): (String, &Test)| match &test.result {
            Result::Skipped(reason) => Some((path, reason.clone())),
            _ => None,
        };
        self.leaves().into_iter().filter_map(skip).collect()
    }

    /// Each test that counts, with its path: one without tests inside, or one that
    /// failed although none inside did.
    fn leaves(&self) -> Vec<(String, &Test)> {
        let mut found = Vec::new();
        self.tests
            .iter()
            .for_each(|test| visit(test, "", &mut found));
        found
    }
}

fn visit<'a>(test: &'a Test, above: &str, found: &mut Vec<(String, &'a Test)>) {
    let path = match above {
        "" => test.name.clone(),
        above => format!("{above}/{}", test.name),
    };
    let lone = test.result == Result::Failed && !test.inner.iter().any(Test::failed);
    if test.inner.is_empty() || lone {
        found.push((path.clone(), test));
    }
    for inner in &test.inner {
        visit(inner, &path, found);
    }
}

impl Test {
    fn failed(&self) -> bool {
        self.result == Result::Failed || self.inner.iter().any(Test::failed)
    }
}
