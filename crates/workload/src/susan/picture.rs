//! The pictures: a draughtboard under the noise of a sensor.

use crate::random::Random;

/// Grey values, row after row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<u8>,
}

/// How large the picture is: against a first-level cache, a second-level one, and
/// beyond many of those.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// 76 x 95, about 7 KB.
    Small,
    /// 384 x 288, 108 KiB.
    Large,
    /// 1024 x 1024, 1 MiB.
    Huge,
}

impl Size {
    /// Every size, ascending.
    pub const ALL: [Size; 3] = [Size::Small, Size::Large, Size::Huge];

    /// As programs of the list end in it.
    pub fn name(self) -> &'static str {
        match self {
            Size::Small => "small",
            Size::Large => "large",
            Size::Huge => "huge",
        }
    }

    fn width_height(self) -> (usize, usize) {
        match self {
            Size::Small => (76, 95),
            Size::Large => (384, 288),
            Size::Huge => (1024, 1024),
        }
    }
}

/// Cells of the board, in pixels.
const CELL: (usize, usize) = (17, 13);
const DARK: u8 = 60;
const LIGHT: u8 = 180;
/// The noise adds 0 to 23.
const NOISE: u32 = 24;
const SEED: u64 = 1997;

impl Picture {
    /// The picture of this size, the same on every machine.
    pub fn board(size: Size) -> Picture {
        let (width, height) = size.width_height();
        let mut random = Random::new(SEED);
        let pixels = (0..width * height)
            .map(|at| {
                let cell = at % width / CELL.0 + at / width / CELL.1;
                let shade = if cell.is_multiple_of(2) { DARK } else { LIGHT };
                shade + random.below(NOISE) as u8
            })
            .collect();
        Picture {
            width,
            height,
            pixels,
        }
    }

    /// A row of pixels, from the left.
    pub fn row(&self, y: usize) -> &[u8] {
        &self.pixels[y * self.width..][..self.width]
    }
}
