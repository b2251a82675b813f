//! The circular mask, and what it finds around a pixel (the nucleus): how many pixels
//! are as bright as it, and where they lie.
//!
//! From the paper: 37 pixels, radius 3.4; the similarities over the mask sum to the area
//! of the USAN ("univalue segment assimilating nucleus"), the nucleus' own included; a
//! response is what the area lacks to the geometric threshold. Ours: where the mask would
//! reach beyond the picture there is no response.

use super::picture::Picture;
use super::similar::{self, EQUAL};

/// Of the round mask, pixels.
pub const RADIUS: usize = 3;
/// Pixels of each of its rows on either side of the middle one.
pub const HALF: [usize; 2 * RADIUS + 1] = [1, 2, 3, 3, 3, 2, 1];
/// An area of the whole mask.
pub const WHOLE: u32 = 37 * EQUAL;

/// The rows of a picture that a mask sees.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a>([&'a [u8]; 2 * RADIUS + 1]);

/// Area of a USAN, and its moments about the nucleus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usan {
    pub area: i32,
    pub x: i32,
    pub y: i32,
    pub xx: i32,
    pub yy: i32,
    pub xy: i32,
}

impl<'a> Rows<'a> {
    /// Around row `y`, which has three on either side.
    pub fn around(picture: &'a Picture, y: usize) -> Rows<'a> {
        Rows(std::array::from_fn(|row| picture.row(y + row - RADIUS)))
    }

    /// What the area lacks to `threshold`; 0 if nothing.
    #[inline]
    pub fn response(&self, x: usize, threshold: u32) -> u16 {
        let similar = similar::to(self.0[RADIUS][x]);
        let mut area = 0;
        for (row, half) in self.0.iter().zip(HALF) {
            for pixel in &row[x - half..=x + half] {
                area += u32::from(similar[usize::from(*pixel)]);
            }
            if area >= threshold {
                return 0;
            }
        }
        (threshold - area) as u16
    }

    /// The area of similar brightness around x, and its centre of gravity.
    pub fn usan(&self, x: usize) -> Usan {
        let similar = similar::to(self.0[RADIUS][x]);
        let mut usan = Usan::default();
        for ((row, half), dy) in self.0.iter().zip(HALF).zip(-(RADIUS as i32)..) {
            for (pixel, dx) in row[x - half..=x + half].iter().zip(-(half as i32)..) {
                let alike = i32::from(similar[usize::from(*pixel)]);
                usan.area += alike;
                usan.x += dx * alike;
                usan.y += dy * alike;
                usan.xx += dx * dx * alike;
                usan.yy += dy * dy * alike;
                usan.xy += dx * dy * alike;
            }
        }
        usan
    }

    /// Similarity of the pixel that lies so far from the nucleus, if the mask has it.
    pub fn similarity(&self, x: usize, dx: i32, dy: i32) -> Option<u8> {
        let row = usize::try_from(dy + RADIUS as i32).ok()?;
        let within = dx.unsigned_abs() as usize <= *HALF.get(row)?;
        let other = self.0[row][within.then(|| x.wrapping_add_signed(dx as isize))?];
        Some(similar::to(self.0[RADIUS][x])[usize::from(other)])
    }
}

impl Usan {
    /// Whether its centre of gravity is more than a pixel away from the nucleus.
    pub fn is_off_centre(&self) -> bool {
        let (x, y, area) = (i64::from(self.x), i64::from(self.y), i64::from(self.area));
        x * x + y * y > area * area
    }
}

/// Rows and columns that have room for the mask.
pub fn inside(length: usize) -> std::ops::Range<usize> {
    RADIUS..length.saturating_sub(RADIUS)
}

/// Responses over the whole picture, each of `inside` and nothing else.
pub fn responses(picture: &Picture, threshold: u32, into: &mut [u16]) {
    for y in inside(picture.height) {
        let rows = Rows::around(picture, y);
        let line = &mut into[y * picture.width..][..picture.width];
        for x in inside(picture.width) {
            line[x] = rows.response(x, threshold);
        }
    }
}
