//! What surrounds a run: the machine, the CPUs it uses, the instrument, the
//! load, and how the record's head tells of them.

use super::request::Request;
use super::incomplete;
use crate::arguments;
use crate::failure::Failure;
use experiments::plan::Plan;
use harness::session::Patience;
use harness::{ClockSpec, Context, Ending, HarnessError, Launcher, Scheduling, Session};
use machine::Machine;
use record::{Conditions, MachineCard, RecipeHead, RunHead, RunState, SCHEMA_VERSION};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

pub struct Surroundings {
    machine: Machine,
    pub card: MachineCard,
    clock: ClockSpec,
    chosen: harness::affinity::Chosen,
    allowed: Vec<u32>,
}

impl Surroundings {
    /// Reads the machine and chooses the CPUs to measure on.
    ///
    /// # Errors
    /// When the CPU that was asked for may not be used.
    pub fn read(arguments: &arguments::Run) -> Result<Self, Failure> {
        let root = Path::new("/");
        let machine = machine::read(root);
        let card = harness::card::card(&machine);
        let allowed = harness::affinity::allowed_cpus()
            .map_err(|e| Failure::new(format!("cannot ask which CPUs may be used: {e}")))?;
        let mut chosen = harness::affinity::choose(&allowed, root);
        if let Some(cpu) = arguments.cpu {
            if !allowed.contains(&cpu) {
                return Err(Failure::new(format!("cannot measure on CPU {cpu}: not allowed here"))
                    .hint(format!(
                        "allowed: {}",
                        harness::affinity::format_list(&allowed)
                    )));
            }
            if chosen.partner_cpu == Some(cpu) {
                chosen.partner_cpu = Some(chosen.test_cpu);
            }
            chosen.test_cpu = cpu;
        }
        Ok(Surroundings { machine, card, clock: ClockSpec::choose(root), chosen, allowed })
    }

    /// The head of a new record.
    #[must_use]
    pub fn head(&self, request: &Request, plan: &Plan) -> RunHead {
        let now = SystemTime::now();
        RunHead {
            schema_version: SCHEMA_VERSION,
            id: record::run_id(now, &self.card.host),
            started_utc: record::rfc3339_utc(now),
            ended_utc: None,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            command_line: std::env::args().collect(),
            recipe: RecipeHead {
                name: request.name.clone(),
                preset: request.recipe.preset.name().to_owned(),
                processes: plan.processes,
                budget_ns: plan.budget_ns(),
                text: experiments::recipe::render(&request.recipe),
            },
            state: RunState::Running,
            machine: self.card.clone(),
            machine_full: serde_json::to_value(&self.machine).unwrap_or_default(),
            conditions: self.conditions(),
            instrument: harness::self_test(&self.clock),
            experiments: plan.experiments.iter().map(|p| p.listed.head()).collect(),
            points: plan.point_heads(),
            findings: Vec::new(),
            claims: Vec::new(),
        }
    }

    fn conditions(&self) -> Conditions {
        Conditions {
            test_cpu: self.chosen.test_cpu,
            partner_cpu: self.chosen.partner_cpu,
            notes: self.chosen.notes.clone(),
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
            .hint("one record is one machine; measure anew with: pontage run"))
        })
    }

    /// The session that measures on these surroundings.
    ///
    /// # Errors
    /// When no scratch folder can be made.
    pub fn session<'a>(
        &self,
        arguments: &arguments::Run,
        plan: &Plan,
        stop: &'a AtomicBool,
    ) -> Result<Session<'a>, Failure> {
        Ok(Session {
            launcher: Launcher::this_executable(),
            clock: self.clock.clone(),
            scheduling: Scheduling { fifo: arguments.fifo, lock_memory: arguments.mlock },
            context: Context {
                card: self.card.clone(),
                test_cpu: self.chosen.test_cpu,
                partner_cpu: self.chosen.partner_cpu,
                cpus: self.allowed.clone(),
                memory_available_bytes: self.memory_available_bytes(),
                scratch: std::env::temp_dir(),
            },
            processes: u16::try_from(plan.processes).unwrap_or(u16::MAX),
            patience: Patience::default(),
            stop,
        })
    }

    fn memory_available_bytes(&self) -> u64 {
        self.card.memory_bytes / 2
    }

    /// Writes into the head how the session ended. Returns the failure that
    /// ended it early, where one did.
    pub fn finish(
        &self,
        head: &mut RunHead,
        ended: Result<Ending, HarnessError>,
        stopped: bool,
    ) -> Option<Failure> {
        match ended {
            Ok(ending) => {
                head.conditions.scheduling = ending.scheduling;
                head.conditions.memory_locked = ending.memory_locked;
                head.conditions.notes.extend(ending.notes);
                if ending.stopped || stopped {
                    incomplete(head, "interrupted");
                } else {
                    head.state = RunState::Complete;
                }
                None
            }
            Err(error) => {
                incomplete(head, error.to_string());
                Some(error.into())
            }
        }
    }
}
