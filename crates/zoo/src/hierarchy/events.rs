//! What happens by itself as time passes: ticks, thefts, a neighbour's phases and bursts,
//! the wandering of the clock. Each has the time of its next turn.

use super::surroundings::{Neighbour, Surroundings};
use stats::Rng;

/// The clock's speed changes in steps that far apart, in ns.
const DRIFT_EVERY_NS: f64 = 100_000.0;
/// One such step, as a share of how far it may wander.
const DRIFT_STEP: f64 = 0.05;
/// What interrupts of devices and of other timers take, in ns: from the shortest, by this mean.
const INTERRUPT_NS: [f64; 2] = [700.0, 3_000.0];
/// How late a tick comes, in ns: this mean.
const TICK_LATE_NS: f64 = 1_000.0;
/// Bursts that are made up for after a long wait; they replace any last level.
const MOST_LATE_BURSTS: f64 = 2_000.0;

/// What is due.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// A timer interrupt.
    Tick,
    /// An interrupt that is no tick, and what it takes, in ns.
    Interrupt(f64),
    /// The CPU is taken away for this long, in ns.
    Theft(f64),
    /// The neighbour brings lines in.
    Burst,
    /// The clock's speed is now this share above its own.
    Speed(f64),
}

/// The next turn of everything that happens by itself, in ns.
#[derive(Debug, Clone)]
pub struct Events {
    rng: Rng,
    next_ns: f64,
    tick_every_ns: f64,
    tick_ns: f64,
    /// When it is due, which the next one goes by.
    tick_due_ns: f64,
    timer_every_ns: f64,
    timer_ns: f64,
    interrupt_gap_ns: f64,
    interrupt_ns: f64,
    theft: Thefts,
    theft_ns: f64,
    partner: Thefts,
    partner_ns: f64,
    partner_is_away: bool,
    neighbour: Option<Neighbour>,
    neighbour_runs: bool,
    phase_ns: f64,
    burst_ns: f64,
    drift: f64,
    speed: f64,
    drift_ns: f64,
}

/// Exponential gaps and lengths.
#[derive(Debug, Clone, Copy)]
struct Thefts {
    gap_ns: f64,
    length_ns: f64,
}

impl Thefts {
    fn new(around: &Surroundings) -> Self {
        let share = around.stolen_share.clamp(0.0, 0.99);
        let gap_ns = match share > 0.0 {
            true => around.stolen_ns * (1.0 - share) / share,
            false => f64::INFINITY,
        };
        Thefts {
            gap_ns,
            length_ns: around.stolen_ns,
        }
    }
}

fn exponential(rng: &mut Rng, mean: f64) -> f64 {
    -mean * rng.uniform().ln()
}

impl Events {
    /// From time 0 on.
    pub fn new(around: &Surroundings, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let theft = Thefts::new(around);
        let every = |hz: f64| match hz > 0.0 {
            true => 1e9 / hz,
            false => f64::INFINITY,
        };
        let tick_every_ns = every(around.tick_hz);
        let timer_every_ns = every(around.kernel.timer_hz);
        let interrupt_gap_ns = every(around.kernel.interrupts_hz);
        let mut phase = |every_ns: f64| match every_ns.is_finite() {
            true => every_ns * rng.uniform(),
            false => f64::INFINITY,
        };
        let (tick_due_ns, timer_ns) = (phase(tick_every_ns), phase(timer_every_ns));
        let mut first = |mean: f64| match mean.is_finite() {
            true => exponential(&mut rng, mean),
            false => f64::INFINITY,
        };
        let mut events = Events {
            theft_ns: first(theft.gap_ns),
            partner_ns: first(theft.gap_ns),
            interrupt_ns: first(interrupt_gap_ns),
            // The program begins at any phase of the tick.
            tick_ns: tick_due_ns,
            tick_due_ns,
            timer_ns,
            next_ns: 0.0,
            tick_every_ns,
            timer_every_ns,
            interrupt_gap_ns,
            theft,
            partner: theft,
            partner_is_away: false,
            neighbour_runs: false,
            phase_ns: if around.neighbour.is_some() {
                0.0
            } else {
                f64::INFINITY
            },
            burst_ns: f64::INFINITY,
            neighbour: around.neighbour.clone(),
            drift: around.drift,
            speed: 0.0,
            drift_ns: if around.drift > 0.0 {
                0.0
            } else {
                f64::INFINITY
            },
            rng,
        };
        events.find_next();
        events
    }

    /// When something is due next, in ns.
    #[inline]
    pub fn next_ns(&self) -> f64 {
        self.next_ns
    }

    /// When something interrupts the CPU next, in ns.
    pub fn next_interrupt_ns(&self) -> f64 {
        self.tick_ns.min(self.timer_ns).min(self.interrupt_ns)
    }

    /// Whether the neighbour runs just now.
    #[inline]
    pub fn neighbour(&self) -> Option<&Neighbour> {
        match self.neighbour_runs {
            true => self.neighbour.as_ref(),
            false => None,
        }
    }

    /// Whether the partner's CPU is just now with others.
    pub fn partner_is_away(&self) -> bool {
        self.partner_is_away
    }

    /// What is due by `now_ns`, one at a time; what changes only these events is done.
    pub fn due(&mut self, now_ns: f64) -> Option<Event> {
        while self.next_ns <= now_ns {
            let event = self.happen(now_ns);
            self.find_next();
            if event.is_some() {
                return event;
            }
        }
        None
    }

    fn find_next(&mut self) {
        let all = [
            self.tick_ns,
            self.timer_ns,
            self.interrupt_ns,
            self.theft_ns,
            self.partner_ns,
            self.phase_ns,
            self.burst_ns,
            self.drift_ns,
        ];
        self.next_ns = all.into_iter().fold(f64::INFINITY, f64::min);
    }

    fn happen(&mut self, now_ns: f64) -> Option<Event> {
        let due = self.next_ns;
        if due == self.tick_ns {
            self.tick_due_ns += self.tick_every_ns;
            self.tick_ns = self.tick_due_ns + exponential(&mut self.rng, TICK_LATE_NS);
            Some(Event::Tick)
        } else if due == self.timer_ns || due == self.interrupt_ns {
            Some(self.interrupt(due))
        } else if due == self.theft_ns {
            let length_ns = exponential(&mut self.rng, self.theft.length_ns);
            // The gap is of time that the CPU has: it begins when the theft is over.
            let gap_ns = exponential(&mut self.rng, self.theft.gap_ns);
            self.theft_ns = now_ns + length_ns + gap_ns;
            Some(Event::Theft(length_ns))
        } else if due == self.partner_ns {
            self.partner_is_away = !self.partner_is_away;
            let mean = match self.partner_is_away {
                true => self.partner.length_ns,
                false => self.partner.gap_ns,
            };
            self.partner_ns = due + exponential(&mut self.rng, mean);
            None
        } else if due == self.phase_ns {
            self.change_phase(due);
            None
        } else if due == self.burst_ns {
            let every = self
                .neighbour
                .as_ref()
                .map_or(f64::INFINITY, |n| n.burst_every_ns);
            self.burst_ns = (due + every).max(now_ns - MOST_LATE_BURSTS * every);
            Some(Event::Burst)
        } else {
            Some(Event::Speed(self.wander(now_ns)))
        }
    }

    fn interrupt(&mut self, due: f64) -> Event {
        if due == self.timer_ns {
            self.timer_ns += self.timer_every_ns;
        } else {
            self.interrupt_ns = due + exponential(&mut self.rng, self.interrupt_gap_ns);
        }
        let [shortest, mean] = INTERRUPT_NS;
        Event::Interrupt(shortest + exponential(&mut self.rng, mean - shortest))
    }

    fn change_phase(&mut self, due: f64) {
        let Some(neighbour) = &self.neighbour else {
            self.phase_ns = f64::INFINITY;
            return;
        };
        self.neighbour_runs = !self.neighbour_runs;
        let [shortest, longest] = neighbour.phase_ns;
        self.phase_ns = due + shortest + (longest - shortest) * self.rng.uniform();
        self.burst_ns = if self.neighbour_runs {
            due
        } else {
            f64::INFINITY
        };
    }

    /// A step up or down; at the end of its range it turns.
    fn wander(&mut self, now_ns: f64) -> f64 {
        let step = self.drift * DRIFT_STEP * self.rng.normal();
        self.speed = (self.speed + step).clamp(-self.drift, self.drift);
        self.drift_ns = (self.drift_ns + DRIFT_EVERY_NS).max(now_ns);
        self.speed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thefts_have_their_share_of_time() {
        let mut events = Events::new(&Surroundings::stolen(0.2), 3);
        let (mut now_ns, mut stolen_ns) = (0.0, 0.0);
        while now_ns < 20e9 {
            now_ns = events.next_ns().max(now_ns);
            while let Some(event) = events.due(now_ns) {
                if let Event::Theft(length_ns) = event {
                    now_ns += length_ns;
                    stolen_ns += length_ns;
                }
            }
        }
        let share = stolen_ns / now_ns;
        assert!((share - 0.2).abs() < 0.01, "{share}");
    }

    #[test]
    fn the_clock_wanders_within_its_range() {
        let around = Surroundings {
            drift: 0.02,
            ..Surroundings::still()
        };
        let mut events = Events::new(&around, 5);
        let mut seen = Vec::new();
        for step in 0..20_000 {
            if let Some(Event::Speed(speed)) = events.due(f64::from(step) * DRIFT_EVERY_NS) {
                seen.push(speed);
            }
        }
        let most = seen
            .iter()
            .fold(0.0, |most: f64, speed| most.max(speed.abs()));
        assert!((0.015..=0.02).contains(&most), "{most}");
    }

    #[test]
    fn a_still_machine_has_no_events() {
        let mut events = Events::new(&Surroundings::still(), 1);
        assert_eq!(events.due(1e18), None);
    }
}
