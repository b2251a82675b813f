//! The command line of the zoo.

use zoo::cores::{self, Core, UNTOUCHED};
use zoo::{Guest, Surroundings};

/// What is run.
pub struct Arguments {
    pub cores: Vec<Core>,
    pub conditions: Vec<Condition>,
    pub seeds: u64,
    /// File that runs are kept in, so that they need not be run again.
    pub runs: Option<String>,
    /// Only what that file has is judged, and nothing is run.
    pub kept: bool,
    /// Experiments of the recipe that are run; none: all.
    pub only: Vec<String>,
    /// Where the record of patterns is written: of what was run; what it has of others stays.
    pub keep: Option<String>,
    /// Folder with runs of a real machine, which are judged instead.
    pub here: Option<String>,
    /// Where the curves of the first of them are written.
    pub curves: Option<String>,
    /// Each finding that is wrong, with its methods.
    pub verbose: bool,
}

/// Surroundings with a name.
#[derive(Clone)]
pub struct Condition {
    pub name: &'static str,
    around: Surroundings,
}

/// Runs of each core in each condition.
const SEEDS: u64 = 20;
/// How far the clock wanders, as a share.
const DRIFT: f64 = 0.0;
const STOLEN: f64 = 0.1;

impl Condition {
    /// What a run with this seed has around it: the partner of one in four is a thread of the
    /// same core, of another one a core that shares no cache; and a kernel of its own.
    pub fn around(&self, core: &str, seed: u64) -> Surroundings {
        let around = Surroundings {
            smt_sibling: seed % 4 == 3,
            partner_shares_llc: !seed.is_multiple_of(4),
            ..self.around.clone()
        };
        around.drawn(&format!("{core} {}", self.name), seed)
    }
}

const USAGE: &str = "zoo [--seeds N] [--cores NAME,..|untouched|all] \
                     [--conditions quiet,neighbour,stolen] [--only EXPERIMENT,..] \
                     [--runs FILE [--kept]] [--keep FILE] [--here FOLDER [--curves FILE]] [--verbose]";

impl Arguments {
    /// From the words of the command line. Without `--cores`, all that methods may be tuned
    /// on.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(words: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut arguments = Arguments {
            cores: tuned(),
            conditions: conditions(),
            seeds: SEEDS,
            runs: None,
            kept: false,
            only: Vec::new(),
            keep: None,
            here: None,
            curves: None,
            verbose: false,
        };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value\n{USAGE}"));
            match word.as_str() {
                "--seeds" => {
                    let text = value()?;
                    arguments.seeds = text.parse().map_err(|_| format!("{text} is no number"))?;
                }
                "--cores" => arguments.cores = chosen(&value()?)?,
                "--conditions" => {
                    let wanted = value()?;
                    let is = |c: &Condition| wanted.split(',').any(|w| w == c.name);
                    arguments.conditions.retain(is);
                    if arguments.conditions.is_empty() {
                        return Err(format!("no condition is called {wanted}\n{USAGE}"));
                    }
                }
                "--kept" => arguments.kept = true,
                "--only" => arguments.only = experiments(&value()?)?,
                "--runs" => arguments.runs = Some(value()?),
                "--keep" => arguments.keep = Some(value()?),
                "--here" => arguments.here = Some(value()?),
                "--curves" => arguments.curves = Some(value()?),
                "--verbose" => arguments.verbose = true,
                _ => return Err(format!("unknown argument {word}\n{USAGE}")),
            }
        }
        arguments.complaint().map_or(Ok(arguments), Err)
    }

    /// What is asked for without that which it is of.
    fn complaint(&self) -> Option<String> {
        match self {
            Arguments {
                kept: true,
                runs: None,
                ..
            } => Some(format!("--kept needs --runs FILE\n{USAGE}")),
            Arguments {
                curves: Some(_),
                here: None,
                ..
            } => Some(format!("--curves needs --here FOLDER\n{USAGE}")),
            _ => None,
        }
    }
}

fn experiments(ids: &str) -> Result<Vec<String>, String> {
    let all: Vec<String> = ids.split(',').map(str::to_owned).collect();
    let known = super::recipe::inference(&[]).map_or(Vec::new(), |recipe| recipe.experiments);
    let missing = all.iter().find(|id| !known.iter().any(|e| e.id == **id));
    match missing {
        Some(id) => Err(format!("the recipe has no experiment {id}\n{USAGE}")),
        None => Ok(all),
    }
}

fn tuned() -> Vec<Core> {
    let all = cores::all().into_iter();
    all.filter(|core| !UNTOUCHED.contains(&core.name.as_str()))
        .collect()
}

fn chosen(names: &str) -> Result<Vec<Core>, String> {
    let named = |name: &str| cores::named(name).ok_or(format!("no core is called {name}"));
    match names {
        "all" => Ok(cores::all()),
        "untouched" => UNTOUCHED.iter().map(|name| named(name)).collect(),
        names => names.split(',').map(named).collect(),
    }
}

/// A machine by itself, one with a neighbour on its last level, and a guest that loses a tenth
/// of its time and whose memory the host has in pieces.
fn conditions() -> Vec<Condition> {
    let of = |name, around: Surroundings| Condition {
        name,
        around: Surroundings {
            drift: DRIFT,
            ..around
        },
    };
    let guest = Surroundings {
        guest: Guest::SmallHost,
        ..Surroundings::stolen(STOLEN)
    };
    vec![
        of("quiet", Surroundings::quiet()),
        of("neighbour", Surroundings::neighbour()),
        of("stolen", guest),
    ]
}
