//! Writes a record of many points, to see what opening one takes: made up, not measured.
//!
//!     cargo run --release -p pontage-record --example many_points FOLDER POINTS SAMPLES

#[path = "../tests/common/mod.rs"]
mod common;

use common::{axis, experiment, metric, point, setting, small_head};
use record::{FigureHead, PointState, RunState, RunWriter, Unit};
use std::path::Path;

/// Points of one experiment, so that there are several.
const OF_ONE: u32 = 5_000;

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let [folder, points, samples] = asked.try_into().expect("a folder and two numbers");
    let points: u32 = points.parse().expect("a number of points");
    let samples: u32 = samples.parse().expect("a number of samples");
    let mut head = small_head("many");
    (head.experiments, head.points) = (Vec::new(), Vec::new());
    for index in 0..points {
        let id = format!("made/number_{}", index / OF_ONE);
        if index % OF_ONE == 0 {
            let axes = vec![axis("size", Unit::Bytes), axis("way", Unit::Word)];
            let mut made = experiment(&id, axes, vec![metric("time", Unit::Nanoseconds)]);
            made.figures = vec![FigureHead {
                title: "Time by size".to_owned(),
                x: "size".to_owned(),
                x_log2: true,
                y: "time".to_owned(),
                y_log: true,
                series: vec!["way".to_owned()],
                ..FigureHead::default()
            }];
            head.experiments.push(made);
        }
        let size = i64::from(index % OF_ONE / 5 + 1) * 64;
        let way = format!("way_{}", index % 5);
        let settings = vec![setting("size", size), setting("way", way.as_str())];
        head.points.push(point(index, &id, settings).into());
    }
    let mut writer = RunWriter::create(Path::new(&folder), head.clone()).expect("a new record");
    for mut point in head.points.clone() {
        point.state = PointState::Done;
        let taken = common::samples_of(&point, 1, samples);
        writer.append_point(&point, &taken).expect("it is written");
    }
    let mut closed = writer.head().clone();
    closed.state = RunState::Complete;
    writer.close(closed).expect("it is closed");
    println!("{}", writer.folder().display());
}
