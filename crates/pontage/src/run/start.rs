//! What surrounds a run: the machine, the CPUs it uses, the instrument, the
//! load, and how the record's head tells of them.

use super::counting;
use super::flags;
use super::held::{Held, Refused};
use super::request::Request;
use crate::failure::Failure;
use catalogue::plan::Plan;
use catalogue::recipe::Recipe;
use harness::counters::Planned;
use harness::load::{Heavy, Load};
use harness::session::Patience;
use harness::{ClockSpec, Context, Launcher, Scheduling, Session};
use machine::Machine;
use pontage::last_selftest;
use record::{Conditions, ExperimentHead, Instrument, MachineCard, RecipeHead, RunHead};
use std::path::Path;
use std::sync::atomic::AtomicBool;

pub struct Surroundings {
    machine: Machine,
    pub card: MachineCard,
    clock: ClockSpec,
    chosen: harness::affinity::Chosen,
    allowed: Vec<u32>,
    counters: Option<Planned>,
    interrupts: bool,
}

impl Surroundings {
    /// Reads the machine and chooses the CPUs to measure on.
    ///
    /// # Errors
    /// When the CPU that was asked for may not be used.
    pub fn read(arguments: &flags::Run) -> Result<Self, Failure> {
        let root = Path::new("/");
        let machine = machine::read(root);
        let card = harness::card::card(&machine);
        let allowed = harness::affinity::allowed_cpus()
            .map_err(|e| Failure::new(format!("cannot ask which CPUs may be used: {e}")))?;
        let mut chosen = harness::affinity::choose(&allowed, root);
        if let Some(cpu) = arguments.cpu {
            if !allowed.contains(&cpu) {
                let allowed = harness::affinity::format_list(&allowed);
                return Err(
                    Failure::new(format!("cannot measure on CPU {cpu}: not allowed here"))
                        .hint(format!("allowed: {allowed}")),
                );
            }
            if chosen.partner_cpu == Some(cpu) {
                chosen.partner_cpu = Some(chosen.test_cpu);
            }
            chosen.test_cpu = cpu;
        }
        Ok(Surroundings {
            counters: None,
            interrupts: arguments.interrupts,
            machine,
            card,
            clock: ClockSpec::choose(root),
            chosen,
            allowed,
        })
    }

    /// The head of a new record.
    pub fn head(&self, request: &Request, plan: &Plan) -> RunHead {
        let mut head = RunHead {
            recipe: RecipeHead {
                name: request.name.clone(),
                preset: request.recipe.preset.name().to_owned(),
                processes: plan.processes,
                budget_ns: plan.budget_ns(),
                text: catalogue::recipe::render(&request.recipe),
            },
            machine_full: serde_json::to_value(&self.machine).unwrap_or_default(),
            conditions: self.conditions(),
            instrument: self.instrument(),
            experiments: heads(plan, &self.card),
            points: plan.point_heads(),
            ..crate::head::begun(self.card.clone())
        };
        if let Some(counters) = &self.counters {
            counting::describe(counters, &mut head);
        }
        head
    }

    /// The instrument's test of itself now, with the last one that planted known costs.
    fn instrument(&self) -> Instrument {
        Instrument {
            self_test: last_selftest::of(&self.card),
            ..harness::self_test::self_test_on(self.chosen.test_cpu, &self.clock)
        }
    }

    /// Counts what the recipe asks for.
    ///
    /// # Errors
    /// When there is no such group of counters.
    pub fn count(&mut self, recipe: &Recipe) -> Result<(), Failure> {
        self.counters = counting::asked(
            recipe.counters.as_deref(),
            &self.machine,
            self.chosen.test_cpu,
        )?;
        Ok(())
    }

    /// Counts what the record in `head` was begun with.
    ///
    /// # Errors
    /// When that cannot be had now.
    pub fn count_as(&mut self, head: &RunHead) -> Result<(), Failure> {
        self.counters = counting::recorded(head, &self.machine, self.chosen.test_cpu)?;
        self.interrupts = head.conditions.interrupts;
        Ok(())
    }

    /// Whether events are counted.
    pub fn is_counted(&self) -> bool {
        self.counters.is_some()
    }

    fn conditions(&self) -> Conditions {
        let notes = self.chosen.notes.iter().cloned();
        Conditions {
            test_cpu: self.chosen.test_cpu,
            partner_cpu: self.chosen.partner_cpu,
            notes: notes.chain(crate::command_line::note()).collect(),
            interrupts: self.interrupts,
            ..Conditions::default()
        }
    }

    /// Refuses to continue the record of another machine.
    ///
    /// # Errors
    /// Names what differs.
    pub fn same_machine(&self, head: &RunHead) -> Result<(), Failure> {
        let differences = [
            ("host", &self.card.host, &head.machine.host),
            ("processor", &self.card.cpu_model, &head.machine.cpu_model),
            ("kernel", &self.card.kernel, &head.machine.kernel),
        ];
        let found = differences.iter().find(|(_, here, there)| here != there);
        found.map_or(Ok(()), |(what, here, there)| {
            Err(Failure::new(format!(
                "cannot resume {}: its {what} is {there}, this machine's is {here}",
                head.id
            ))
            .hint("a record holds one machine; start a new run: pontage run"))
        })
    }

    /// Takes what the run holds on the machine; see `Held::take`.
    ///
    /// # Errors
    /// As there.
    pub fn hold(
        &self,
        arguments: &flags::Run,
        load: Load,
        conditions: &mut Conditions,
    ) -> Result<Held, Refused> {
        let measuring = self.measuring();
        Held::take(arguments, load, &self.allowed, &measuring, conditions)
    }

    /// Whether a load could be had, without starting it.
    ///
    /// # Errors
    /// Why not.
    pub fn can_load(&self, load: Load) -> Result<(), Refused> {
        Ok(Heavy::possible(
            &load.cpus(&self.allowed, &self.measuring()),
        )?)
    }

    /// The CPUs that a heavy load leaves alone; on two CPUs that still has to
    /// leave one to load.
    fn measuring(&self) -> Vec<u32> {
        let mut measuring = vec![self.chosen.test_cpu];
        if self.allowed.len() > 2 {
            measuring.extend(self.chosen.partner_cpu);
        }
        measuring
    }

    /// What a set-up sees of them, before there is a run.
    pub fn context(&self) -> Context {
        Context {
            card: self.card.clone(),
            test_cpu: self.chosen.test_cpu,
            partner_cpu: self.chosen.partner_cpu,
            cpus: self.allowed.clone(),
            memory_available_bytes: harness::card::memory_available_bytes(&self.machine),
            scratch: std::env::temp_dir(),
            traces: None,
            measured: harness::Measured::default(),
        }
    }

    /// Whether points are marked for simulated caches.
    pub fn marks(&self) -> bool {
        self.counters.as_ref().is_some_and(|c| c.plan.marks)
    }

    /// What the record takes off each sample, if it was begun with this clock.
    fn floor_ns(&self, instrument: &Instrument) -> Option<f64> {
        let same = instrument.clock == self.clock.kind.name();
        Some(instrument.read_cost_ns).filter(|floor_ns| same && floor_ns.is_finite())
    }

    /// The session that measures on these surroundings, as long as it takes.
    pub fn session<'a>(
        &self,
        arguments: &flags::Run,
        plan: &Plan,
        scratch: &Path,
        run: &Path,
        instrument: &Instrument,
        stop: &'a AtomicBool,
    ) -> Session<'a> {
        Session {
            launcher: Launcher::this_executable(),
            clock: self.clock.clone(),
            floor_ns: self.floor_ns(instrument),
            scheduling: Scheduling {
                fifo: arguments.fifo,
                lock_memory: arguments.mlock,
            },
            counters: self.counters.as_ref().map(|c| c.plan.clone()),
            interrupts: self.interrupts,
            context: Context {
                scratch: scratch.to_owned(),
                traces: std::path::absolute(run.join(record::layout::TRACES)).ok(),
                ..self.context()
            },
            processes: u16::try_from(plan.processes).unwrap_or(u16::MAX),
            patience: Patience::default(),
            limit: None,
            // A count of processes of one is asked for, and counted passes take turns.
            again: plan.processes > 1 && self.counters.is_none(),
            stop,
        }
    }
}

/// Each experiment once, however often a recipe asks for it.
fn heads(plan: &Plan, card: &MachineCard) -> Vec<ExperimentHead> {
    let mut heads: Vec<ExperimentHead> = Vec::new();
    for planned in &plan.experiments {
        if heads.iter().all(|h| h.id != planned.listed.id) {
            heads.push(planned.listed.head(card));
        }
    }
    heads
}
