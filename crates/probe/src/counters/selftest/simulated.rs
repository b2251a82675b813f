//! A kernel and a processor that are made up, with faults planted: proves what the self-test
//! says of them, on machines that have no counters as well.

use super::work::{JUMPS, Loop, Work};
use crate::counters::GroupName;
use crate::counters::layer::{Layer, Target};
use crate::counters::reading::Times;
use crate::counters::table::Table;
use crate::perf_attr::Attr;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What is wrong with the counters. Places are those in a group, from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Planted {
    /// Reads 0, whatever stands there, and the kernel says that it ran all the time.
    Dead(usize),
    /// Instructions have a fixed counter, which the first of them in a group always gets, as on
    /// Intel's processors; of the general counters, by number, this one reads 0.
    DeadBesideFixed(usize),
    /// Counts this share of what happened.
    Low(usize, f64),
    /// Each holds what the other counted.
    Swapped(usize, usize),
    /// Groups of so many and more are never on the counters.
    Starved(usize),
    /// Groups of so many and more are on the counters for this share of the time.
    Multiplexed(usize, f64),
    /// The shared page says something else than read(2).
    WrongPage,
    /// A reading of the group takes this many of the user's instructions.
    Reading(f64),
    /// Counts the kernel's work as the user's.
    NotApart,
    /// Two events, by alias, that need the same counter: no group can have both.
    Conflict(&'static str, &'static str),
}

/// The kernel; clones are the same one.
#[derive(Debug, Clone)]
pub struct Simulated(Rc<RefCell<State>>);

#[derive(Debug)]
struct State {
    slots: usize,
    planted: Vec<Planted>,
    /// Alias by code.
    aliases: BTreeMap<(u32, u64, u64), String>,
    /// Others than the caller may look into the kernel.
    user_only: bool,
    /// What happened so far: by the user, and by the kernel.
    happened: [Happened; 2],
    now_ns: u64,
    open: BTreeMap<u64, Opened>,
    next_id: u64,
}

type Happened = BTreeMap<&'static str, f64>;

#[derive(Debug, Clone)]
struct Opened {
    alias: String,
    leader: u64,
    place: usize,
    user: bool,
    kernel: bool,
    begun: f64,
    since_ns: u64,
}

impl Simulated {
    /// A processor with so many counters, whose events `table` knows.
    pub fn new(table: &Table, slots: usize, planted: &[Planted]) -> Self {
        let events = GroupName::ALL
            .into_iter()
            .flat_map(|group| table.events(group));
        let software = Table::software().events(GroupName::Software);
        let codes = events.chain(software).flat_map(|event| {
            let (kind, alias) = (event.kind, event.alias.clone());
            let codes = event.codes.into_iter();
            codes.map(move |code| (code.of(kind), alias.clone()))
        });
        // The first alias of a code is the one that it counts.
        let mut aliases = BTreeMap::new();
        for (code, alias) in codes {
            aliases.entry(code).or_insert(alias);
        }
        Simulated(Rc::new(RefCell::new(State {
            slots,
            planted: planted.to_vec(),
            aliases,
            user_only: false,
            happened: Default::default(),
            now_ns: 0,
            open: BTreeMap::new(),
            next_id: 1,
        })))
    }

    /// Refuses to let anybody look into the kernel.
    #[must_use]
    pub fn user_only(self) -> Self {
        self.0.borrow_mut().user_only = true;
        self
    }

    /// Work of another kind than the loops: so many of each by the user, and so many
    /// nanoseconds.
    pub fn happens(&self, what: &[(&'static str, f64)], over_ns: u64) {
        let mut state = self.0.borrow_mut();
        for (alias, count) in what {
            *state.happened[0].entry(alias).or_default() += count;
        }
        state.now_ns += over_ns;
    }

    /// Events that are open now.
    pub fn open_now(&self) -> usize {
        self.0.borrow().open.len()
    }
}

/// What a turn of a loop counts, by alias: the user's part, and the kernel's.
fn of_turn(what: Loop) -> [Vec<(&'static str, f64)>; 2] {
    let turn = what.turn();
    let count = |n: u64| n as f64;
    let mut user = vec![
        ("INST_RETIRED", count(turn.instructions)),
        ("CPU_CYCLES", 2.1 * count(turn.instructions)),
        ("BR_PRED", count(turn.branches)),
        ("BR_RETURN_SPEC", count(turn.returns)),
        ("LD_SPEC", count(turn.loads)),
        ("ST_SPEC", count(turn.stores)),
        ("L1D_CACHE", count(turn.loads + turn.stores)),
        ("MEM_ACCESS", count(turn.loads + turn.stores)),
        ("L1I_CACHE", 0.1 * count(turn.instructions)),
    ];
    let mut kernel = Vec::new();
    match what {
        Loop::Lines => user.extend([
            ("L1D_CACHE_REFILL", 1.0),
            ("L2D_CACHE", 1.1),
            ("L2D_CACHE_REFILL", 0.96),
            ("L1D_TLB_REFILL", 0.98),
            ("BUS_ACCESS", 0.5),
        ]),
        Loop::Code => user.extend([
            ("L1I_CACHE", 0.9 * JUMPS as f64),
            ("L1I_CACHE_REFILL", 0.8 * JUMPS as f64),
        ]),
        Loop::Random => user.push(("BR_MIS_PRED", 0.5)),
        Loop::SystemCalls => {
            kernel.extend([
                ("INST_RETIRED", 150.0),
                ("CPU_CYCLES", 300.0),
                ("BR_PRED", 20.0),
                ("EXC_RETURN", 1.0),
            ]);
        }
        Loop::Multiply | Loop::Calls | Loop::Loads | Loop::Stores => {}
    }
    [user, kernel]
}

impl Work for Simulated {
    fn run(&mut self, what: Loop, turns: u64) {
        let mut state = self.0.borrow_mut();
        for (into, counts) in state.happened.iter_mut().zip(of_turn(what)) {
            for (alias, count) in counts {
                *into.entry(alias).or_default() += count * turns as f64;
            }
        }
        state.now_ns += 2 * turns * what.turn().instructions;
    }
}

/// An open event of the simulated kernel, which closes it when it is dropped.
#[derive(Debug)]
pub struct Handle {
    id: u64,
    kernel: Rc<RefCell<State>>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.kernel.borrow_mut().open.remove(&self.id);
    }
}

impl Layer for Simulated {
    type Handle = Handle;

    fn open(&mut self, attr: &Attr, _: Target, leader: Option<&Handle>) -> Result<Handle, i32> {
        let mut state = self.0.borrow_mut();
        if state.user_only && !attr.exclude_kernel() {
            return Err(libc::EACCES);
        }
        let alias = state
            .aliases
            .get(&attr.code())
            .cloned()
            .ok_or(libc::ENOENT)?;
        let id = state.next_id;
        let leader = leader.map_or(id, |l| l.id);
        let place = state.open.values().filter(|e| e.leader == leader).count();
        let full = attr.on_the_processor() && place >= state.slots;
        if full || state.conflicts(leader, &alias) {
            return Err(libc::EINVAL);
        }
        state.next_id += 1;
        let mut opened = Opened {
            alias,
            leader,
            place,
            user: !attr.exclude_user(),
            kernel: !attr.exclude_kernel(),
            begun: 0.0,
            since_ns: state.now_ns,
        };
        opened.begun = state.happened_to(&opened);
        state.open.insert(id, opened);
        drop(state);
        Ok(Handle {
            id,
            kernel: Rc::clone(&self.0),
        })
    }

    fn id(&mut self, event: &Handle) -> Result<u64, i32> {
        Ok(event.id)
    }

    fn enable(&mut self, leader: &Handle) -> Result<(), i32> {
        let mut state = self.0.borrow_mut();
        let now_ns = state.now_ns;
        let of_group: Vec<u64> = state.group_of(leader.id);
        for id in of_group {
            let begun = state.happened_to(&state.open[&id]);
            if let Some(event) = state.open.get_mut(&id) {
                (event.begun, event.since_ns) = (begun, now_ns);
            }
        }
        Ok(())
    }

    fn read(&mut self, leader: &Handle, into: &mut [u8]) -> Result<usize, i32> {
        let mut state = self.0.borrow_mut();
        let reading = |planted: &Planted| match planted {
            Planted::Reading(instructions) => Some(*instructions),
            _ => None,
        };
        if let Some(instructions) = state.planted.iter().find_map(reading) {
            *state.happened[0].entry("INST_RETIRED").or_default() += instructions;
            state.now_ns += 1000;
        }
        let ids = state.group_of(leader.id);
        let times: Vec<(u64, Times)> = ids.iter().map(|id| (*id, state.times(*id))).collect();
        let first = times.first().map_or(Times::default(), |(_, t)| *t);
        let mut words = vec![times.len() as u64, first.enabled_ns, first.running_ns];
        words.extend(times.iter().flat_map(|(id, t)| [t.value, *id]));
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
        into.get_mut(..bytes.len())
            .ok_or(libc::ENOSPC)?
            .copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn read_here(&mut self, event: &Handle) -> Option<Times> {
        let state = self.0.borrow();
        if !state.planted.contains(&Planted::WrongPage) {
            return None;
        }
        let times = state.times(event.id);
        let value = times.value / 3;
        Some(Times { value, ..times })
    }
}

impl State {
    /// Whether an event of the group needs the counter that this one needs.
    fn conflicts(&self, leader: u64, alias: &str) -> bool {
        let has = |other: &str| {
            let mut group = self.open.values().filter(|e| e.leader == leader);
            group.any(|e| e.alias == other)
        };
        self.planted.iter().any(|planted| match planted {
            Planted::Conflict(a, b) => (*a == alias && has(b)) || (*b == alias && has(a)),
            _ => false,
        })
    }

    /// The general counter that an event is on, where instructions have a fixed one.
    fn general_counter(&self, event: &Opened) -> Option<usize> {
        let of_group = self.open.values().filter(|e| e.leader == event.leader);
        let instructions = of_group.filter(|e| e.alias == "INST_RETIRED");
        match instructions.map(|e| e.place).min() {
            Some(fixed) if fixed == event.place => None,
            Some(fixed) if fixed < event.place => Some(event.place - 1),
            _ => Some(event.place),
        }
    }

    fn group_of(&self, leader: u64) -> Vec<u64> {
        let of_group = self.open.iter().filter(|(_, e)| e.leader == leader);
        let mut ids: Vec<(usize, u64)> = of_group.map(|(id, e)| (e.place, *id)).collect();
        ids.sort_unstable();
        ids.into_iter().map(|(_, id)| id).collect()
    }

    /// What an event would have counted since the beginning of all.
    fn happened_to(&self, event: &Opened) -> f64 {
        if event.alias == "task_clock" {
            return self.now_ns as f64;
        }
        let apart = !self.planted.contains(&Planted::NotApart);
        let of = |who: usize| {
            let happened = &self.happened[who];
            happened.get(event.alias.as_str()).copied().unwrap_or(0.0)
        };
        let (user, kernel) = (event.user || !apart, event.kernel || !apart);
        f64::from(u8::from(user)) * of(0) + f64::from(u8::from(kernel)) * of(1)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts of a simulation"
    )]
    fn times(&self, id: u64) -> Times {
        let event = &self.open[&id];
        let group = self.group_of(event.leader);
        let at = |place: usize| group.get(place).map(|id| &self.open[id]);
        let counted = |e: &Opened| self.happened_to(e) - e.begun;
        let mut value = counted(event);
        let enabled_ns = self.now_ns - event.since_ns;
        let mut running_ns = enabled_ns;
        for planted in &self.planted {
            match *planted {
                Planted::Dead(place) if place == event.place => value = 0.0,
                Planted::DeadBesideFixed(number) if self.general_counter(event) == Some(number) => {
                    value = 0.0;
                }
                Planted::Low(place, share) if place == event.place => value *= share,
                Planted::Swapped(a, b) if a == event.place => value = at(b).map_or(value, counted),
                Planted::Swapped(a, b) if b == event.place => value = at(a).map_or(value, counted),
                Planted::Starved(size) if group.len() >= size => (value, running_ns) = (0.0, 0),
                Planted::Multiplexed(size, share) if group.len() >= size => {
                    value *= share;
                    running_ns = (running_ns as f64 * share) as u64;
                }
                _ => {}
            }
        }
        Times {
            value: value as u64,
            enabled_ns,
            running_ns,
        }
    }
}
