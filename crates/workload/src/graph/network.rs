//! The network: nodes, arcs between any two of them, and a tree that spans it.

use crate::random::Random;

/// In the place of a node that there is none of.
pub const NONE: u32 = u32::MAX;
const NODES: u32 = 16_384;
const ARCS: u32 = 131_072;
const LARGEST_COST: u32 = 10_000;
const LARGEST_FLOW: u32 = 1000;

/// One line of the cache, as in mcf.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Node {
    pub price: i64,
    pub depth: u32,
    pub parent: u32,
    pub first: u32,
    pub next: u32,
    /// The arc between the parent and this node, and whether it leads up.
    pub arc: u32,
    pub is_up: bool,
}

/// An arc from `tail` to `head`, with its cost and flow.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub struct Arc {
    pub tail: u32,
    pub head: u32,
    pub cost: u32,
    /// Whether all flows on it that may; then less flow would be the gain.
    pub is_full: bool,
    /// How much more, or less, may flow.
    pub left: u32,
}

/// A minimum-cost flow problem with its spanning tree.
pub struct Network {
    pub nodes: Box<[Node]>,
    pub arcs: Box<[Arc]>,
    pub root: u32,
}

const UNCONNECTED: Node = Node {
    price: 0,
    depth: 0,
    parent: NONE,
    first: NONE,
    next: NONE,
    arc: NONE,
    is_up: false,
};

impl Network {
    /// The same network each time.
    pub fn new() -> Network {
        let mut random = Random::new(9);
        let places = random.shuffled(NODES);
        let mut network = Network {
            nodes: vec![UNCONNECTED; NODES as usize].into(),
            arcs: (0..ARCS).map(|_| arc(&mut random)).collect(),
            root: places[0],
        };
        let tree_arcs = random.shuffled(ARCS);
        for index in 1..NODES {
            let parent = places[random.below(index) as usize];
            let is_up = random.below(2) == 0;
            let arc = tree_arcs[index as usize];
            network.hang(places[index as usize], parent, arc, is_up);
        }
        network
    }

    fn hang(&mut self, at: u32, parent: u32, arc: u32, is_up: bool) {
        let above = self.nodes[parent as usize];
        self.nodes[at as usize] = Node {
            depth: above.depth + 1,
            parent,
            next: above.first,
            arc,
            is_up,
            ..UNCONNECTED
        };
        self.nodes[parent as usize].first = at;
        let arc = &mut self.arcs[arc as usize];
        (arc.tail, arc.head) = if is_up { (at, parent) } else { (parent, at) };
    }

    /// What a unit more on the arc saves, or a unit less where it is full.
    pub fn gain(&self, arc: &Arc) -> i64 {
        let price = |node: u32| self.nodes[node as usize].price;
        let reduced = i64::from(arc.cost) - price(arc.tail) + price(arc.head);
        if arc.is_full { reduced } else { -reduced }
    }

    /// Bytes of nodes and arcs.
    pub fn bytes(&self) -> u64 {
        (size_of_val(&*self.nodes) + size_of_val(&*self.arcs)) as u64
    }
}

fn arc(random: &mut Random) -> Arc {
    Arc {
        tail: random.below(NODES),
        head: random.below(NODES),
        cost: random.below(LARGEST_COST),
        is_full: random.below(2) == 0,
        left: 1 + random.below(LARGEST_FLOW),
    }
}
