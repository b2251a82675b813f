use super::{CANDIDATES, Digest, KNOWN, Simplex};
use crate::graph::network::{NONE, Network};
use std::cmp::Reverse;
use std::collections::HashSet;

/// The node and all above it, up to the root.
fn path(network: &Network, node: u32) -> Vec<u32> {
    let above = |at: &u32| Some(network.nodes[*at as usize].parent).filter(|up| *up != NONE);
    std::iter::successors(Some(node), above).collect()
}

/// The costs of the arcs up to the root: added where they lead up.
fn price(network: &Network, node: u32) -> i64 {
    let path = path(network, node);
    let up = path.windows(2).map(|pair| {
        let arc = network.arcs[network.nodes[pair[0] as usize].arc as usize];
        let leads_up = (arc.tail, arc.head) == (pair[0], pair[1]);
        assert!(leads_up || (arc.head, arc.tail) == (pair[0], pair[1]));
        if leads_up {
            i64::from(arc.cost)
        } else {
            -i64::from(arc.cost)
        }
    });
    up.sum()
}

/// All children of a node before its next sibling, by recursion with a list.
fn depth_first(network: &Network) -> Vec<u32> {
    let (mut order, mut waiting) = (Vec::new(), vec![network.root]);
    while let Some(at) = waiting.pop() {
        order.push(at);
        let first = Some(network.nodes[at as usize].first).filter(|at| *at != NONE);
        let next = |at: &u32| Some(network.nodes[*at as usize].next).filter(|at| *at != NONE);
        let children: Vec<u32> = std::iter::successors(first, next).collect();
        waiting.extend(children.into_iter().rev());
    }
    order.split_off(1)
}

/// The arcs that only one of the two ends has above it close the circle.
fn largest_flow(network: &Network, arc: usize) -> u32 {
    let arc = network.arcs[arc];
    let ends =
        [arc.tail, arc.head].map(|end| path(network, end).into_iter().collect::<HashSet<_>>());
    let circle = ends[0].symmetric_difference(&ends[1]);
    let left = circle.map(|at| network.arcs[network.nodes[*at as usize].arc as usize].left);
    left.min().map_or(arc.left, |least| least.min(arc.left))
}

#[test]
fn a_pass_comes_to_what_paths_and_a_sort_give() {
    let mut simplex = Simplex::new();
    let network = &simplex.network;
    let prices: Vec<i64> = (0..network.nodes.len() as u32)
        .map(|at| price(network, at))
        .collect();
    let order = depth_first(network);
    assert_eq!(order.len() + 1, prices.len());
    let sum = order.iter().fold(0i64, |sum, at| {
        sum.wrapping_mul(3).wrapping_add(prices[*at as usize])
    });
    let mut gains: Vec<(i64, usize)> = (0..network.arcs.len())
        .map(|at| {
            let arc = network.arcs[at];
            let saved = prices[arc.tail as usize] - prices[arc.head as usize] - i64::from(arc.cost);
            (if arc.is_full { -saved } else { saved }, at)
        })
        .collect();
    gains.sort_unstable_by_key(|gain| Reverse(*gain));
    let mut digest = Digest::default().with(sum as u64);
    for (gain, arc) in gains[..CANDIDATES].iter().rev() {
        digest = digest.with(*gain as u64).with(*arc as u64);
        digest = digest.with(u64::from(largest_flow(network, *arc)));
    }
    assert!(gains[CANDIDATES].0 > 0);
    assert_eq!(digest.value(), KNOWN, "{:#x}", digest.value());
    assert_eq!(simplex.pass(), KNOWN);
}
