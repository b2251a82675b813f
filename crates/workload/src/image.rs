//! Edges of a grey frame: a 5 x 5 Gaussian blur, Sobel's gradient, a threshold.
//!
//! Stands for the AVX image kernel of a research log on workloads that share a core,
//! 2022, whose speed is quoted in frames a second. Like it: whole vectors, no branch
//! that depends on the picture, rows read in order, each pixel loaded once and reused
//! from rows that stay in the first-level cache. The log does not name the filter. Unlike
//! a camera's: the same frame each time, so that a cache may hold it.
//!
//! Working set: the frame, the edges and eight rows between; some 660 KB. A unit is a
//! small part of a millisecond.

use crate::Workload;
use crate::digest::of_bytes;
use crate::random::Random;
use crate::unit::{Unit, program};
use crate::vector::{self, Set};

#[cfg(test)]
mod tests;

const WIDTH: usize = 640;
const HEIGHT: usize = 480;
/// Rows that the two filters use up: two above and below, then one.
const LINES: usize = HEIGHT + 6;
/// Columns of the frame: those that the filters use up, and on to whole vectors.
const STRIDE: usize = 704;
/// Columns between the filters, in whole vectors.
const BETWEEN: usize = 672;
/// Gradients above it are edges; they go up to 2040.
const THRESHOLD: u16 = 96;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Row<T, const COLUMNS: usize>([T; COLUMNS]);

struct Planes {
    frame: Box<[Row<u8, STRIDE>]>,
    /// The last five rows, blurred along the row.
    along: Box<[Row<u16, BETWEEN>; 5]>,
    /// The last three rows, blurred.
    blurred: Box<[Row<u16, BETWEEN>; 3]>,
    /// The gradient of an edge, and nothing elsewhere.
    edges: Box<[Row<u8, WIDTH>]>,
    /// Down each column, three times the sum so far plus the pixel: a pixel that is
    /// wrong, or in another row, shows.
    sums: Box<Row<u16, WIDTH>>,
}

/// The filter with its planes.
struct Image {
    planes: Planes,
    set: Set,
}

/// What a frame comes out as; `tests` finds it by plain convolution.
const KNOWN: u64 = 0xad5e_9259_3081_5b9d;

/// Makes it ready to run; the list of all programs states its unit.
pub fn build() -> Box<dyn Workload> {
    let (mut planes, set) = (Planes::new(), vector::widest());
    // So that the pages of all planes are there before the first unit.
    planes.compute(set);
    program(Image { planes, set }, KNOWN)
}

impl Unit for Image {
    fn once(&mut self) -> u64 {
        self.planes.compute(self.set);
        self.planes.digest()
    }

    fn bytes(&self) -> u64 {
        self.planes.bytes()
    }

    fn vectors(&self) -> Option<&'static str> {
        Some(self.set.name())
    }
}

impl Planes {
    fn new() -> Planes {
        Planes {
            frame: picture(),
            along: Box::new([Row([0; BETWEEN]); 5]),
            blurred: Box::new([Row([0; BETWEEN]); 3]),
            edges: vec![Row([0; WIDTH]); HEIGHT].into(),
            sums: Box::new(Row([0; WIDTH])),
        }
    }

    fn bytes(&self) -> u64 {
        let rows = size_of_val(&*self.along) + size_of_val(&*self.blurred);
        let planes = size_of_val(&*self.frame) + size_of_val(&*self.edges);
        (planes + rows + size_of_val(&*self.sums)) as u64
    }

    fn digest(&self) -> u64 {
        let sum = |at: usize| self.sums.0[at].to_le_bytes();
        let pairs: [[u8; 2]; WIDTH] = std::array::from_fn(sum);
        of_bytes(pairs.as_flattened())
    }

    fn compute(&mut self, set: Set) {
        match set {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: whoever has this set got it of `vector::sets`, which asked the
            // processor for these features.
            Set::Avx512 => unsafe { avx512(self) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Set::Avx2 => unsafe { avx2(self) },
            Set::Base => filters(self),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn avx512(planes: &mut Planes) {
    filters(planes);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(planes: &mut Planes) {
    filters(planes);
}

/// Compiled once for each set of instructions: the loops below have no branches and
/// whole vectors, so the compiler writes them in that set.
#[inline(always)]
fn filters(planes: &mut Planes) {
    planes.sums.0.fill(0);
    for line in 0..LINES {
        along(&planes.frame[line], &mut planes.along[line % 5]);
        if line < 4 {
            continue;
        }
        let last = |back: usize| &planes.along[(line - back) % 5];
        let rows = [last(4), last(3), last(2), last(1), last(0)];
        across(rows, &mut planes.blurred[line % 3]);
        if line < 6 {
            continue;
        }
        let last = |back: usize| &planes.blurred[(line - back) % 3];
        let rows = [last(2), last(1), last(0)];
        gradient(rows, &mut planes.edges[line - 6], &mut planes.sums);
    }
}

/// The binomial 1 4 6 4 1, which is near a Gaussian of deviation 1.
#[inline(always)]
fn along(from: &Row<u8, STRIDE>, to: &mut Row<u16, BETWEEN>) {
    for x in 0..BETWEEN {
        let at = |right: usize| u16::from(from.0[x + right]);
        to.0[x] = at(0) + at(4) + 4 * (at(1) + at(3)) + 6 * at(2);
    }
}

/// The same down the column, and back to pixels of 0 to 255, rounded.
#[inline(always)]
fn across(rows: [&Row<u16, BETWEEN>; 5], to: &mut Row<u16, BETWEEN>) {
    for x in 0..BETWEEN {
        let at = |row: usize| rows[row].0[x];
        let sum = at(0) + at(4) + 4 * (at(1) + at(3)) + 6 * at(2);
        to.0[x] = (sum + 128) >> 8;
    }
}

#[inline(always)]
fn gradient(rows: [&Row<u16, BETWEEN>; 3], edges: &mut Row<u8, WIDTH>, sums: &mut Row<u16, WIDTH>) {
    for x in 0..WIDTH {
        let column = |x: usize| rows[0].0[x] + 2 * rows[1].0[x] + rows[2].0[x];
        let row = |y: usize| rows[y].0[x] + 2 * rows[y].0[x + 1] + rows[y].0[x + 2];
        let steep = column(x).abs_diff(column(x + 2)) + row(0).abs_diff(row(2));
        let edge = if steep > THRESHOLD { steep >> 3 } else { 0 };
        edges.0[x] = edge as u8;
        sums.0[x] = sums.0[x].wrapping_mul(3).wrapping_add(edge);
    }
}

/// Discs and bars on a slope of light, with the noise of a sensor.
fn picture() -> Box<[Row<u8, STRIDE>]> {
    let mut random = Random::new(1);
    let mut frame = vec![Row([0; STRIDE]); LINES];
    for (y, row) in frame.iter_mut().enumerate() {
        for (x, pixel) in row.0.iter_mut().enumerate() {
            *pixel = (shade(x as u32, y as u32) + random.below(12)) as u8;
        }
    }
    frame.into()
}

fn shade(x: u32, y: u32) -> u32 {
    let light = 40 + (x + y) / 16;
    let (from_x, from_y) = ((x % 160).abs_diff(80), (y % 120).abs_diff(60));
    let disc = from_x * from_x + from_y * from_y < 45 * 45;
    let bar = (x / 4 + y / 9).is_multiple_of(23);
    light + 70 * u32::from(disc) + 50 * u32::from(bar)
}
