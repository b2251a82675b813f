//! Smoothing that keeps structure: each pixel becomes the mean of its neighbours,
//! weighted by how near and how alike they are.
//!
//! From the paper (its section on noise reduction): the weight is a Gaussian of the
//! distance times a Gaussian of the difference in brightness, the pixel itself does not
//! count, and where no neighbour has weight the median of the nearest eight stands in.
//! Ours: the Gaussian of the distance has deviation 4 and is cut to 15 x 15; beyond the
//! picture its outermost pixels go on; weights are integers, the mean is rounded to the
//! nearest; the median of eight is the mean of the middle two, rounded down.
//!
//! How it is fast: pixels of a row that have the same place in the mask are done in one
//! loop, which the compiler turns into vectors because the similarity is arithmetic. The
//! mask has the symmetries of a square, so eight places share a weight, and only sums of
//! eight are multiplied by it. What is summed is similarity times *difference*: eight
//! of those still fit into 16 bits.

use super::picture::Picture;
use super::similar::softly;

/// Of the mask, in pixels.
const RADIUS: usize = 7;
/// Rows are computed in pieces of so many pixels, whole vectors.
const PIECE: usize = 16;

/// 100 exp(-(a^2 + b^2) / 32), rounded, for b up to a.
const NEAR: [&[i32]; RADIUS + 1] = [
    &[100],
    &[97, 94],
    &[88, 86, 78],
    &[75, 73, 67, 57],
    &[61, 59, 54, 46, 37],
    &[46, 44, 40, 35, 28, 21],
    &[32, 31, 29, 25, 20, 15, 11],
    &[22, 21, 19, 16, 13, 10, 7, 5],
];

/// Smooths pictures; its memory is made once.
#[derive(Debug)]
pub struct Smoother {
    width: usize,
    /// From a row of `wide` to the next.
    stride: usize,
    /// The picture and its margins.
    wide: Vec<u8>,
    row: Row,
    pub out: Vec<u8>,
}

/// Sums over the mask for each pixel of a row.
#[derive(Debug)]
struct Row {
    /// Similarities, and similarities times difference, of a ring of the mask.
    alike: Vec<i16>,
    pull: Vec<i16>,
    /// The same of the whole mask, weighted by distance.
    weight: Vec<i32>,
    shift: Vec<i32>,
}

impl Smoother {
    /// For pictures of this size, in pixels.
    pub fn new(width: usize, height: usize) -> Smoother {
        let columns = width.next_multiple_of(PIECE);
        let stride = columns + 2 * RADIUS;
        Smoother {
            width,
            stride,
            wide: vec![0; stride * (height + 2 * RADIUS)],
            row: Row {
                alike: vec![0; columns],
                pull: vec![0; columns],
                weight: vec![0; columns],
                shift: vec![0; columns],
            },
            out: vec![0; width * height],
        }
    }

    /// Of a picture of this width and height, into `out`.
    pub fn smooth(&mut self, picture: &Picture) {
        self.widen(picture);
        for y in 0..picture.height {
            let at = (y + RADIUS) * self.stride + RADIUS;
            self.row.over_mask(&self.wide, at, self.stride);
            let out = &mut self.out[y * self.width..][..self.width];
            self.row.means(&self.wide, at, self.stride, out);
        }
    }

    /// The picture with its outermost pixels repeated around it.
    fn widen(&mut self, picture: &Picture) {
        let rows = self.wide.chunks_exact_mut(self.stride);
        for (line, wide) in rows.enumerate() {
            let y = line.saturating_sub(RADIUS).min(picture.height - 1);
            let row = picture.row(y);
            let (left, rest) = wide.split_at_mut(RADIUS);
            let (middle, right) = rest.split_at_mut(self.width);
            left.fill(row[0]);
            middle.copy_from_slice(row);
            right.fill(row[self.width - 1]);
        }
    }

    /// Bytes of its memory.
    pub fn bytes(&self) -> usize {
        let row = &self.row;
        self.wide.len()
            + self.out.len()
            + size_of_val(&*row.alike) * 2
            + size_of_val(&*row.weight) * 2
    }
}

impl Row {
    /// Sums the mask around each pixel from `at` on.
    fn over_mask(&mut self, wide: &[u8], at: usize, stride: usize) {
        self.weight.fill(0);
        self.shift.fill(0);
        for (a, weights) in NEAR.iter().enumerate().skip(1) {
            let place = |x: usize, y: usize| y * stride + x;
            let (along, down, slant) = (place(a, 0), place(0, a), place(a, a));
            let back = place(0, a) - a;
            self.ring::<4>(wide, at, &[along, down], weights[0]);
            self.ring::<4>(wide, at, &[slant, back], weights[a]);
            for b in 1..a {
                let steep = [place(b, a), place(0, a) - b];
                let flat = [place(a, b), place(0, b) - a];
                let four = [steep[0], steep[1], flat[0], flat[1]];
                self.ring::<8>(wide, at, &four, weights[b]);
            }
        }
    }

    /// Adds the places of one weight: so many pixels after `at`, and as many before.
    fn ring<const PLACES: usize>(&mut self, wide: &[u8], at: usize, half: &[usize], weight: i32) {
        compare::<PLACES>(&mut self.alike, &mut self.pull, wide, at, half);
        let sums = self.weight.iter_mut().zip(&mut self.shift);
        for ((total, shift), (alike, pull)) in sums.zip(self.alike.iter().zip(&self.pull)) {
            *total += i32::from(*alike) * weight;
            *shift += i32::from(*pull) * weight;
        }
    }

    /// The pixel moved by the mean of the differences.
    fn means(&self, wide: &[u8], at: usize, stride: usize, out: &mut [u8]) {
        let sums = self.weight.iter().zip(&self.shift);
        for ((x, out), (&weight, &shift)) in out.iter_mut().enumerate().zip(sums) {
            *out = if weight == 0 {
                median(wide, at + x, stride)
            } else {
                let sum = i32::from(wide[at + x]) * weight + shift;
                ((sum + weight / 2) as u32 / weight as u32) as u8
            };
        }
    }
}

/// Similarities of each pixel to those at `places`, summed. Nothing but 16-bit
/// arithmetic, slices of one length and counts known beforehand: it must become vectors.
#[inline(never)]
fn compare<const PLACES: usize>(
    alike: &mut [i16],
    pull: &mut [i16],
    wide: &[u8],
    at: usize,
    half: &[usize],
) {
    let columns = alike.len();
    let pull = &mut pull[..columns];
    let nuclei = &wide[at..][..columns];
    let others: [&[u8]; PLACES] = std::array::from_fn(|k| {
        let place = half[k / 2];
        let from = if k % 2 == 0 { at + place } else { at - place };
        &wide[from..][..columns]
    });
    for x in 0..columns {
        let nucleus = nuclei[x];
        let (mut sum, mut pulled) = (0, 0);
        for other in &others {
            let similar = softly(other[x].abs_diff(nucleus)) as i16;
            sum += similar;
            pulled += similar * (i16::from(other[x]) - i16::from(nucleus));
        }
        alike[x] = sum;
        pull[x] = pulled;
    }
}

/// Of the eight nearest.
#[cold]
fn median(wide: &[u8], at: usize, stride: usize) -> u8 {
    let around = [1, stride - 1, stride, stride + 1];
    let mut near = [0; 8];
    for (pair, place) in near.chunks_exact_mut(2).zip(around) {
        pair.copy_from_slice(&[wide[at - place], wide[at + place]]);
    }
    near.sort_unstable();
    near[3].midpoint(near[4])
}
