//! What is left for the processes of a session, and the part that one is given.

use crate::worker::{Block, PlannedPoint};
use std::collections::VecDeque;

/// Points that a process is given at once: a job is one frame, and those after a crash
/// are handed over again.
const POINTS_OF_A_JOB: usize = 10_000;

/// What one process is given: whole blocks, of as many points as a job has room for.
pub fn portion(left: &mut VecDeque<Block>) -> VecDeque<Block> {
    let mut points = 0;
    let blocks = left.iter().take_while(|block| {
        points += block.points.len();
        points <= POINTS_OF_A_JOB
    });
    let blocks = blocks.count().max(1).min(left.len());
    left.drain(..blocks).collect()
}

/// The point with this index.
pub fn find(queue: &VecDeque<Block>, index: u32) -> Option<&PlannedPoint> {
    let mut points = queue.iter().flat_map(|b| &b.points);
    points.find(|p| p.point.index == index)
}

/// Takes a point out of the queue, and its block when that is empty.
pub fn remove(queue: &mut VecDeque<Block>, index: u32) -> Option<PlannedPoint> {
    for place in 0..queue.len() {
        let points = &mut queue[place].points;
        if let Some(at) = points.iter().position(|p| p.point.index == index) {
            let planned = points.remove(at);
            if points.is_empty() {
                queue.remove(place);
            }
            return Some(planned);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{POINTS_OF_A_JOB, portion};
    use crate::point::Point;
    use crate::sampling::{Sampling, Shape};
    use crate::worker::{Block, PlannedPoint};
    use std::collections::VecDeque;

    fn block(points: usize) -> Block {
        let planned = PlannedPoint {
            point: Point {
                index: 0,
                experiment: "a/b".to_owned(),
                settings: Vec::new(),
            },
            sampling: Sampling {
                shape: Shape::Batched,
                batch_ns: 1,
                budget_ns: 1,
                deadline_ns: 1,
                min_samples: 1,
                max_samples: 1,
                target_width: 0.0,
                singly: false,
            },
            parts: 1,
            bytes_per_op: None,
        };
        Block {
            points: vec![planned; points],
        }
    }

    #[test]
    fn a_hundred_thousand_points_go_out_in_jobs_that_fit_into_a_frame() {
        let sizes = [1, POINTS_OF_A_JOB - 1, 1, 1, POINTS_OF_A_JOB + 5, 3];
        let mut left: VecDeque<Block> = sizes.iter().map(|n| block(*n)).collect();
        left.extend((0..100_000).map(|_| block(1)));
        let mut jobs = Vec::new();
        while !left.is_empty() {
            let job = portion(&mut left);
            jobs.push(job.iter().map(|b| b.points.len()).collect::<Vec<_>>());
        }
        assert_eq!(jobs[0], [1, POINTS_OF_A_JOB - 1]);
        assert_eq!(jobs[1], [1, 1]);
        assert_eq!(jobs[2], [POINTS_OF_A_JOB + 5], "a block is never parted");
        assert_eq!(jobs.concat().len(), sizes.len() + 100_000);
        assert!(jobs.len() < 3 + 12, "{}", jobs.len());
    }
}
