//! Keeps a run as a fixture of the summary: its view without the prose of the experiments, deflated.
//!
//!     cargo run -p pontage-summary --example keep_view RUN fixtures/views/NAME.json.z

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::fs::File;
use std::path::Path;

fn main() {
    let [run, file] = std::env::args()
        .skip(1)
        .collect::<Vec<String>>()
        .try_into()
        .expect("a run and a file");
    let run = record::Run::open(Path::new(&run)).expect("a run");
    let mut view = analysis::load(&run).expect("it can be read");
    view.head.machine_full = serde_json::Value::Null;
    view.head.command_line.clear();
    view.head.recipe.text.clear();
    // The tables have the points.
    view.head.points.clear();
    view.head.experiments.clear();
    for table in &mut view.tables {
        let head = &mut table.head;
        for prose in [
            &mut head.theory,
            &mut head.counts,
            &mut head.does_not_count,
            &mut head.origin,
            &mut head.question,
        ] {
            prose.clear();
        }
        head.figures.clear();
        for point in &mut table.points {
            point.head.notes.clear();
            point.in_order.clear();
            // What the summary reads is of the first metric.
            point.summaries.truncate(1);
        }
    }
    let out = ZlibEncoder::new(File::create(file).expect("a new file"), Compression::best());
    serde_json::to_writer(out, &view).expect("it can be written");
}
