//! A group: events opened together, so that the kernel puts all of them on
//! counters or none.

use super::layer::{Layer, Target};
use super::members::Members;
use super::reading::{Count, ReadError, Times};
use super::refusal::Refusal;
use super::table::{Code, Event, EventKind};
use crate::perf_attr::Scope;
use serde::{Deserialize, Serialize};

/// An event of the group: the open events whose sum it is, or why it is not
/// there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    pub alias: String,
    pub kind: EventKind,
    members: Vec<usize>,
    pub refusal: Option<Refusal>,
}

/// How a group is laid out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Seats {
    /// Places, from 0, whose counter is known not to count: `placeholder` takes them.
    pub idle: Vec<usize>,
    pub placeholder: Option<(EventKind, Code)>,
    /// Whose work is counted; None: the kernel's too where this process may look into it,
    /// else the user's alone.
    pub scope: Option<Scope>,
    /// Read by system call only.
    pub by_call: bool,
}

/// Open events that are counted together.
pub struct Group<L: Layer> {
    seats: Seats,
    scope: Scope,
    slots: Vec<Slot>,
    members: Members<L>,
    /// What each member counts, by its place; None of a placeholder. Opened once however
    /// many slots use it.
    known: Vec<Option<(EventKind, u64, u64)>>,
    before: Vec<Times>,
    after: Vec<Times>,
}

impl<L: Layer> Group<L> {
    /// Opens what can be opened of `events` and starts to count. Events that
    /// cannot be are kept as slots with their refusal. Counts the kernel's
    /// work too where this process may look into it, else the user's alone.
    pub fn open(layer: L, events: &[Event], target: Target) -> Self {
        Group::seated(layer, events, target, &Seats::default())
    }

    /// As [`Group::open`], laid out as `seats` says.
    pub fn seated(layer: L, events: &[Event], target: Target, seats: &Seats) -> Self {
        let mut group = Group {
            seats: seats.clone(),
            scope: seats.scope.unwrap_or(Scope::Kernel),
            slots: Vec::new(),
            members: Members::new(layer, target),
            known: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
        };
        if seats.by_call {
            group.members.by_call();
        }
        for event in events {
            let slot = group.slot(event);
            group.slots.push(slot);
        }
        group.start();
        group
    }

    /// The events, in the order asked for.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Whether the kernel's work is in the counts.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Nothing could be opened.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    fn slot(&mut self, event: &Event) -> Slot {
        let mut slot = Slot {
            alias: event.alias.clone(),
            kind: event.kind,
            members: Vec::new(),
            refusal: event.absent.clone().map(Refusal::NoEvent),
        };
        let opened_before = self.members.len();
        for code in &event.codes {
            match self.member(event.kind, code) {
                Ok(place) => slot.members.push(place),
                Err(refusal) => {
                    // Half a sum must not take a counter from the others.
                    self.members.truncate(opened_before);
                    self.known.truncate(opened_before);
                    slot.members.clear();
                    slot.refusal = Some(refusal);
                    break;
                }
            }
        }
        slot
    }

    fn member(&mut self, kind: EventKind, code: &Code) -> Result<usize, Refusal> {
        let wanted = Some((kind, code.config, code.config1));
        if let Some(place) = self.known.iter().position(|known| *known == wanted) {
            return Ok(place);
        }
        self.fill_idle(kind, code)?;
        let code_of = code.of(kind);
        let place = match self.members.push(code_of, self.scope) {
            Err(libc::EACCES | libc::EPERM) if self.may_narrow() => {
                self.scope = Scope::User;
                self.members.push(code_of, self.scope)
            }
            tried => tried,
        };
        if self.scope == Scope::User && counted_in_the_kernel(kind, code) {
            self.members.truncate(self.known.len());
            return Err(Refusal::KernelOnly);
        }
        let place = place.map_err(|errno| self.refusal(kind, code, errno))?;
        self.known.push(wanted);
        Ok(place)
    }

    /// Puts placeholders on the places before the next one that counts.
    fn fill_idle(&mut self, kind: EventKind, code: &Code) -> Result<(), Refusal> {
        while self.seats.idle.contains(&self.members.len()) {
            let placeholder = self.seats.placeholder.clone();
            let (its_kind, its_code) = placeholder.unwrap_or_else(|| (kind, code.clone()));
            let pushed = self.members.push(its_code.of(its_kind), self.scope);
            pushed.map_err(|errno| self.refusal(its_kind, &its_code, errno))?;
            self.known.push(None);
        }
        Ok(())
    }

    /// All events of a group have one scope: it is settled by the first.
    fn may_narrow(&self) -> bool {
        self.members.is_empty() && self.seats.scope.is_none() && self.scope == Scope::Kernel
    }

    /// The kernel says EINVAL both for an event it does not know and for one
    /// too many: opened alone, the latter succeeds.
    fn refusal(&mut self, kind: EventKind, code: &Code, errno: i32) -> Refusal {
        let in_a_group = !self.members.is_empty();
        let alone = |members: &mut Members<L>| members.opens_alone(code.of(kind), self.scope);
        if errno == libc::EINVAL && in_a_group && alone(&mut self.members) {
            return Refusal::Full;
        }
        Refusal::Errno(errno, self.scope)
    }

    fn start(&mut self) {
        if let Err(errno) = self.members.start() {
            self.members.truncate(0);
            self.known.clear();
            for slot in self.slots.iter_mut().filter(|s| s.refusal.is_none()) {
                slot.members.clear();
                slot.refusal = Some(Refusal::Errno(errno, self.scope));
            }
        }
    }

    /// Notes the totals: what counts from here on is of the work.
    ///
    /// # Errors
    /// When the group cannot be read.
    #[inline]
    pub fn begin(&mut self) -> Result<(), ReadError> {
        let mut before = std::mem::take(&mut self.before);
        let read = self.members.read(&mut before);
        self.before = before;
        read
    }

    /// What each slot counted since [`Group::begin`].
    ///
    /// # Errors
    /// When the group cannot be read.
    #[inline]
    pub fn end(&mut self) -> Result<Vec<Count>, ReadError> {
        let mut after = std::mem::take(&mut self.after);
        let read = self.members.read(&mut after);
        self.after = after;
        read?;
        Ok(self.slots.iter().map(|slot| self.count(slot)).collect())
    }

    fn count(&self, slot: &Slot) -> Count {
        let of = |m: &usize| match (self.before.get(*m), self.after.get(*m)) {
            (Some(before), Some(after)) => Count::between(*before, *after),
            _ => Count::ABSENT,
        };
        let counts = slot.members.iter().map(of);
        counts.reduce(Count::plus).unwrap_or(Count::ABSENT)
    }
}

/// The kernel raises these from its own code: to a process that may not look
/// into it, it counts none of them and says so nowhere.
fn counted_in_the_kernel(kind: EventKind, code: &Code) -> bool {
    const CONTEXT_SWITCHES: u64 = 3;
    const CPU_MIGRATIONS: u64 = 4;
    kind == EventKind::Software && [CONTEXT_SWITCHES, CPU_MIGRATIONS].contains(&code.config)
}
