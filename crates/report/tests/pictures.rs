//! The figures as PNG: every one is drawn, with its curve and its words in it.

mod synthetic;

use report::figure::Colour;
use report::{figure, png as pictures};
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
    let figures = figure::all(&view);
    assert_eq!(written.len(), figures.len());
    for (path, figure) in written.into_iter().zip(figures) {
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
