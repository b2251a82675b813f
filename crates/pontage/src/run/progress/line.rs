//! The line of the bar: what fits the width, in whole words.

/// What the line says.
#[derive(Debug, Clone, Default)]
pub struct Said<'a> {
    /// Of the time, 0..=1.
    pub share: f64,
    /// `45 s left`.
    pub left: String,
    pub experiment: &'a str,
    /// `4 KiB, random line, base pages`.
    pub point: &'a str,
    /// `process 2 of 5`.
    pub turn: String,
}

/// Narrower than this, the bar itself is left out.
const NARROW: usize = 60;
const FULL: char = '\u{2588}';
const EMPTY: char = '\u{2591}';

/// Fits a terminal of so many columns, of which the last stays free: what matters most first,
/// then what still fits.
pub fn line(said: &Said, columns: usize) -> String {
    let width = columns.saturating_sub(1);
    let bar = match columns {
        ..NARROW => 0,
        NARROW..80 => 8,
        80..120 => 12,
        _ => 24,
    };
    let mut line = drawn(said.share, bar);
    let percent = format!("{:>3.0} %", 100.0 * said.share.clamp(0.0, 1.0));
    let first = [percent.as_str(), &said.left, said.experiment];
    for part in first.into_iter().filter(|part| !part.is_empty()) {
        add(&mut line, "  ", part, width);
    }
    let mut gap = "  ";
    for part in said.point.split(", ").filter(|part| !part.is_empty()) {
        // What is missing is shown as such, where that fits.
        if !add(&mut line, gap, part, width) {
            add(&mut line, ", ", "...", width);
            break;
        }
        gap = ", ";
    }
    if !said.turn.is_empty() {
        add(&mut line, "  ", &said.turn, width);
    }
    line
}

fn drawn(share: f64, cells: u32) -> String {
    // A cell is full from its middle on.
    let is_full = |at: u32| (f64::from(at) + 0.5) <= share * f64::from(cells);
    (0..cells)
        .map(|at| if is_full(at) { FULL } else { EMPTY })
        .collect()
}

/// Adds a part whole, or not at all; whether it fitted.
fn add(line: &mut String, gap: &str, part: &str, width: usize) -> bool {
    let gap = if line.is_empty() { "" } else { gap };
    let all = [&*line, gap, part].map(|text| text.chars().count());
    let fits = all.into_iter().sum::<usize>() <= width;
    if fits {
        line.push_str(gap);
        line.push_str(part);
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::{Said, line};

    fn said() -> Said<'static> {
        Said {
            share: 0.42,
            left: "about 35 s left".to_owned(),
            experiment: "mem/line_transfer",
            point: "4 KiB, random line, base pages, from the other socket",
            turn: "process 2 of 5".to_owned(),
        }
    }

    #[test]
    fn the_line_fits_every_terminal_in_whole_words() {
        let wanted = [
            (
                60,
                "███░░░░░   42 %  about 35 s left  mem/line_transfer  4 KiB",
            ),
            (
                80,
                "█████░░░░░░░   42 %  about 35 s left  mem/line_transfer  4 KiB, random line",
            ),
            (
                100,
                "█████░░░░░░░   42 %  about 35 s left  mem/line_transfer  4 KiB, random line, base pages, ...",
            ),
            (
                200,
                "██████████░░░░░░░░░░░░░░   42 %  about 35 s left  mem/line_transfer  4 KiB, random line, base pages, from the other socket  process 2 of 5",
            ),
        ];
        for (width, text) in wanted {
            assert_eq!(line(&said(), width), text);
        }
    }

    #[test]
    fn no_width_cuts_a_word() {
        let said = said();
        let turn = &*said.turn;
        let words: Vec<&str> = said
            .point
            .split(", ")
            .chain([said.experiment, turn, "..."])
            .collect();
        for width in 1..220 {
            let line = line(&said, width);
            assert!(line.chars().count() < width, "{width}: {line}");
            let after = line.split("left  ").nth(1).unwrap_or_default();
            let parts = after.split("  ").flat_map(|part| part.split(", "));
            for part in parts.filter(|part| !part.is_empty()) {
                assert!(words.contains(&part), "{width}: {part:?} of {line:?}");
            }
        }
    }

    #[test]
    fn a_share_beyond_all_draws_no_more_than_the_bar() {
        for share in [-1.0, 0.0, 1.0, 7.0, f64::NAN] {
            let line = line(&Said { share, ..said() }, 60);
            assert_eq!(
                line.chars().filter(|c| "█░".contains(*c)).count(),
                8,
                "{line}"
            );
        }
    }
}
