//! A simulation of discrete events: routers on a torus, each with one server and a
//! queue, and packets on their way.
//!
//! Stands for omnetpp (SPEC CPU). Like it: a heap of future events that holds
//! references, so that each comparison loads two messages; messages made and
//! destroyed at each hop, from all over the memory they are allocated in; queues that
//! are lists; branches that depend on random times. Unlike it: one kind of module
//! and no virtual calls, no statistics, a free list of our own in place of malloc,
//! and random numbers that cost less.
//!
//! Working set: the memory of messages, the heap and the routers; a little over
//! 4 MiB. A unit touches the messages of its packets, the next one others; half a
//! dozen units touch them all. A unit is about a millisecond.

use crate::Workload;
use crate::digest::Digest;
use crate::random::Random;
use crate::unit::{Unit, program};

mod memory;
#[cfg(test)]
mod tests;

use memory::{Memory, NONE};

/// Routers along a side of the torus.
const SIDE: u16 = 8;
const ROUTERS: u16 = SIDE * SIDE;
const PACKETS: u16 = 1024;
/// Events of a unit.
const EVENTS: u32 = 8192;
/// The longest service and the longest way to the next router, in ticks. With the way
/// that long most packets are on it, and not in a queue.
const SERVICE_TICKS: u32 = 1000;
const WAY_TICKS: u32 = 32_000;
const SEED: u64 = 4;

/// What identifies one packet; the message that carries it is another at each hop.
#[derive(Clone, Copy, Default)]
struct Packet {
    source: u16,
    destination: u16,
    hops: u32,
    born: u64,
    content: [u64; 4],
}

/// What happens to the packet at the time of the event.
#[derive(Clone, Copy, Default, PartialEq)]
enum Next {
    #[default]
    Arrives,
    Leaves,
}

#[derive(Clone, Copy)]
struct Router {
    busy: bool,
    first: u32,
    last: u32,
}

const IDLE: Router = Router {
    busy: false,
    first: NONE,
    last: NONE,
};

struct Network {
    memory: Memory,
    /// Future events: the first is the earliest, and none is later than the two at
    /// twice its place and one or two.
    heap: Vec<u32>,
    routers: Box<[Router]>,
    random: Random,
    /// Events scheduled so far, which orders those of one tick.
    scheduled: u64,
}

/// What the events and the delivered packets come to; `tests` finds it with a sorted
/// map of events.
const KNOWN: u64 = 0x7fe3_efd6_4bc8_79e8;

/// Makes it ready to run; the list of all programs states its unit.
pub fn build() -> Box<dyn Workload> {
    let network = Network {
        memory: Memory::new(),
        heap: Vec::with_capacity(usize::from(PACKETS)),
        routers: vec![IDLE; usize::from(ROUTERS)].into(),
        random: Random::new(SEED),
        scheduled: 0,
    };
    program(network, KNOWN)
}

impl Unit for Network {
    fn once(&mut self) -> u64 {
        self.simulate()
    }

    fn bytes(&self) -> u64 {
        let heap = self.heap.capacity() * size_of::<u32>();
        self.memory.bytes() + (heap + size_of_val(&*self.routers)) as u64
    }
}

impl Network {
    fn simulate(&mut self) -> u64 {
        self.random = Random::new(SEED);
        self.scheduled = 0;
        self.routers.fill(IDLE);
        for packet in 0..PACKETS {
            self.send_new(packet % ROUTERS, 0);
        }
        let mut happened = Digest::default();
        for _ in 0..EVENTS {
            let at = self.pop();
            let message = self.memory.at(at);
            let (now, place, next) = (message.time, message.router, message.next);
            happened = happened.with(now).with(u64::from(place));
            match next {
                Next::Arrives => happened = self.arrive(at, now, happened),
                Next::Leaves => self.leave(at, now),
            }
        }
        self.clear();
        happened.value()
    }

    fn arrive(&mut self, at: u32, now: u64, happened: Digest) -> Digest {
        let message = self.memory.at(at);
        let (place, packet) = (message.router, message.packet);
        if packet.destination == place {
            self.memory.free(at);
            self.send_new(place, now);
            return received(happened, now, &packet);
        }
        let router = &mut self.routers[usize::from(place)];
        if router.busy {
            self.memory.at(at).link = NONE;
            match router.last {
                NONE => router.first = at,
                last => self.memory.at(last).link = at,
            }
            router.last = at;
        } else {
            router.busy = true;
            self.serve(at, now);
        }
        happened
    }

    /// Sends a copy on, as a module that owns its messages does.
    fn leave(&mut self, at: u32, now: u64) {
        let message = self.memory.at(at);
        let (place, mut packet) = (message.router, message.packet);
        packet.hops += 1;
        packet.content[packet.hops as usize % 4] ^= now;
        self.memory.free(at);
        let towards = way(place, packet.destination);
        self.send(packet, towards, now);
        let router = &mut self.routers[usize::from(place)];
        match router.first {
            NONE => router.busy = false,
            first => {
                router.first = self.memory.at(first).link;
                if router.first == NONE {
                    router.last = NONE;
                }
                self.serve(first, now);
            }
        }
    }

    fn serve(&mut self, at: u32, now: u64) {
        let ticks = 1 + self.random.below(SERVICE_TICKS);
        self.schedule(at, Next::Leaves, now + u64::from(ticks));
    }

    fn send_new(&mut self, source: u16, now: u64) {
        let destination = self.random.below(u32::from(ROUTERS)) as u16;
        let packet = Packet {
            source,
            destination,
            hops: 0,
            born: now,
            content: std::array::from_fn(|_| self.random.draw()),
        };
        self.send(packet, source, now);
    }

    fn send(&mut self, packet: Packet, router: u16, now: u64) {
        let at = self.memory.take();
        let message = self.memory.at(at);
        (message.packet, message.router) = (packet, router);
        let ticks = 1 + self.random.below(WAY_TICKS);
        self.schedule(at, Next::Arrives, now + u64::from(ticks));
    }

    fn schedule(&mut self, at: u32, next: Next, time: u64) {
        let message = self.memory.at(at);
        (message.next, message.time, message.order) = (next, time, self.scheduled);
        self.scheduled += 1;
        self.push(at);
    }

    /// The end of the simulation frees what is still on its way.
    fn clear(&mut self) {
        while let Some(at) = self.heap.pop() {
            self.memory.free(at);
        }
        for router in &self.routers {
            let mut at = router.first;
            while at != NONE {
                let link = self.memory.at(at).link;
                self.memory.free(at);
                at = link;
            }
        }
    }

    fn earlier(&mut self, a: u32, b: u32) -> bool {
        let when = |message: &memory::Message| (message.time, message.order);
        when(self.memory.at(a)) < when(self.memory.at(b))
    }

    fn push(&mut self, at: u32) {
        let mut hole = self.heap.len();
        self.heap.push(at);
        while hole > 0 {
            let above = (hole - 1) / 2;
            if self.earlier(self.heap[above], at) {
                break;
            }
            self.heap[hole] = self.heap[above];
            hole = above;
        }
        self.heap[hole] = at;
    }

    fn pop(&mut self) -> u32 {
        let earliest = self.heap[0];
        let count = self.heap.len() - 1;
        let last = self.heap[count];
        self.heap.truncate(count);
        let mut hole = 0;
        while 2 * hole + 1 < count {
            let mut below = 2 * hole + 1;
            if below + 1 < count && self.earlier(self.heap[below + 1], self.heap[below]) {
                below += 1;
            }
            if self.earlier(last, self.heap[below]) {
                break;
            }
            self.heap[hole] = self.heap[below];
            hole = below;
        }
        if count > 0 {
            self.heap[hole] = last;
        }
        earliest
    }
}

fn received(happened: Digest, now: u64, packet: &Packet) -> Digest {
    let way = u64::from(packet.source) << 32 | u64::from(packet.hops);
    let content = packet
        .content
        .iter()
        .fold(0u64, |all, word| all.rotate_left(7) ^ word);
    happened.with(now).with(packet.born).with(way).with(content)
}

/// The next router: along the row first, then down or up the column, each the
/// shorter way round.
fn way(from: u16, to: u16) -> u16 {
    let step = |from: u16, to: u16| match (to + SIDE - from) % SIDE {
        0 => from,
        ahead if ahead <= SIDE / 2 => (from + 1) % SIDE,
        _ => (from + SIDE - 1) % SIDE,
    };
    let (x, y) = (from % SIDE, from / SIDE);
    match step(x, to % SIDE) {
        same if same == x => step(y, to / SIDE) * SIDE + x,
        next => y * SIDE + next,
    }
}
