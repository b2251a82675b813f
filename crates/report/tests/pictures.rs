//! The figures as PNG: every one is drawn, with its curve and its words in it.

mod synthetic;

use report::figure::Colour;
use report::{figure, png as pictures, svg};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

struct Picture {
    width: usize,
    rgb: Vec<[u8; 3]>,
}

fn read(path: &Path) -> Picture {
    let file = BufReader::new(File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    Picture {
        width: info.width as usize,
        rgb: bytes.as_chunks::<3>().0.to_vec(),
    }
}

fn count(pixels: &[[u8; 3]], colour: Colour) -> usize {
    let (r, g, b) = colour.rgb();
    pixels.iter().filter(|p| **p == [r, g, b]).count()
}

#[test]
fn every_figure_is_drawn_with_its_words() {
    let view = synthetic::run();
    let folder = tempfile::tempdir().unwrap();
    let written = pictures::write_all(&view, folder.path()).unwrap();
    let mut figures = figure::all(&view);
    figures.retain(|figure| !figure.is_empty());
    assert_eq!(written.files.len(), figures.len());
    for (path, figure) in written.files.into_iter().zip(figures) {
        let picture = read(&path);
        let name = path.display();
        assert!(picture.width >= 800, "{name} is {} wide", picture.width);
        // The title stands in the first rows; without fonts they are empty.
        let title = &picture.rgb[..picture.width * 40];
        assert!(count(title, Colour::Ink) > 100, "{name} has no title");
        let paper = count(&picture.rgb, Colour::Paper);
        // Shaded regions are grey from axis to axis, and the cells of a matrix lie on the paper and leave little of it.
        let least = if figure.matrix.is_some() { 6 } else { 3 };
        assert!(paper > picture.rgb.len() / least, "{name} is not on white");
        assert!(
            paper < picture.rgb.len() * 99 / 100,
            "{name} is all but empty"
        );
    }
}

/// A run of which one experiment was not measured.
#[test]
fn figures_without_data_have_no_file_and_are_counted() {
    let mut view = synthetic::run();
    let all = figure::all(&view).len();
    let lost = view.tables.iter_mut();
    let lost = lost.filter(|t| !t.head.figures.is_empty()).last().unwrap();
    let of_lost = figure::figures(&view.head, lost, 0).len();
    assert!(of_lost > 0);
    for point in &mut lost.points {
        point.summaries.clear();
        point.in_order.clear();
    }
    let id = lost.head.id.replace('/', "-");
    let folder = tempfile::tempdir().unwrap();
    let written = svg::write_all(&view, folder.path()).unwrap();
    assert!(written.empty >= of_lost, "{written:?}");
    assert_eq!(written.files.len() + written.empty, all);
    let names = written.files.iter().filter_map(|p| p.file_name()?.to_str());
    assert_eq!(names.filter(|n| n.starts_with(&id)).count(), 0, "{id}");
}

/// A picture that travels alone says where it is from, and nothing in it is too small to print.
#[test]
fn a_picture_names_its_run_and_can_be_read_on_paper() {
    let view = synthetic::run();
    let folder = tempfile::tempdir().unwrap();
    let written = svg::write_all(&view, folder.path()).unwrap();
    assert!(!written.files.is_empty());
    let head = &view.head;
    for path in written.files {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.display();
        let date = head.started_utc.split('T').next().unwrap();
        for part in [&head.machine.host, &head.machine.kernel, &head.id, date] {
            assert!(text.contains(part), "{name} lacks {part}");
        }
        // Four units to a pixel, of which there are 96 in an inch of 72 points.
        let sizes = text.split("font-size=\"").skip(1);
        for size in sizes.map(|rest| rest.split('"').next().unwrap()) {
            let points = size.parse::<f64>().unwrap() / 4.0 * 0.75;
            assert!(points >= 7.0, "{name}: {points} pt");
        }
    }
}

/// At the ends of lines, and in front of rows.
#[test]
fn long_names_make_a_picture_wider_and_are_not_cut_off() {
    let width = |figure: &figure::Figure| {
        let text = svg::file(figure, &report::Foot::default()).unwrap();
        let rest = text.split(" width=\"").nth(1).unwrap();
        rest.split('"').next().unwrap().parse::<f64>().unwrap()
    };
    let name = "2processes, same_cache, buffer 1 MiB, total 16 MiB, ".repeat(2);
    let (mut lines, mut rows) = (0, 0);
    for mut figure in figure::all(&synthetic::run()) {
        if figure.is_empty() || figure.matrix.is_some() {
            continue;
        }
        if let figure::Scale::Categories(words) = &mut figure.x.scale {
            rows += 1;
            words[0].clone_from(&name);
        } else if figure.series.len() == 2 {
            lines += 1;
            figure.series[0].name.clone_from(&name);
        } else {
            continue;
        }
        // Letters are at least half as wide as they are high.
        let least = 760.0 * 0.6 + name.len() as f64 * 9.7 / 2.0;
        assert!(width(&figure) >= least, "{}: {}", figure.id, width(&figure));
    }
    assert!(lines > 0 && rows > 0, "{lines} {rows}");
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let below = file.path().join("figures");
    let error = pictures::write_all(&synthetic::run(), &below).unwrap_err();
    assert!(
        error.to_string().starts_with("cannot write"),
        "{error}: names the object"
    );
    assert!(error.to_string().contains("figures"), "{error}");
}
