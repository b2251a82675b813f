//! What `prev_state` of a switch says, as the kernel that was traced numbers it.

use crate::print::constant;
use serde::Serialize;

/// What ended a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Taken off inside the kernel while runnable (`R+`).
    Preempted,
    /// Off and still runnable (`R`): on the way back to user space, where kernels
    /// that preempt by their tick take the CPU; by sched_yield where the trace
    /// has no system calls.
    StillRunnable,
    /// Off and still runnable (`R`), inside sched_yield.
    Yielded,
    /// Went to sleep, in the state of this letter.
    Blocked(char),
    /// The task ended.
    Exited,
    /// The capture, or what is known of the CPU, ends here.
    Cut,
}

impl End {
    /// Whether the task wanted to go on.
    pub fn wants_more(self) -> bool {
        matches!(self, End::Preempted | End::StillRunnable | End::Yielded)
    }

    /// Whether the CPU was taken from it, as the kernel counts involuntary
    /// switches (`nonvoluntary_ctxt_switches`), less what was given away.
    pub fn is_involuntary(self) -> bool {
        matches!(self, End::Preempted | End::StillRunnable)
    }

    /// As `trace-cmd report` and people write it.
    pub fn letters(self) -> String {
        match self {
            End::Preempted => "R+".to_owned(),
            End::StillRunnable | End::Yielded => "R".to_owned(),
            End::Blocked(letter) => letter.to_string(),
            End::Exited => "X".to_owned(),
            End::Cut => "-".to_owned(),
        }
    }
}

/// The states of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct States {
    /// Bits and their letters.
    letters: Vec<(u64, char)>,
    /// Set where a runnable task was taken off inside the kernel (`R+`).
    preempted: u64,
    /// Whether the table is the format's own, not the usual one.
    pub from_format: bool,
}

impl Default for States {
    fn default() -> Self {
        let letters = "SDTtXZPI".chars().enumerate();
        States {
            letters: letters.map(|(bit, letter)| (1 << bit, letter)).collect(),
            preempted: 0x100,
            from_format: false,
        }
    }
}

impl States {
    /// From the `print fmt` of sched_switch; the usual ones where it has none.
    pub fn parse(print: &str) -> States {
        parsed(print).unwrap_or_default()
    }

    /// How the slice of a task that is switched out in `state` ended.
    #[inline]
    pub fn end(&self, state: u64) -> End {
        if state & self.preempted != 0 {
            return End::Preempted;
        }
        if state & (self.preempted - 1) == 0 {
            return End::StillRunnable;
        }
        let found = self.letters.iter().find(|(bit, _)| state & bit != 0);
        match found.map(|(_, letter)| *letter) {
            Some('X' | 'Z' | 'x') => End::Exited,
            Some(letter) => End::Blocked(letter),
            None => End::Blocked('?'),
        }
    }
}

fn parsed(print: &str) -> Option<States> {
    let list = &print[print.find("__print_flags")?..];
    let list = &list[list.find('{')?..];
    // The list ends where the next argument begins.
    let list = &list[..list.find(')').unwrap_or(list.len())];
    let mut letters = Vec::new();
    for pair in list.split('{').skip(1) {
        let (bit, rest) = pair.split_once(',')?;
        let letter = rest.split('"').nth(1)?.chars().next()?;
        letters.push((constant(bit)?, letter));
    }
    // ... REC->prev_state & MASK ? "+" : ""
    let before = &print[..print.find("? \"+\"")?];
    let mask = &before[before.rfind("prev_state")? + "prev_state".len()..];
    let preempted = constant(mask.trim_start().strip_prefix('&')?)?;
    (preempted.is_power_of_two() && !letters.is_empty()).then_some(States {
        letters,
        preempted,
        from_format: true,
    })
}

#[cfg(test)]
mod tests {
    use super::End;
    use super::States;
    use proptest::prelude::*;

    const NEW: &str = r#""x", (REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & ((((0x00000001 | 0x00000040) + 1) << 1) - 1), "|", { 0x00000001, "S" }, { 0x00000002, "D" }, { 0x00000010, "X" }, { 0x00000020, "Z" }, { 0x00000080, "I" }) : "R", REC->prev_state & (((0x00000000 | 0x0000007f) + 1) << 1) ? "+" : "", REC->next_comm"#;
    const OLD: &str = r#""x", REC->prev_state & (1024-1) ? __print_flags(REC->prev_state & (1024-1), "|", { 1, "S"} , { 2, "D" }, { 4, "T" }, { 16, "Z" }, { 32, "X" }) : "R", REC->prev_state & 1024 ? "+" : "", 1"#;

    #[test]
    fn the_kernels_own_numbers_count() {
        let new = States::parse(NEW);
        assert!(new.from_format);
        assert_eq!(new.end(0x100), End::Preempted);
        assert_eq!(new.end(0), End::StillRunnable);
        assert_eq!(new.end(1), End::Blocked('S'));
        assert_eq!(new.end(0x80), End::Blocked('I'));
        assert_eq!(new.end(0x20), End::Exited);
        let old = States::parse(OLD);
        assert_eq!((old.preempted, old.end(1024)), (1024, End::Preempted));
        assert_eq!(old.end(32), End::Exited);
        assert_eq!(old.end(0x100), End::Blocked('?'));
    }

    #[test]
    fn without_a_table_the_usual_one_holds() {
        let usual = States::parse("");
        assert!(!usual.from_format);
        assert_eq!(usual.end(0x102), End::Preempted);
        assert_eq!(usual.end(2), End::Blocked('D'));
    }

    proptest! {
        #[test]
        fn any_text_gives_states(text in r#"[-{}0-9x"+|<&?() SDprev_state_printflags,]{0,80}"#) {
            let states = States::parse(&text);
            let _ = (states.end(0), states.end(u64::MAX), states.end(3));
        }
    }
}
