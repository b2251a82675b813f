//! Corners: where little of the mask is like its nucleus, and all of that on one side.
//!
//! From the paper: the geometric threshold is 1/2 of the largest area; what has its
//! centre of gravity near the nucleus is noise or a thin line, no corner; and all pixels
//! of the mask that lie from the nucleus towards the centre of gravity must belong to the
//! USAN. Ours: near is up to one pixel; a pixel belongs from a similarity of 50 on; the
//! pixels towards the centre are those nearest to the line, one for each step along its
//! longer side; a corner has the largest response of 7 x 7, and of equal ones is the first.

use super::mask::{RADIUS, Rows, Usan, WHOLE, inside, responses};
use super::picture::Picture;

const THRESHOLD: u32 = WHOLE / 2;
const BELONGS: u8 = 50;
/// On either side of a corner there is none stronger in so many rows and columns.
const APART: usize = 3;

/// A corner, with its pixel and strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corner {
    pub x: u32,
    pub y: u32,
    pub response: u16,
}

/// Finds corners; its memory is made once.
#[derive(Debug)]
pub struct CornerFinder {
    responses: Vec<u16>,
    /// In the order of rows.
    pub corners: Vec<Corner>,
}

impl CornerFinder {
    /// For pictures of this size, in pixels.
    pub fn new(width: usize, height: usize) -> CornerFinder {
        // No two in a square of this side.
        let side = APART + 1;
        CornerFinder {
            responses: vec![0; width * height],
            corners: Vec::with_capacity(width.div_ceil(side) * height.div_ceil(side)),
        }
    }

    /// Of a picture of this width and height, into `corners`.
    pub fn find(&mut self, picture: &Picture) {
        responses(picture, THRESHOLD, &mut self.responses);
        for y in inside(picture.height) {
            let rows = Rows::around(picture, y);
            for x in inside(picture.width) {
                let response = &mut self.responses[y * picture.width + x];
                if *response > 0 && !is_one_sided(&rows, x) {
                    *response = 0;
                }
            }
        }
        self.corners.clear();
        for y in inside(picture.height) {
            for x in inside(picture.width) {
                let response = self.responses[y * picture.width + x];
                if response > 0 && self.is_largest(x, y, picture.width) {
                    let (x, y) = (x as u32, y as u32);
                    self.corners.push(Corner { x, y, response });
                }
            }
        }
    }

    fn is_largest(&self, x: usize, y: usize, width: usize) -> bool {
        let at = y * width + x;
        let own = self.responses[at];
        (y - APART..=y + APART).all(|row| {
            let first = row * width + x - APART;
            let rivals = &self.responses[first..=first + 2 * APART];
            let earlier = at.saturating_sub(first).min(rivals.len());
            let (before, from_here) = rivals.split_at(earlier);
            before.iter().all(|rival| *rival < own) && from_here.iter().all(|rival| *rival <= own)
        })
    }

    /// Bytes of its memory.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.responses) + self.corners.capacity() * size_of::<Corner>()
    }
}

fn is_one_sided(rows: &Rows, x: usize) -> bool {
    let usan = rows.usan(x);
    usan.is_off_centre() && is_contiguous(rows, x, &usan)
}

/// Whether every pixel towards the centre of gravity belongs.
fn is_contiguous(rows: &Rows, x: usize, usan: &Usan) -> bool {
    let longer = usan.x.abs().max(usan.y.abs());
    // To the nearest, halves away from the nucleus.
    let nearest = |part: i32| part.signum() * ((2 * part.abs() + longer) / (2 * longer));
    (1..=RADIUS as i32).all(|step| {
        let (dx, dy) = (nearest(step * usan.x), nearest(step * usan.y));
        rows.similarity(x, dx, dy)
            .is_none_or(|similarity| similarity >= BELONGS)
    })
}
