//! Under a figure that leaves its report: which machine, which run.

use super::canvas::{Anchor, Canvas, Drawing, sized_width_px};
use crate::figure::Colour;
use record::RunHead;

/// 7 points in print are 11.6 of plotters' pixels: see [`super::canvas::FONT_PX`].
const FONT_PX: f64 = 11.6;
const LINE_PX: f64 = 14.0;
const MARGIN_PX: f64 = 8.0;

/// Where a figure comes from, in few words each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Foot(Vec<String>);

impl Foot {
    /// Of the figures of this run.
    pub fn of(head: &RunHead) -> Foot {
        let machine = &head.machine;
        let date = head.started_utc.split('T').next().unwrap_or_default();
        let all = [
            machine.cpu_model.clone(),
            format!("host {}", machine.host),
            format!("Linux {}", machine.kernel),
            date.to_owned(),
            format!("run {}", head.id),
            format!("pontage {}", head.tool_version),
        ];
        Foot(all.into_iter().filter(|part| !part.is_empty()).collect())
    }

    /// As many lines as keep the parts whole, where they fit into one.
    fn lines(&self, width_px: f64) -> Vec<String> {
        let room = width_px - 2.0 * MARGIN_PX;
        let mut lines: Vec<String> = Vec::new();
        for part in &self.0 {
            match lines.last_mut() {
                Some(line) if fits(&format!("{line}, {part}"), room) => {
                    line.push_str(", ");
                    line.push_str(part);
                }
                _ => lines.push(part.clone()),
            }
        }
        lines
    }

    /// Height of the lines under a figure so wide.
    pub fn height_px(&self, width_px: f64) -> f64 {
        match self.lines(width_px).len() {
            0 => 0.0,
            lines => lines as f64 * LINE_PX + MARGIN_PX,
        }
    }

    /// # Errors
    /// What plotters says when it refuses.
    pub fn draw(&self, canvas: &Canvas<'_>, (width_px, top_px): (f64, f64)) -> Drawing {
        for (row, line) in self.lines(width_px).iter().enumerate() {
            let at = (MARGIN_PX, top_px + LINE_PX * (row as f64 + 0.5));
            canvas.sized(line, at, Anchor::Left, (FONT_PX, Colour::Muted))?;
        }
        Ok(())
    }
}

fn fits(line: &str, room_px: f64) -> bool {
    sized_width_px(line, FONT_PX) <= room_px
}

#[cfg(test)]
mod tests {
    use super::Foot;

    #[test]
    fn parts_stay_whole_and_a_long_one_has_its_own_line() {
        let long = "x".repeat(300);
        let foot = Foot(vec![
            "CPU".into(),
            "host a".into(),
            long.clone(),
            "run 1".into(),
        ]);
        assert_eq!(foot.lines(760.0), ["CPU, host a", long.as_str(), "run 1"]);
        assert_eq!(Foot::default().height_px(760.0), 0.0);
    }
}
