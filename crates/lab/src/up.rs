//! A scenario from its data file to its outcome.

use crate::build::{self, host_programs, modules, plugins, programs, rust_programs};
use crate::cache::{Cache, emptied};
use crate::counted;
use crate::data::{Data, Kernel, Machine, Origin, RustProgram, Scenario, Share, Test};
use crate::expected::{self, ExpectedSkip};
use crate::fetch::{self, apt::Apt, kernel::Unpacked};
use crate::guest::image::{self, Content};
use crate::guest::life::{self, QEMU_LOG};
use crate::guest::qemu::{Boot, CONSOLE, OUT, TESTS};
use crate::guest::storage::Storage;
use crate::needs;
use crate::outcome::{Outcome, Traces, Verdict, judge};
use crate::stop::{Stop, cannot};
use crate::workshop::Workshop;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

mod again;
mod crash;

/// The laboratory of one clone.
pub struct Lab<'a> {
    /// The repository's root.
    root: PathBuf,
    data: Data,
    expected: Vec<ExpectedSkip>,
    cache: Cache,
    /// Receives a line about each step that takes time.
    say: &'a (dyn Fn(&str) + Sync),
    /// Set when the user interrupts.
    stop: &'a AtomicBool,
    /// This program, for scenarios that take it along.
    pontage: PathBuf,
    /// Held while a scenario is made ready, before the cache is: whoever waits
    /// here waits for a neighbour, not for another run.
    preparing: Mutex<()>,
}

/// A guest that can be booted.
struct Ready<'a> {
    scenario: &'a Scenario,
    machine: &'a Machine,
    kernel: Unpacked,
    initramfs: PathBuf,
    tests: Vec<String>,
    folder: PathBuf,
    shares: Vec<Share>,
    storage: Storage,
    plugins: Vec<(String, PathBuf)>,
}

impl<'a> Lab<'a> {
    /// The laboratory of the clone at `root`.
    ///
    /// # Errors
    /// Data files that cannot be understood.
    pub fn open(
        root: &Path,
        cache: Cache,
        pontage: PathBuf,
        say: &'a (dyn Fn(&str) + Sync),
        stop: &'a AtomicBool,
    ) -> Result<Lab<'a>, Stop> {
        Ok(Lab {
            root: root.to_owned(),
            data: Data::read(&root.join("lab"))?,
            expected: expected::read(&root.join("fixtures/skips/lab.toml"))?,
            cache,
            say,
            stop,
            pontage,
            preparing: Mutex::new(()),
        })
    }

    /// Its kernels, machines and scenarios.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// What a scenario needs and this host has not.
    ///
    /// # Errors
    /// A skip with its remedy, or a name that is none.
    pub fn check(&self, name: &str) -> Result<(), Stop> {
        let (scenario, kernel, machine) = self.parts(name)?;
        needs::check(scenario, kernel, machine)?;
        match &scenario.build {
            Some(folder) if !self.root.join(folder).is_dir() => Err(Stop::skip(
                format!("there is no folder {folder}"),
                "use a clone that has it",
            )),
            _ => Ok(()),
        }
    }

    /// Boots a scenario, runs its tests and judges them. Logs and results stay
    /// in `out/NAME`, which is made anew.
    ///
    /// # Errors
    /// Only an interruption: everything else is an outcome.
    pub fn up(&self, name: &str, out: &Path) -> Result<Outcome, Stop> {
        let ended = self.check(name).and_then(|()| self.booted(name, out));
        match ended {
            Ok(outcome) => Ok(outcome),
            Err(Stop::Interrupted) => Err(Stop::Interrupted),
            Err(Stop::Skip { reason, remedy }) => Ok(Outcome {
                causes: vec![reason],
                remedy: Some(remedy),
                ..Outcome::new(name, Verdict::Skipped)
            }),
            Err(Stop::Failed { message, hint }) => Ok(Outcome {
                causes: vec![message],
                remedy: hint,
                ..Outcome::new(name, Verdict::Failed)
            }),
        }
    }

    /// Boots a scenario with its modules inserted and a person at the console.
    ///
    /// # Errors
    /// Whatever keeps it from booting.
    pub fn shell(&self, name: &str, out: &Path) -> Result<PathBuf, Stop> {
        self.check(name)?;
        let ready = self.prepare(name, out, true)?;
        (self.say)("the guest's console; Ctrl-A X ends it at once");
        life::attend(&ready.boot(true, None))?;
        Ok(ready.folder)
    }

    fn booted(&self, name: &str, out: &Path) -> Result<Outcome, Stop> {
        let ready = self.prepare(name, out, false)?;
        let began = Instant::now();
        let killed = self.crash(name, &ready)?;
        let mut outcome = self.boot(name, &ready)?;
        outcome.boots = 1;
        outcome = self.again(name, &ready, outcome)?;
        if !killed.causes.is_empty() {
            outcome.verdict = Verdict::Failed;
            outcome.causes.extend(killed.causes);
        }
        let counting = ready.machine.plugin_names();
        if ready.scenario.twice && outcome.verdict == Verdict::Passed {
            counted::keep(&ready.folder, &counting)?;
            outcome = Outcome {
                boots: outcome.boots + 1,
                retried: outcome.retried,
                suspected: std::mem::take(&mut outcome.suspected),
                ..self.boot(name, &ready)?
            };
        }
        if outcome.verdict == Verdict::Passed {
            counted::judge(&mut outcome, ready.scenario, &ready.folder, &counting);
        }
        if outcome.verdict == Verdict::Passed {
            ready.storage.remove();
        }
        Ok(Outcome {
            kills: killed.kills,
            host_s: Some(began.elapsed().as_secs_f64()),
            kernel: Some(ready.kernel.release.clone()),
            folder: Some(ready.folder),
            ..outcome
        })
    }

    fn boot(&self, name: &str, ready: &Ready) -> Result<Outcome, Stop> {
        (self.say)(&format!("{name}: booting {}", ready.kernel.release));
        let number = ready.scenario.crash.as_ref().map(|crash| crash.times + 1);
        let (end, silent) = self.live(name, ready, number, None)?;
        let console = life::text(&ready.folder.join(CONSOLE));
        let tests = match ready.machine.tests_port {
            Some(_) => life::text(&ready.folder.join(TESTS)),
            None => console.clone(),
        };
        let traces = Traces {
            end,
            console: &console,
            tests: &tests,
            qemu: &life::text(&ready.folder.join(QEMU_LOG)),
        };
        let scenario = ready.scenario;
        let outcome = judge(name, scenario, &ready.tests, &self.expected, &traces);
        Ok(Outcome {
            retried: silent,
            ..outcome
        })
    }

    fn parts(&self, name: &str) -> Result<(&Scenario, &Kernel, &Machine), Stop> {
        let scenario = self.data.scenario(name)?;
        // Data::read has seen that both are there.
        let kernel = &self.data.kernels[&scenario.kernel];
        Ok((scenario, kernel, &self.data.machines[&scenario.machine]))
    }

    fn shop(&self) -> Workshop<'_> {
        Workshop {
            cache: &self.cache,
            say: self.say,
            stop: self.stop,
        }
    }

    /// Fetches, builds and packs while holding the cache.
    fn prepare(&self, name: &str, out: &Path, shell: bool) -> Result<Ready<'_>, Stop> {
        let (scenario, kernel, machine) = self.parts(name)?;
        let _ours = self
            .preparing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let _held = self.cache.hold(self.say, self.stop)?;
        let unpacked = self.kernel(&scenario.kernel, kernel)?;
        let built = self.modules(scenario, kernel, &unpacked)?;
        let architecture = kernel.architecture;
        let programs = programs::build(self.shop(), scenario, &self.root, architecture)?;
        let placed = self.placed(scenario, kernel)?;
        let plugins = self.plugins(machine)?;
        let shares = match shell {
            // A person wants to look at the host's files and to keep some.
            true => vec![Share::Results, Share::Host],
            false => scenario.share.clone(),
        };
        let tests = tests(scenario, &programs);
        let folder = fresh_folder(&out.join(name), machine)?;
        let content = Content {
            kernel: &unpacked,
            init: self.root.join("lab/guest/init"),
            stock: stock_modules(scenario, machine, &shares),
            modules: &scenario.modules,
            built,
            programs,
            tests,
            placed,
        };
        let initramfs = image::pack(self.shop(), &content, &folder)?;
        let tests = content.tests.iter().map(|t| t.name.clone()).collect();
        let storage = Storage::make(scenario, &folder)?;
        Ok(Ready {
            scenario,
            machine,
            kernel: unpacked,
            initramfs,
            tests,
            folder,
            shares,
            storage,
            plugins,
        })
    }

    /// Programs that the guest gets as they are: the host's, ours for the guest's processor, and
    /// Debian's.
    fn placed(
        &self,
        scenario: &Scenario,
        kernel: &Kernel,
    ) -> Result<Vec<host_programs::Placed>, Stop> {
        let mut placed = match scenario.pontage {
            true => host_programs::pontage(self.shop(), &self.pontage)?,
            false => Vec::new(),
        };
        for program in &scenario.host_programs {
            placed.extend(host_programs::installed(self.shop(), program)?);
        }
        let (shop, architecture) = (self.shop(), kernel.architecture);
        let ours = &scenario.rust_programs;
        let built = rust_programs::build(shop, ours, &self.root, architecture)?;
        let in_tests = |program: &RustProgram| Path::new("/tests").join(program.name());
        placed.extend(built.into_iter().zip(ours.iter().map(in_tests)));
        for program in &scenario.debian_programs {
            let apt = Apt::open(shop, &kernel.suite)?;
            let fetched = fetch::programs::fetch(shop, &apt, program, architecture)?;
            placed.extend(fetched);
        }
        Ok(placed)
    }

    /// QEMU's plugins of a machine: name and shared object.
    fn plugins(&self, machine: &Machine) -> Result<Vec<(String, PathBuf)>, Stop> {
        let build = |plugin: &String| {
            let object = plugins::build(self.shop(), &self.root, plugin)?;
            Ok((plugin.clone(), object))
        };
        machine.plugins.keys().map(build).collect()
    }

    /// Fetched or built.
    fn kernel(&self, name: &str, kernel: &Kernel) -> Result<Unpacked, Stop> {
        let shop = self.shop();
        match &kernel.origin {
            Origin::Packages(packages) => fetch::kernel::fetch(shop, name, kernel, packages),
            Origin::Source(source) => {
                let apt = Apt::open(shop, &kernel.suite)?;
                let wanted = build::kernel::Wanted {
                    name,
                    architecture: kernel.architecture,
                    tree: fetch::tree::fetch(shop, &apt, &source.source)?,
                    config: self.root.join(&source.config),
                    busybox: fetch::busybox::fetch(shop, &apt, kernel.architecture)?,
                };
                build::kernel::build(shop, &wanted)
            }
        }
    }

    fn modules(
        &self,
        scenario: &Scenario,
        kernel: &Kernel,
        unpacked: &Unpacked,
    ) -> Result<Vec<PathBuf>, Stop> {
        let (shop, suite) = (self.shop(), &kernel.suite);
        let mut built = Vec::new();
        if let Some(folder) = &scenario.build {
            built.push(modules::build(shop, unpacked, &self.root.join(folder))?);
        }
        for wanted in &scenario.from_source {
            let source = fetch::source::fetch(shop, &self.data, suite, &wanted.package)?;
            built.push(modules::from_source(shop, unpacked, wanted, &source)?);
        }
        Ok(built)
    }
}

/// Modules of the stock kernel: the scenario's, and those that shared folders need.
fn stock_modules(scenario: &Scenario, machine: &Machine, shares: &[Share]) -> Vec<String> {
    let mut stock = scenario.stock_modules.clone();
    if !shares.is_empty() {
        stock.extend(machine.bus.share_modules().map(str::to_owned));
    }
    stock
}

/// The folder of a run without what an earlier run left in it; its real path.
fn fresh_folder(folder: &Path, machine: &Machine) -> Result<PathBuf, Stop> {
    emptied(&folder.join(OUT))?;
    forget_logs(folder);
    counted::forget(folder, &machine.plugin_names());
    folder.canonicalize().map_err(cannot("find", folder))
}

/// The logs of an earlier boot must not be taken for this one's.
fn forget_logs(folder: &Path) {
    for log in [CONSOLE, TESTS, QEMU_LOG] {
        let _ = fs::remove_file(folder.join(log));
    }
}

/// The scenario's tests, or every program it has.
fn tests(scenario: &Scenario, programs: &[PathBuf]) -> Vec<Test> {
    if !scenario.tests.is_empty() {
        return scenario.tests.clone();
    }
    let test = |program: &PathBuf| {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        Test {
            run: format!("./{name}"),
            name: name.into_owned(),
        }
    };
    programs.iter().map(test).collect()
}

impl Ready<'_> {
    fn boot(&self, shell: bool, number: Option<u32>) -> Boot<'_> {
        Boot {
            machine: self.machine,
            image: self.kernel.image.clone(),
            initramfs: self.initramfs.clone(),
            folder: &self.folder,
            shares: &self.shares,
            append: &self.scenario.append,
            storage: &self.storage,
            number,
            plugins: &self.plugins,
            shell,
        }
    }
}
