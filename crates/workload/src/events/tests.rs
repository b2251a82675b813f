use super::{
    Digest, EVENTS, KNOWN, Next, PACKETS, Packet, ROUTERS, Random, SEED, SERVICE_TICKS, SIDE,
    WAY_TICKS, build, received, way,
};
use std::collections::{BTreeMap, VecDeque};

/// The same network of owned packets, a sorted map of events, and deques.
#[derive(Default)]
struct Plain {
    events: BTreeMap<(u64, u64), (Next, u16, Packet)>,
    queues: Vec<Option<VecDeque<Packet>>>,
    scheduled: u64,
}

impl Plain {
    fn schedule(&mut self, time: u64, what: (Next, u16, Packet)) {
        self.events.insert((time, self.scheduled), what);
        self.scheduled += 1;
    }

    fn send(&mut self, random: &mut Random, now: u64, packet: Packet, towards: u16) {
        let time = now + 1 + u64::from(random.below(WAY_TICKS));
        self.schedule(time, (Next::Arrives, towards, packet));
    }

    fn send_new(&mut self, random: &mut Random, now: u64, source: u16) {
        let destination = random.below(u32::from(ROUTERS)) as u16;
        let content = [random.draw(), random.draw(), random.draw(), random.draw()];
        let packet = Packet {
            source,
            destination,
            hops: 0,
            born: now,
            content,
        };
        self.send(random, now, packet, source);
    }

    fn serve(&mut self, random: &mut Random, now: u64, place: u16, packet: Packet) {
        let time = now + 1 + u64::from(random.below(SERVICE_TICKS));
        self.schedule(time, (Next::Leaves, place, packet));
    }
}

/// A busy router has a queue, be it empty.
fn simulate() -> (u64, u32) {
    let mut random = Random::new(SEED);
    let mut plain = Plain {
        queues: vec![None; usize::from(ROUTERS)],
        ..Plain::default()
    };
    for packet in 0..PACKETS {
        plain.send_new(&mut random, 0, packet % ROUTERS);
    }
    let (mut digest, mut delivered) = (Digest::default(), 0);
    for _ in 0..EVENTS {
        let ((now, _), (next, place, mut packet)) = plain.events.pop_first().unwrap();
        digest = digest.with(now).with(u64::from(place));
        let queue = usize::from(place);
        if next == Next::Leaves {
            packet.hops += 1;
            packet.content[packet.hops as usize % 4] ^= now;
            plain.send(&mut random, now, packet, way(place, packet.destination));
            match plain.queues[queue].as_mut().unwrap().pop_front() {
                None => plain.queues[queue] = None,
                Some(waiting) => plain.serve(&mut random, now, place, waiting),
            }
        } else if packet.destination == place {
            plain.send_new(&mut random, now, place);
            (digest, delivered) = (received(digest, now, &packet), delivered + 1);
        } else if let Some(waiting) = &mut plain.queues[queue] {
            waiting.push_back(packet);
        } else {
            plain.queues[queue] = Some(VecDeque::new());
            plain.serve(&mut random, now, place, packet);
        }
    }
    (digest.value(), delivered)
}

#[test]
fn packets_arrive_as_with_a_sorted_map() {
    let (digest, delivered) = simulate();
    assert!(delivered > 200, "{delivered}");
    assert_eq!(digest, KNOWN, "{digest:#x}");
}

#[test]
fn every_way_ends_at_its_destination_after_half_a_round_each() {
    for from in 0..ROUTERS {
        for to in 0..ROUTERS {
            let ways = (0..SIDE).fold(from, |at, _| way(at, to));
            assert_eq!(ways, to, "from {from}");
        }
    }
}

#[test]
fn later_units_find_their_messages_elsewhere_and_come_out_the_same() {
    let mut events = build();
    events.run(40);
    assert_eq!(events.verify(), Ok(()));
}
