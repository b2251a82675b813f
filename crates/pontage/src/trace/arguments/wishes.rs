//! `-e EVENTS -f FILTER ...`, in the order in which they stand, as trace-cmd takes
//! them: a filter is one for the event before it.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

const EVENT: &str = "event";
const FILTER: &str = "filter";

/// What was asked to be recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Each with the filter behind it.
    pub events: Vec<(String, Option<String>)>,
    /// What stands before the first event: for every one that has no filter.
    pub filter: Option<String>,
}

/// Both have to hold.
fn and(filter: &mut Option<String>, other: &str) {
    *filter = Some(match filter.take() {
        None => other.to_owned(),
        Some(first) => format!("({first}) && ({other})"),
    });
}

impl Wishes {
    fn read(matches: &ArgMatches) -> Wishes {
        let mut all: Vec<(usize, bool, &String)> = Vec::new();
        for (id, is_event) in [(EVENT, true), (FILTER, false)] {
            let indices = matches.indices_of(id).into_iter().flatten();
            let values = matches.get_many::<String>(id).into_iter().flatten();
            all.extend(indices.zip(values).map(|(at, text)| (at, is_event, text)));
        }
        all.sort_unstable();
        let mut wishes = Wishes::default();
        for (_, is_event, text) in all {
            match (is_event, wishes.events.last_mut()) {
                (true, _) => wishes.events.push((text.clone(), None)),
                (false, Some((_, filter))) => and(filter, text),
                (false, None) => and(&mut wishes.filter, text),
            }
        }
        wishes
    }
}

impl FromArgMatches for Wishes {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(Wishes::read(matches))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Wishes::read(matches);
        Ok(())
    }
}

impl Args for Wishes {
    fn augment_args(command: Command) -> Command {
        let event = Arg::new(EVENT)
            .long(EVENT)
            .short('e')
            .value_name("EVENTS")
            .action(ArgAction::Append)
            .help(
                "What to record: a set, a system, SYSTEM:EVENT, a glob, 'all'. 'E if FILTER' \
                 records only events that pass the filter, 'E trigger T' sets a trigger (default: \
                 default; with functions: sched_switch)",
            );
        let filter = Arg::new(FILTER)
            .long(FILTER)
            .short('f')
            .value_name("FILTER")
            .action(ArgAction::Append)
            .help(
                "Filter for the preceding -e: 'prev_pid == 17'; before the first -e: for every \
                 event without its own filter",
            );
        command.arg(event).arg(filter)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

#[cfg(test)]
mod tests {
    use super::Wishes;
    use clap::{Args, Command, FromArgMatches};

    fn read(words: &[&str]) -> Wishes {
        let command = Wishes::augment_args(Command::new("x"));
        let words = ["x"].iter().chain(words);
        let matches = command.try_get_matches_from(words).unwrap();
        Wishes::from_arg_matches(&matches).unwrap()
    }

    #[test]
    fn a_filter_is_one_for_the_event_before_it() {
        let some = |text: &str| Some(text.to_owned());
        let wishes = read(&[
            "-e", "A", "-f", "a == 1", "-e", "B", "--filter", "b > 2", "-e", "C",
        ]);
        let wanted = [("A", some("a == 1")), ("B", some("b > 2")), ("C", None)];
        assert_eq!(wishes.events, wanted.map(|(e, f)| (e.to_owned(), f)));
        assert_eq!(wishes.filter, None);
        let both = read(&["-e", "A", "-f", "a", "-f", "b"]);
        assert_eq!(both.events, [("A".to_owned(), some("(a) && (b)"))]);
        let before = read(&["-f", "a", "-e", "A", "-e", "B"]);
        assert_eq!((before.events.len(), before.filter), (2, some("a")));
        assert_eq!(read(&[]), Wishes::default());
    }
}
