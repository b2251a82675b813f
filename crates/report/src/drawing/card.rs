//! The card of a run: 1200 x 630, what a link or a chat shows of it.

use super::canvas::{Anchor, Canvas, Drawing, rectangle};
use crate::card::Card;
use crate::figure::Colour;
use crate::format::significant;
use crate::toll::{self, COLUMNS_BYTES, Standing, TollCell, TollRow};
use analysis::view::ContaminationLevel;
use record::axis::human_bytes;
use summary::{CapacityStand, Letter, Level};

/// Of the card.
pub const SIZE_PX: (f64, f64) = (1200.0, 630.0);
const LEFT: f64 = 56.0;
const RIGHT: f64 = 1144.0;
/// Where the hierarchy, the map and the findings begin.
const BODY: f64 = 128.0;
const FINDINGS: f64 = 428.0;
const FOOT: f64 = 572.0;
/// From one cell of the map to the next.
const COLUMN: f64 = 104.0;
const MAP: f64 = 456.0;

/// Width of a text: of plotters' sizes about four fifths are seen.
fn width_px(text: &str, size_px: f64) -> f64 {
    text.chars().count() as f64 * size_px * 0.5
}

impl Card {
    /// # Errors
    /// What plotters says when it refuses.
    pub fn draw(&self, canvas: &Canvas<'_>) -> Drawing {
        self.head(canvas)?;
        rule(canvas, BODY)?;
        for (at, level) in self.levels.iter().enumerate() {
            let pitch = ((FINDINGS - BODY - 44.0) / self.levels.len() as f64).min(60.0);
            level_row(canvas, level, BODY + 42.0 + pitch * at as f64)?;
        }
        if !self.levels.is_empty() {
            let ink = (17.5, Colour::Muted);
            canvas.sized("ns", (336.0, BODY + 26.0), Anchor::Right, ink)?;
            canvas.sized("cycles", (412.0, BODY + 26.0), Anchor::Right, ink)?;
        }
        self.map(canvas)?;
        rule(canvas, FINDINGS)?;
        self.findings(canvas)?;
        rule(canvas, FOOT)?;
        let ink = (17.0, Colour::Muted);
        canvas.sized(&self.run, (LEFT, FOOT + 26.0), Anchor::Left, ink)?;
        canvas.sized(&self.version, (RIGHT, FOOT + 26.0), Anchor::Right, ink)
    }

    fn head(&self, canvas: &Canvas<'_>) -> Drawing {
        let room = 760.0;
        let size = (44.0f64).min(44.0 * room / width_px(&self.machine, 44.0));
        canvas.strong(
            &self.machine,
            (LEFT, 66.0),
            Anchor::Left,
            (size, Colour::Ink),
        )?;
        canvas.sized(
            &self.about,
            (LEFT, 102.0),
            Anchor::Left,
            (17.0, Colour::Muted),
        )?;
        let (paper, ink) = match self.letter {
            Letter::A | Letter::B => (Colour::Tint, Colour::Good),
            Letter::C => (Colour::Caution, Colour::CautionInk),
            Letter::D => (Colour::Caution, Colour::Bad),
        };
        canvas.area(&rectangle((852.0, 44.0, 60.0, 60.0)), paper, 1.0)?;
        canvas.strong(
            self.letter.name(),
            (882.0, 75.0),
            Anchor::Middle,
            (42.0, ink),
        )?;
        canvas.strong(
            &self.good_for,
            (928.0, 62.0),
            Anchor::Left,
            (16.0, Colour::Ink),
        )?;
        canvas.sized(
            &self.lowered,
            (928.0, 89.0),
            Anchor::Left,
            (17.0, Colour::Muted),
        )
    }

    fn map(&self, canvas: &Canvas<'_>) -> Drawing {
        let right = |column: usize| RIGHT - COLUMN * (COLUMNS_BYTES.len() - 1 - column) as f64;
        for (column, bytes) in COLUMNS_BYTES.iter().enumerate() {
            let at = (right(column), BODY + 26.0);
            canvas.sized(
                &human_bytes(*bytes),
                at,
                Anchor::Right,
                (17.5, Colour::Muted),
            )?;
        }
        let groups = self
            .rows
            .windows(2)
            .filter(|w| w[0].group != w[1].group)
            .count();
        let room = FINDINGS - BODY - 44.0 - 9.0 * groups as f64;
        let pitch = (room / self.rows.len().max(1) as f64).min(28.0);
        let mut y = BODY + 54.0;
        for (at, row) in self.rows.iter().enumerate() {
            if at > 0 && self.rows[at - 1].group != row.group {
                canvas.line(
                    &[(MAP, y - pitch / 2.0 + 4.0), (RIGHT, y - pitch / 2.0 + 4.0)],
                    Colour::Grid,
                    1.0,
                )?;
                y += 9.0;
            }
            canvas.sized(
                &toll::full_way(row),
                (MAP, y),
                Anchor::Left,
                (20.0, Colour::Ink),
            )?;
            for column in 0..COLUMNS_BYTES.len() {
                cell(canvas, row, column, (right(column), y))?;
            }
            y += pitch;
        }
        Ok(())
    }

    /// As many as there is room for, none of them cut.
    fn findings(&self, canvas: &Canvas<'_>) -> Drawing {
        const SIZE: f64 = 22.0;
        const PITCH: f64 = 28.0;
        let room = FOOT - FINDINGS - 20.0;
        let mut y = FINDINGS + 30.0;
        let mut left = room;
        for finding in &self.findings {
            let lines = broken(finding, RIGHT - LEFT, SIZE);
            let needed = PITCH * lines.len() as f64;
            if needed > left {
                continue;
            }
            for line in &lines {
                canvas.sized(line, (LEFT, y), Anchor::Left, (SIZE, Colour::Ink))?;
                y += PITCH;
            }
            y += 6.0;
            left -= needed + 6.0;
        }
        Ok(())
    }
}

/// The text in lines that are not wider.
fn broken(text: &str, most_px: f64, size_px: f64) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let Some(line) = lines.last_mut() else { break };
        let longer = match line.is_empty() {
            true => word.to_owned(),
            false => format!("{line} {word}"),
        };
        match width_px(&longer, size_px) > most_px && !line.is_empty() {
            true => lines.push(word.to_owned()),
            false => *line = longer,
        }
    }
    lines
}

fn rule(canvas: &Canvas<'_>, y: f64) -> Drawing {
    canvas.line(&[(LEFT, y), (RIGHT, y)], Colour::Grid, 1.5)
}

fn level_row(canvas: &Canvas<'_>, level: &Level, y: f64) -> Drawing {
    const WIDTH: f64 = 176.0;
    const HEIGHT: f64 = 44.0;
    let boxes = if level.instances > 1 { 2.0 } else { 1.0 };
    let gap = 16.0 * (boxes - 1.0);
    let width = (WIDTH - gap) / boxes;
    let shares = level
        .capacity
        .as_ref()
        .zip(level.stated_bytes)
        .map(|(c, stated)| {
            [c.bytes.high, c.bytes.low].map(|bytes| (bytes / stated as f64).clamp(0.0, 1.0))
        });
    for at in 0..(if boxes > 1.0 { 2 } else { 1 }) {
        let x = LEFT + f64::from(at) * (width + gap);
        if let Some([most, sure]) = shares {
            canvas.area(
                &rectangle((x, y, width * most, HEIGHT)),
                Colour::LevelSoft,
                1.0,
            )?;
            canvas.area(&rectangle((x, y, width * sure, HEIGHT)), Colour::Level, 1.0)?;
        }
        let [a, b, c, d] = rectangle((x, y, width, HEIGHT));
        canvas.line(&[a, b, c, d, a], Colour::Muted, 1.0)?;
    }
    canvas.strong(
        &level.name,
        (LEFT + 10.0, y + HEIGHT / 2.0),
        Anchor::Left,
        (20.0, Colour::Ink),
    )?;
    if let Some(latency) = level.latency {
        let text = significant(latency.center, 3);
        canvas.strong(&text, (336.0, y + 14.0), Anchor::Right, (20.0, Colour::Ink))?;
    }
    if let Some(cycles) = level.latency_cycles {
        canvas.strong(
            &format!("{cycles:.0}"),
            (412.0, y + 14.0),
            Anchor::Right,
            (20.0, Colour::Ink),
        )?;
    }
    let (text, colour) = match &level.capacity {
        Some(c) if c.stand == CapacityStand::Contradicts => (
            format!("{} of {}", c.bytes.sizes(), level.stated()),
            Colour::Bad,
        ),
        Some(c) if c.stand == CapacityStand::Open => (
            format!("{} of {}?", c.bytes.sizes(), level.stated()),
            Colour::Muted,
        ),
        _ => (level.stated(), Colour::Muted),
    };
    canvas.sized(&text, (412.0, y + 36.0), Anchor::Right, (16.5, colour))
}

fn cell(canvas: &Canvas<'_>, row: &TollRow, column: usize, (x, y): (f64, f64)) -> Drawing {
    const SIZE: f64 = 20.0;
    match row.cells.get(column) {
        Some(TollCell::Measured(t)) => {
            let text = toll::time(t);
            let disturbed = t.flag == ContaminationLevel::Contaminated;
            match (t.standing, disturbed) {
                (Standing::Cheapest, false) => {
                    let width = width_px(&text, SIZE) + 12.0;
                    canvas.area(
                        &rectangle((x - width + 6.0, y - 13.0, width, 24.0)),
                        Colour::Tint,
                        1.0,
                    )?;
                    canvas.strong(&text, (x, y), Anchor::Right, (SIZE, Colour::Good))
                }
                (_, true) => canvas.sized(&text, (x, y), Anchor::Right, (SIZE, Colour::Muted)),
                _ => canvas.sized(&text, (x, y), Anchor::Right, (SIZE, Colour::Ink)),
            }
        }
        Some(TollCell::Absent { .. }) => {
            canvas.sized("–", (x, y), Anchor::Right, (SIZE, Colour::Muted))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn lines_hold_every_word_and_are_not_wider() {
        let text = "some words that are far too many for a line of this width";
        let lines = broken(text, 200.0, 18.0);
        assert!(lines.len() > 2);
        assert_eq!(lines.join(" "), text);
        let chars = lines.iter().map(|line| line.chars().count()).max();
        assert!(chars <= Some(23), "{lines:?}");
        assert_eq!(broken("aVeryLongWordThatFitsNowhere", 50.0, 18.0).len(), 1);
    }
}
