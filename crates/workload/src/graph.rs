//! The prices of a network and the arcs that do not agree with them: one round of the
//! network simplex method, without the change of its tree.
//!
//! Stands for mcf (SPEC CPU), whose time goes into the same three walks. Like it: the
//! spanning tree is followed from node to node to set each price (what mcf calls
//! refreshing potentials); the arcs are looked at by a long stride, and each loads the
//! prices of two nodes that may be anywhere (its pricing by groups); from the
//! candidates' ends two paths are climbed to where they meet (its ratio test); loads
//! that depend on loads, over more than a second-level cache holds, and branches on
//! what they find. Unlike it: the tree stays, so that each pass is the same work;
//! nodes and arcs are referred to by number, and arcs are half as large.
//!
//! Working set: the nodes, the arcs, the candidates; 5 MiB. A unit is about a
//! millisecond, and more where memory is slow.

use crate::Workload;
use crate::digest::Digest;
use crate::unit::{Unit, program};

mod network;
#[cfg(test)]
mod tests;

use network::{Arc, NONE, Network};

/// How far the next arc that is looked at lies, as in a group of mcf.
const STRIDE: usize = 61;
/// Arcs kept of those that agree least.
const CANDIDATES: usize = 48;

/// An arc that would save `gain` for each unit that flows on it.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    gain: i64,
    arc: u32,
}

struct Simplex {
    network: Network,
    candidates: Box<[Candidate; CANDIDATES]>,
}

/// What a pass comes to; `tests` finds it with paths to the root and a sort.
const KNOWN: u64 = 0xf4cf_a9ab_fa24_f58b;

/// Makes it ready to run; the list of all programs states its unit.
pub fn build() -> Box<dyn Workload> {
    program(Simplex::new(), KNOWN)
}

impl Unit for Simplex {
    fn once(&mut self) -> u64 {
        self.pass()
    }

    fn bytes(&self) -> u64 {
        self.network.bytes() + size_of_val(&*self.candidates) as u64
    }
}

impl Simplex {
    fn new() -> Simplex {
        Simplex {
            network: Network::new(),
            candidates: Box::new([Candidate::default(); CANDIDATES]),
        }
    }

    fn pass(&mut self) -> u64 {
        let prices = self.set_prices();
        self.price_arcs();
        self.sort_candidates();
        let mut digest = Digest::default().with(prices as u64);
        for candidate in self.candidates.iter() {
            let flow = self.largest_flow(&self.network.arcs[candidate.arc as usize]);
            digest = digest
                .with(candidate.gain as u64)
                .with(u64::from(candidate.arc));
            digest = digest.with(u64::from(flow));
        }
        digest.value()
    }

    /// From the root down the tree: what the parent costs, and the arc from it or to
    /// it. Returns their sum.
    fn set_prices(&mut self) -> i64 {
        let nodes = &mut self.network.nodes;
        let root = self.network.root as usize;
        let (mut at, mut sum) = (nodes[root].first, 0i64);
        while at != NONE {
            let node = nodes[at as usize];
            let above = nodes[node.parent as usize].price;
            let cost = i64::from(self.network.arcs[node.arc as usize].cost);
            let price = if node.is_up {
                above + cost
            } else {
                above - cost
            };
            nodes[at as usize].price = price;
            sum = sum.wrapping_mul(3).wrapping_add(price);
            at = following(nodes, at);
        }
        sum
    }

    /// Keeps the arcs with the largest gain, those of the same gain by number.
    fn price_arcs(&mut self) {
        self.candidates.fill(Candidate::default());
        let mut least = 0;
        for group in 0..STRIDE {
            for at in (group..self.network.arcs.len()).step_by(STRIDE) {
                let arc = &self.network.arcs[at];
                let gain = self.network.gain(arc);
                let candidate = Candidate {
                    gain,
                    arc: at as u32,
                };
                if candidate > self.candidates[least] && gain > 0 {
                    self.candidates[least] = candidate;
                    let places = 0..CANDIDATES;
                    least = places.min_by_key(|at| self.candidates[*at]).unwrap_or(0);
                }
            }
        }
    }

    /// By insertion, as they are few.
    fn sort_candidates(&mut self) {
        for end in 1..CANDIDATES {
            let mut at = end;
            while at > 0 && self.candidates[at] < self.candidates[at - 1] {
                self.candidates.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    /// The least that is left on the arcs of the two paths from the ends to where they
    /// meet.
    fn largest_flow(&self, arc: &Arc) -> u32 {
        let nodes = &self.network.nodes;
        let (mut a, mut b) = (arc.tail as usize, arc.head as usize);
        let mut left = arc.left;
        while a != b {
            let lower = if nodes[a].depth >= nodes[b].depth {
                &mut a
            } else {
                &mut b
            };
            left = left.min(self.network.arcs[nodes[*lower].arc as usize].left);
            *lower = nodes[*lower].parent as usize;
        }
        left
    }
}

/// The next node in depth first order: a child, a sibling, or a sibling of an ancestor.
fn following(nodes: &[network::Node], at: u32) -> u32 {
    let mut at = at as usize;
    if nodes[at].first != NONE {
        return nodes[at].first;
    }
    while nodes[at].next == NONE && nodes[at].parent != NONE {
        at = nodes[at].parent as usize;
    }
    nodes[at].next
}
