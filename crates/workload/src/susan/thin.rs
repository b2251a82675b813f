//! Thinning: edges become lines of one pixel, and small gaps close.
//!
//! From the paper, by the number of an edge pixel's neighbours that are edge:
//! - none: it is taken off.
//! - one: it is the end of a line, which goes on to the strongest response ahead, straight
//!   ahead preferred a little; by three pixels at most.
//! - two: where it sticks out of a straight line, and the response in line is more than
//!   0.7 of its own, it moves there; where it only touches a diagonal it is taken off.
//! - more: unless it links edges, one of it and its neighbours is taken off.
//!
//! Pixels are visited in the order of reading, and after a change the visit goes on two
//! rows and columns before. Ours: straight ahead counts 5/4; of a pixel and those of its
//! four side neighbours that link nothing either, the one of least response goes; a
//! pixel that has come or gone once does not come again, so that there is an end.

//!
//! How it is fast: a visit sees two rows and columns around its pixel. Where those are as
//! they were at the last visit it changes nothing, so it is left out.

use super::mask::inside;
use super::pending::Pending;

/// Thins edges to lines; its memory is made once.
#[derive(Debug)]
pub struct Thinner {
    width: usize,
    height: usize,
    /// From a pixel to the eight around it, clockwise from the one above.
    around: [isize; 8],
    /// Of each pixel: 0 where there is no edge, 1 where one was found, 2 to 4 where a
    /// line was continued.
    reach: Vec<u8>,
    /// 1 where a pixel must not come.
    spent: Vec<u8>,
    /// Around which something changed since the last visit.
    pending: Pending,
}

/// Pixels that a line may be continued by, and the pixel itself.
const LONGEST: u8 = 1 + 3;
/// Rows and columns around a pixel that its visit sees, and that a change goes back by.
const SIGHT: usize = 2;

/// By the neighbours that are edge, a bit each: whether there are more than two, all
/// still one piece without the pixel, and one of the sides open (a pixel with all four
/// closed would leave a hole).
static IS_SPARE: [bool; 256] = {
    let mut spare = [false; 256];
    let mut ring = 0;
    while ring < 256 {
        spare[ring] = (ring as u8).count_ones() > 2 && pieces(ring as u8) == 1;
        ring += 1;
    }
    spare
};

/// Hilditch's number: how often, going around, one comes from an open side upon edge.
const fn pieces(ring: u8) -> u32 {
    let mut pieces = 0;
    let mut side = 0;
    while side < 8 {
        let from_here = ring.rotate_right(side);
        if from_here & 0b001 == 0 && from_here & 0b110 != 0 {
            pieces += 1;
        }
        side += 2;
    }
    pieces
}

impl Thinner {
    /// For pictures of this size, in pixels.
    pub fn new(width: usize, height: usize) -> Thinner {
        let row = width as isize;
        Thinner {
            width,
            height,
            around: [-row, 1 - row, 1, 1 + row, row, row - 1, -1, -1 - row],
            reach: vec![0; width * height],
            spent: vec![0; width * height],
            pending: Pending::new(width, height),
        }
    }

    /// Thins `edges`, none of which may lie where there is no response.
    pub fn thin(&mut self, responses: &[u16], edges: &mut [u8]) {
        self.reach.copy_from_slice(edges);
        self.spent.fill(0);
        self.pending.set_all(self.width, edges);
        let (columns, rows) = (inside(self.width), inside(self.height));
        let mut y = rows.start;
        while y < rows.end {
            let mut x = columns.start;
            while let Some(found) = self.pending.take(x, y) {
                x = found;
                let at = y * self.width + x;
                if self.reach[at] > 0 && self.visit(at, responses) {
                    x = x.saturating_sub(SIGHT).max(columns.start);
                    y = y.saturating_sub(SIGHT).max(rows.start);
                }
            }
            y += 1;
        }
        for (edge, reach) in edges.iter_mut().zip(&self.reach) {
            *edge = u8::from(*reach > 0);
        }
    }

    /// Applies the rules; whether anything changed.
    fn visit(&mut self, at: usize, responses: &[u16]) -> bool {
        let ring = self.ring(at);
        match ring.count_ones() {
            0 => self.take_off(at),
            1 => self.go_on(at, ring.trailing_zeros() as usize, responses),
            2 => self.straighten(at, ring, responses),
            _ => self.choose(at, ring, responses),
        }
    }

    fn go_on(&mut self, at: usize, behind: usize, responses: &[u16]) -> bool {
        if self.reach[at] == LONGEST {
            return false;
        }
        let mut best = (0, at);
        for (turn, factor) in [(4, 5), (3, 4), (5, 4)] {
            let ahead = self.neighbour(at, behind + turn);
            let strength = u32::from(responses[ahead]) * factor;
            if self.is_free(ahead) && strength > best.0 {
                best = (strength, ahead);
            }
        }
        best.0 > 0 && self.put(best.1, self.reach[at] + 1)
    }

    fn straighten(&mut self, at: usize, ring: u8, responses: &[u16]) -> bool {
        // Of the two neighbours, the one after which the other comes in two steps.
        let Some(first) = (0..8).find(|turn| ring.rotate_right(*turn) == 0b101) else {
            return false;
        };
        if first % 2 == 0 {
            return self.take_off(at);
        }
        let in_line = self.neighbour(at, first as usize + 1);
        let strong = 10 * u32::from(responses[in_line]) > 7 * u32::from(responses[at]);
        if !strong || !self.is_free(in_line) {
            return false;
        }
        self.put(in_line, self.reach[at]);
        self.take_off(at)
    }

    fn choose(&mut self, at: usize, ring: u8, responses: &[u16]) -> bool {
        if !IS_SPARE[usize::from(ring)] {
            return false;
        }
        let mut weakest = at;
        for side in (0..8).step_by(2).filter(|side| ring >> side & 1 == 1) {
            let other = self.neighbour(at, side);
            let spare = IS_SPARE[usize::from(self.ring(other))];
            if spare && responses[other] < responses[weakest] {
                weakest = other;
            }
        }
        self.take_off(weakest)
    }

    /// A bit for each neighbour that is edge.
    fn ring(&self, at: usize) -> u8 {
        let bit = |direction| u8::from(self.reach[self.neighbour(at, direction)] > 0) << direction;
        (0..8).map(bit).sum()
    }

    fn neighbour(&self, at: usize, direction: usize) -> usize {
        at.wrapping_add_signed(self.around[direction % 8])
    }

    fn is_free(&self, at: usize) -> bool {
        self.reach[at] == 0 && self.spent[at] == 0
    }

    fn put(&mut self, at: usize, reach: u8) -> bool {
        self.set(at, reach)
    }

    fn take_off(&mut self, at: usize) -> bool {
        self.set(at, 0)
    }

    fn set(&mut self, at: usize, reach: u8) -> bool {
        self.reach[at] = reach;
        self.spent[at] = 1;
        let (x, y) = (at % self.width, at / self.width);
        self.pending.set_around(x, y, SIGHT);
        true
    }

    /// Bytes of its memory.
    pub fn bytes(&self) -> usize {
        self.reach.len() + self.spent.len() + self.pending.bytes()
    }
}
