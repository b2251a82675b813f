//! A simulated core against the curve that a real one of its kind left.

use analysis::staircase::{Reading, curve};
use catalogue::recipe;
use stats::CurvePoint;
use std::path::Path;
use zoo::curves::Curves;
use zoo::{Guest, Surroundings, cores, stage};

/// The guest's host had its memory in base pages.
const GUEST: Guest = Guest::SmallHost;
/// Latency over sets of random lines in huge pages.
const ONLY: [(&str, &str); 2] = [("pattern", "random_line"), ("pages", "thp")];

fn recorded(name: &str) -> Vec<CurvePoint> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/curves");
    let text = std::fs::read_to_string(folder.join(name)).expect("a fixture");
    let curves = Curves::parse(&text).expect("curves");
    let table = curves.tables.iter().find(|t| t.head.id == "mem/latency");
    curve(table.expect("latencies"), "size", &ONLY, Reading::Quarter)
}

fn simulated(core: &str, sizes: &[f64]) -> Vec<CurvePoint> {
    let sizes: Vec<String> = sizes.iter().map(|bytes| format!("{bytes:.0}")).collect();
    let text = format!(
        "title = \"One curve\"\nquestion = \"?\"\npreset = \"quick\"\nprocesses = 1\nsamples = 10\n\
         [[experiment]]\nid = \"mem/latency\"\nbudget_ms = 12\n\
         axes = {{ size = [{}], pattern = [\"random_line\"], pages = [\"thp\"] }}\n",
        sizes.join(", ")
    );
    let recipe = recipe::parse("curve", &text).expect("a recipe");
    let core = cores::named(core).expect("a core");
    let around = Surroundings {
        guest: GUEST,
        ..Surroundings::quiet()
    };
    let ran = stage::run(experiments::all(), &recipe, &core, &around, 1);
    let ran = ran.expect("a plan");
    curve(&ran.tables[0], "size", &ONLY, Reading::Quarter)
}

/// Sets up to here leave room in the last level, however much of it other guests use.
const LARGEST_BYTES: f64 = 9e6;
/// How far a time may be off, as a factor, once both clocks run alike.
const NEAR: f64 = 1.25;

#[test]
fn a_simulated_core_has_the_curve_of_a_real_one() {
    let mut real = recorded("zen5-quiet.json");
    real.retain(|p| p.x <= LARGEST_BYTES);
    let sizes: Vec<f64> = real.iter().map(|p| p.x).collect();
    let model = simulated("zen5", &sizes);
    assert!(real.len() > 20 && real.len() == model.len());
    // The real one runs faster than its description: a hit of the first cache is four cycles.
    let clock = model[0].y.center / real[0].y.center;
    assert!((1.0..1.2).contains(&clock), "{clock}");
    for (real, model) in real.iter().zip(&model) {
        let off = model.y.center / real.y.center / clock;
        assert!(
            (1.0 / NEAR..NEAR).contains(&off),
            "{} B: {} ns, simulated {} ns, off by {off:.2}",
            real.x,
            real.y.center,
            model.y.center
        );
    }
}
