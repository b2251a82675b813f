//! What the kernel says of a group, taken apart.

/// Running totals of one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Times {
    pub value: u64,
    /// Time the event was meant to count, ns.
    pub enabled_ns: u64,
    /// Time it was on a counter, ns.
    pub running_ns: u64,
}

/// How far a count is to be trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum State {
    /// On a counter all the time.
    Counted,
    /// On a counter for this share of the time, 0..1; the value is scaled up
    /// by its inverse.
    Scaled { share: f64 },
    /// Never on a counter: there is no value.
    NotCounted,
    /// Could not be opened; the group's slot says why.
    Absent,
}

/// What one event counted between two readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Count {
    /// Events; 0 where the state says that nothing was counted.
    pub value: f64,
    pub enabled_ns: u64,
    pub running_ns: u64,
    pub state: State,
}

/// Why bytes are no reading of a group.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// So many bytes, so many needed.
    #[error("cannot read counters: {have} bytes instead of {need}")]
    Short { have: usize, need: usize },
    /// The reading does not name an event that was opened.
    #[error("cannot read counters: event {id} is missing")]
    Missing { id: u64 },
    /// read(2) failed: its errno.
    #[error("cannot read counters: {}", std::io::Error::from_raw_os_error(*.0))]
    Call(i32),
}

const WORD: usize = 8;
/// Number of events, time enabled, time running.
const HEAD_WORDS: usize = 3;
/// Value and id of an event.
const EVENT_WORDS: usize = 2;

/// Bytes of a reading of `events` events.
pub fn bytes_of(events: usize) -> usize {
    (HEAD_WORDS + EVENT_WORDS * events) * WORD
}

/// Totals of the events `ids`, in their order, from what read(2) gave for a
/// group opened with the format GROUP | ID | TOTAL_TIME_ENABLED |
/// TOTAL_TIME_RUNNING. The kernel may list them in any order.
///
/// # Errors
/// Too few bytes, or an id that is not there.
pub fn totals(bytes: &[u8], ids: &[u64], into: &mut Vec<Times>) -> Result<(), ReadError> {
    into.clear();
    let short = |need| ReadError::Short {
        have: bytes.len(),
        need,
    };
    let (events, enabled_ns, running_ns) = match (word(bytes, 0), word(bytes, 1), word(bytes, 2)) {
        (Some(events), Some(enabled), Some(running)) => (events, enabled, running),
        _ => return Err(short(bytes_of(0))),
    };
    let events = usize::try_from(events).unwrap_or(usize::MAX);
    let need = events
        .checked_mul(EVENT_WORDS * WORD)
        .and_then(|b| b.checked_add(bytes_of(0)));
    if need.is_none_or(|need| bytes.len() < need) {
        return Err(short(need.unwrap_or(usize::MAX)));
    }
    for id in ids {
        let place =
            (0..events).find(|i| word(bytes, HEAD_WORDS + EVENT_WORDS * i + 1) == Some(*id));
        let value = place.and_then(|i| word(bytes, HEAD_WORDS + EVENT_WORDS * i));
        into.push(Times {
            value: value.ok_or(ReadError::Missing { id: *id })?,
            enabled_ns,
            running_ns,
        });
    }
    Ok(())
}

fn word(bytes: &[u8], index: usize) -> Option<u64> {
    let at = index.checked_mul(WORD)?;
    let slice = bytes.get(at..at.checked_add(WORD)?)?;
    Some(u64::from_ne_bytes(slice.try_into().ok()?))
}

impl Count {
    /// Of an event that the group does not have.
    pub const ABSENT: Count = Count {
        value: 0.0,
        enabled_ns: 0,
        running_ns: 0,
        state: State::Absent,
    };

    /// What passed between two totals.
    pub fn between(before: Times, after: Times) -> Count {
        let value = after.value.saturating_sub(before.value) as f64;
        let enabled_ns = after.enabled_ns.saturating_sub(before.enabled_ns);
        let running_ns = after.running_ns.saturating_sub(before.running_ns);
        let count = |value, state| Count {
            value,
            enabled_ns,
            running_ns,
            state,
        };
        if running_ns == 0 {
            count(0.0, State::NotCounted)
        } else if running_ns < enabled_ns {
            let share = running_ns as f64 / enabled_ns as f64;
            count(value / share, State::Scaled { share })
        } else {
            count(value, State::Counted)
        }
    }

    /// Both together: the sides of a transfer, or the parts of an event. What
    /// one side lacks, the sum lacks.
    pub fn plus(self, other: Count) -> Count {
        let state = match (self.state, other.state) {
            (State::Absent, _) | (_, State::Absent) => State::Absent,
            (State::NotCounted, _) | (_, State::NotCounted) => State::NotCounted,
            (State::Scaled { share: a }, State::Scaled { share: b }) => {
                State::Scaled { share: a.min(b) }
            }
            (State::Scaled { share }, _) | (_, State::Scaled { share }) => State::Scaled { share },
            (State::Counted, State::Counted) => State::Counted,
        };
        let value = match state {
            State::Counted | State::Scaled { .. } => self.value + other.value,
            State::NotCounted | State::Absent => 0.0,
        };
        Count {
            value,
            enabled_ns: self.enabled_ns.saturating_add(other.enabled_ns),
            running_ns: self.running_ns.saturating_add(other.running_ns),
            state,
        }
    }

    /// The number of events, where there is one.
    pub fn known(&self) -> Option<f64> {
        match self.state {
            State::Counted | State::Scaled { .. } => Some(self.value),
            State::NotCounted | State::Absent => None,
        }
    }

    /// Share of the time that was counted, 0..=1; `None` for what is absent.
    pub fn share(&self) -> Option<f64> {
        match self.state {
            State::Counted => Some(1.0),
            State::Scaled { share } => Some(share),
            State::NotCounted => Some(0.0),
            State::Absent => None,
        }
    }
}
