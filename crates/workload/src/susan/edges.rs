//! Edges: where about half of the mask is unlike its nucleus.
//!
//! From the paper: the geometric threshold is 3/4 of the largest area. The direction of
//! an edge is found in one of two ways. If the area is larger than the mask's diameter
//! and its centre of gravity more than a pixel off the nucleus, the edge lies between
//! pixels and runs across the line to the centre of gravity. Else it lies on a pixel and
//! the second moments decide: their ratio the direction, the sign of the mixed one which of
//! the diagonals. A response stays that is the largest across the edge. Then `thin`.
//! Ours: four directions, bounded at 22.6 degrees (5/12) by the centre of gravity and at
//! moments of 3 to 1; one neighbour on either side is looked at, and of two equal ones
//! the first stays.

use super::mask::{Rows, Usan, WHOLE, inside, responses};
use super::picture::Picture;
use super::similar::EQUAL;
use super::thin::Thinner;

const THRESHOLD: u32 = WHOLE * 3 / 4;
/// Of the mask: seven pixels.
const DIAMETER: i32 = 7 * EQUAL as i32;

/// Finds edges; its memory is made once.
#[derive(Debug)]
pub struct EdgeFinder {
    responses: Vec<u16>,
    /// 1 where there is an edge.
    pub edges: Vec<u8>,
    thinner: Thinner,
}

impl EdgeFinder {
    /// For pictures of this size, in pixels.
    pub fn new(width: usize, height: usize) -> EdgeFinder {
        EdgeFinder {
            responses: vec![0; width * height],
            edges: vec![0; width * height],
            thinner: Thinner::new(width, height),
        }
    }

    /// Of a picture of this width and height, into `edges`.
    pub fn find(&mut self, picture: &Picture) {
        responses(picture, THRESHOLD, &mut self.responses);
        self.edges.fill(0);
        for y in inside(picture.height) {
            let rows = Rows::around(picture, y);
            for x in inside(picture.width) {
                let at = y * picture.width + x;
                let response = self.responses[at];
                if response == 0 {
                    continue;
                }
                let onward = across(&rows.usan(x), picture.width);
                let (before, after) = (self.responses[at - onward], self.responses[at + onward]);
                self.edges[at] = u8::from(response > before && response >= after);
            }
        }
        self.thinner.thin(&self.responses, &mut self.edges);
    }

    /// Bytes of its memory.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.responses) + self.edges.len() + self.thinner.bytes()
    }
}

/// From a pixel to the next across the edge, the way that pictures are read.
fn across(usan: &Usan, width: usize) -> usize {
    let (right, down) = (1, width);
    let (right_down, left_down) = (width + 1, width - 1);
    let between_pixels = usan.area > DIAMETER && usan.is_off_centre();
    if between_pixels {
        let (x, y) = (usan.x.abs(), usan.y.abs());
        if 12 * y < 5 * x {
            right
        } else if 12 * x < 5 * y {
            down
        } else if (usan.x > 0) == (usan.y > 0) {
            right_down
        } else {
            left_down
        }
    } else if usan.yy > 3 * usan.xx {
        right
    } else if usan.xx > 3 * usan.yy {
        down
    } else if usan.xy > 0 {
        left_down
    } else {
        right_down
    }
}
