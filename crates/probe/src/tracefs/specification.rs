//! What `-e` can say: `NAME [trigger TRIGGER] [if FILTER]`.

use std::convert::Infallible;
use std::str::FromStr;

/// One wish. NAME is a set (`sched`), a system (`syscalls`), an event
/// (`sched_switch`, `irq:irq_handler_entry`) or a glob of them (`irq:soft*`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Specification {
    pub name: String,
    /// In the kernel's language, without the `if`.
    pub filter: Option<String>,
    /// In the kernel's language; it has an `if` of its own.
    pub trigger: Option<String>,
}

impl Specification {
    /// With one more filter, which has to hold too.
    pub fn and(mut self, filter: &str) -> Specification {
        self.filter = Some(match self.filter {
            None => filter.to_owned(),
            Some(own) => format!("({own}) && ({filter})"),
        });
        self
    }
}

impl FromStr for Specification {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        // A trigger's own condition is its own.
        let (name, filter, trigger) = match (text.split_once(" trigger "), text.split_once(" if "))
        {
            (Some((name, trigger)), _) => (name, None, Some(trigger)),
            (None, Some((name, filter))) => (name, Some(filter), None),
            (None, None) => (text, None, None),
        };
        let trimmed = |part: &str| part.trim().to_owned();
        Ok(Specification {
            name: trimmed(name),
            filter: filter.map(trimmed),
            trigger: trigger.map(trimmed),
        })
    }
}

/// `*` any text, `?` any character.
pub fn matches(glob: &str, text: &str) -> bool {
    let mut glob_chars = glob.chars();
    match glob_chars.next() {
        None => text.is_empty(),
        Some('*') => {
            let rest = glob_chars.as_str();
            let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.any(|at| matches(rest, &text[at..]))
        }
        Some(wanted) => {
            let mut chars = text.chars();
            let found = chars.next();
            found.is_some_and(|c| wanted == '?' || wanted == c)
                && matches(glob_chars.as_str(), chars.as_str())
        }
    }
}

/// Whether the text has characters of a pattern: `*`, `?`, `[`.
pub fn is_glob(text: &str) -> bool {
    text.contains(['*', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (String, Option<String>, Option<String>) {
        let Ok(s) = text.parse::<Specification>();
        (s.name, s.filter, s.trigger)
    }

    #[test]
    fn a_name_a_filter_or_a_trigger() {
        let some = |t: &str| Some(t.to_owned());
        assert_eq!(parsed("sched"), ("sched".to_owned(), None, None));
        assert_eq!(
            parsed("irq:irq_handler_entry if irq==21 && name == \"x if y\""),
            (
                "irq:irq_handler_entry".to_owned(),
                some("irq==21 && name == \"x if y\""),
                None
            )
        );
        assert_eq!(
            parsed("sched:sched_switch trigger stacktrace:5 if prev_pid == 1"),
            (
                "sched:sched_switch".to_owned(),
                None,
                some("stacktrace:5 if prev_pid == 1")
            )
        );
    }

    #[test]
    fn globs_are_those_of_a_shell() {
        assert!(matches("*", ""));
        assert!(matches("soft*", "softirq_raise"));
        assert!(matches("*irq*e?try", "softirq_entry"));
        assert!(!matches("soft*", "irq_handler_entry"));
        assert!(!matches("a?", "a"));
        assert!(!matches("", "a"));
    }
}
