//! A group: events opened together, so that the kernel puts all of them on
//! counters or none.

use super::layer::{Layer, Target};
use super::reading::{Count, ReadError, Times, bytes_of, totals};
use super::refusal::Refusal;
use super::table::{Code, Event, EventKind};
use crate::perf_attr::{Attr, Scope};

/// An event of the group: the open events whose sum it is, or why it is not
/// there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    pub alias: String,
    pub kind: EventKind,
    members: Vec<usize>,
    pub refusal: Option<Refusal>,
}

/// An event of the processor, opened once however many slots use it.
#[derive(Debug)]
struct Member<H> {
    kind: EventKind,
    code: Code,
    handle: H,
    id: u64,
}

/// Open events that are counted together.
#[derive(Debug)]
pub struct Group<L: Layer> {
    layer: L,
    target: Target,
    scope: Scope,
    slots: Vec<Slot>,
    members: Vec<Member<L::Handle>>,
    ids: Vec<u64>,
    bytes: Vec<u8>,
    before: Vec<Times>,
    after: Vec<Times>,
}

impl<L: Layer> Group<L> {
    /// Opens what can be opened of `events` and starts to count. Events that
    /// cannot be are kept as slots with their refusal. Counts the kernel's
    /// work too where this process may look into it, else the user's alone.
    pub fn open(layer: L, events: &[Event], target: Target) -> Self {
        let mut group = Group {
            layer,
            target,
            scope: Scope::Kernel,
            slots: Vec::new(),
            members: Vec::new(),
            ids: Vec::new(),
            bytes: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
        };
        for event in events {
            let slot = group.slot(event);
            group.slots.push(slot);
        }
        group.ids = group.members.iter().map(|m| m.id).collect();
        group.bytes = vec![0; bytes_of(group.members.len())];
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
                    slot.members.clear();
                    slot.refusal = Some(refusal);
                    break;
                }
            }
        }
        slot
    }

    fn member(&mut self, kind: EventKind, code: &Code) -> Result<usize, Refusal> {
        let same = |m: &Member<_>| {
            (m.kind, m.code.config, m.code.config1) == (kind, code.config, code.config1)
        };
        if let Some(place) = self.members.iter().position(same) {
            return Ok(place);
        }
        let handle = match self.try_open(kind, code, true) {
            Err(libc::EACCES | libc::EPERM) if self.may_narrow() => {
                self.scope = Scope::User;
                self.try_open(kind, code, true)
            }
            tried => tried,
        };
        if self.scope == Scope::User && counted_in_the_kernel(kind, code) {
            return Err(Refusal::KernelOnly);
        }
        let handle = handle.map_err(|errno| self.refusal(kind, code, errno))?;
        let id = self
            .layer
            .id(&handle)
            .map_err(|errno| Refusal::Errno(errno, self.scope))?;
        let code = code.clone();
        self.members.push(Member {
            kind,
            code,
            handle,
            id,
        });
        Ok(self.members.len() - 1)
    }

    /// All events of a group have one scope: it is settled by the first.
    fn may_narrow(&self) -> bool {
        self.members.is_empty() && self.scope == Scope::Kernel
    }

    fn try_open(&mut self, kind: EventKind, code: &Code, in_group: bool) -> Result<L::Handle, i32> {
        let leader = self.members.first().filter(|_| in_group);
        let attr = Attr::counting(
            kind as u32,
            code.config,
            code.config1,
            self.scope,
            leader.is_none(),
        );
        self.layer
            .open(&attr, self.target, leader.map(|m| &m.handle))
    }

    /// The kernel says EINVAL both for an event it does not know and for one
    /// too many: opened alone, the latter succeeds.
    fn refusal(&mut self, kind: EventKind, code: &Code, errno: i32) -> Refusal {
        let in_a_group = !self.members.is_empty();
        if errno == libc::EINVAL && in_a_group && self.try_open(kind, code, false).is_ok() {
            return Refusal::Full;
        }
        Refusal::Errno(errno, self.scope)
    }

    fn start(&mut self) {
        let leader = self.members.first();
        let refused = leader.and_then(|leader| self.layer.enable(&leader.handle).err());
        if let Some(errno) = refused {
            self.members.clear();
            self.ids.clear();
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
        let read = self.read(&mut before);
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
        let read = self.read(&mut after);
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

    fn read(&mut self, into: &mut Vec<Times>) -> Result<(), ReadError> {
        into.clear();
        let Some(leader) = self.members.first() else {
            return Ok(());
        };
        for member in &self.members {
            match self.layer.read_here(&member.handle) {
                Some(times) => into.push(times),
                None => break,
            }
        }
        if into.len() == self.members.len() {
            return Ok(());
        }
        let have = self
            .layer
            .read(&leader.handle, &mut self.bytes)
            .map_err(ReadError::Call)?;
        totals(&self.bytes[..have.min(self.bytes.len())], &self.ids, into)
    }
}

/// The kernel raises these from its own code: to a process that may not look
/// into it, it counts none of them and says so nowhere.
fn counted_in_the_kernel(kind: EventKind, code: &Code) -> bool {
    const CONTEXT_SWITCHES: u64 = 3;
    const CPU_MIGRATIONS: u64 = 4;
    kind == EventKind::Software && [CONTEXT_SWITCHES, CPU_MIGRATIONS].contains(&code.config)
}
