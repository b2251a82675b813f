//! What a killed run has left changed, in a line each: for `doctor`, and for the
//! next run.

use harness::journal::{self, Pending};

/// As many changes are named; the others are counted.
const NAMED: usize = 2;

/// Of this user's journals; empty where all is in order.
pub fn lines() -> Vec<String> {
    let pending = journal::pending(&journal::places());
    pending.iter().map(line).collect()
}

/// All of it in one line, where there is anything.
pub fn note() -> Option<String> {
    let lines = lines();
    let more = match lines.len() {
        0 | 1 => String::new(),
        n => format!(" (and {} more: pontage doctor --all)", n - 1),
    };
    lines.first().map(|line| format!("note: {line}{more}"))
}

fn line(pending: &Pending) -> String {
    let text = match pending {
        Pending::Changes { changed, .. } => {
            let named = changed.iter().take(NAMED);
            let mut named: Vec<String> = named.map(|path| path.display().to_string()).collect();
            if changed.len() > NAMED {
                named.push(format!("{} more", changed.len() - NAMED));
            }
            let named = named.join(", ");
            format!("a killed run left the machine changed ({named}); to undo it: pontage restore")
        }
        Pending::Refused { cause, remedy } => format!("{cause}; {remedy}"),
        Pending::OfOthers { text } => text.clone(),
        Pending::Unreadable { journal, cause } => {
            let journal = journal.display();
            format!("cannot read journal {journal}: {cause}; look at it, then remove it")
        }
    };
    escape::terminal(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_changed_is_named_with_the_command_and_cannot_forge_a_line() {
        let changes = Pending::Changes {
            folder: "/s".into(),
            changed: vec!["/sys/a\n/b".into(), "/c".into(), "/d".into(), "/e".into()],
        };
        assert_eq!(
            line(&changes),
            "a killed run left the machine changed (/sys/a /b, /c, 2 more); to undo it: pontage \
             restore"
        );
    }
}
