//! SUSAN: smoothing, edges and corners of grey pictures, written from the paper
//! (S. M. Smith and J. M. Brady, "SUSAN - a new approach to low level image processing",
//! International Journal of Computer Vision 23(1), 1997) and from no other program.
//!
//! Stand for the image programs of embedded systems that copies were seen to slow down;
//! the three sizes of picture fill a first-level cache, a second-level one, or neither.
//! Each file says what it has from the paper and what is our own choice. All arithmetic
//! is of integers, so a result is the same on every machine.

mod corners;
mod edges;
mod mask;
mod pending;
mod picture;
#[cfg(test)]
mod plain;
mod similar;
mod smooth;
#[cfg(test)]
mod tests;
mod thin;

use crate::Workload;
use crate::digest::{Digest, of_bytes};
use crate::unit::{Unit, program};
use corners::{Corner, CornerFinder};
use edges::EdgeFinder;
use picture::Picture;
use smooth::Smoother;

pub use picture::Size;

/// What is done with the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    Smooth,
    Edges,
    Corners,
}

/// Digests of what comes out, by task and size; `tests` finds them with the plain
/// implementation.
const KNOWN: [[u64; 3]; 3] = [
    [
        0x4efd_cc41_7c78_ba3d,
        0xed60_877a_cc0c_8ec1,
        0xcd99_f666_6057_1f43,
    ],
    [
        0xd0ea_5d4c_2528_3f7a,
        0x868b_b0d7_ac84_3171,
        0x8fd4_fe00_76e8_4b7a,
    ],
    [
        0x0fac_e649_8d33_aea9,
        0xd0e1_911c_64b0_8e52,
        0x3fdf_210f_9bb6_8c46,
    ],
];

/// The digest that each image must have.
pub fn known(task: Task, size: Size) -> u64 {
    KNOWN[task as usize][size as usize]
}

/// The program; a unit of work is an image.
pub fn build(task: Task, size: Size) -> Box<dyn Workload> {
    let picture = Picture::board(size);
    let (width, height) = (picture.width, picture.height);
    let stage = match task {
        Task::Smooth => Stage::Smooth(Smoother::new(width, height)),
        Task::Edges => Stage::Edges(EdgeFinder::new(width, height)),
        Task::Corners => Stage::Corners(CornerFinder::new(width, height)),
    };
    program(Susan { picture, stage }, known(task, size))
}

#[derive(Debug)]
struct Susan {
    picture: Picture,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    Smooth(Smoother),
    Edges(EdgeFinder),
    Corners(CornerFinder),
}

impl Unit for Susan {
    fn once(&mut self) -> u64 {
        self.stage.process(&self.picture)
    }

    fn bytes(&self) -> u64 {
        let bytes = match &self.stage {
            Stage::Smooth(smoother) => smoother.bytes(),
            Stage::Edges(finder) => finder.bytes(),
            Stage::Corners(finder) => finder.bytes(),
        };
        (self.picture.pixels.len() + bytes) as u64
    }
}

impl Stage {
    /// The digest of what came out.
    fn process(&mut self, picture: &Picture) -> u64 {
        match self {
            Stage::Smooth(smoother) => {
                smoother.smooth(picture);
                of_bytes(&smoother.out)
            }
            Stage::Edges(finder) => {
                finder.find(picture);
                of_bytes(&finder.edges)
            }
            Stage::Corners(finder) => {
                finder.find(picture);
                of_corners(&finder.corners)
            }
        }
    }
}

fn of_corners(corners: &[Corner]) -> u64 {
    let words = corners.iter().map(|corner| {
        u64::from(corner.x) << 40 | u64::from(corner.y) << 16 | u64::from(corner.response)
    });
    words.fold(Digest::default(), Digest::with).value()
}
