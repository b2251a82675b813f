//! The tree of calls below a function, by time.

use super::stacks::Stacks;
use crate::analyse::event::Happening;
use crate::analyse::known::Known;
use crate::analyse::pass::{Gap, Visitor};
use crate::analyse::symbols::Symbols;
use crate::analyse::words::sum_ns;
use crate::width::narrow;
use serde::Serialize;
use std::ops::Range;

/// Paths that are counted apart.
const MOST_NODES: usize = 200_000;
/// Tag of a call outside the tree.
const OUTSIDE: u32 = u32::MAX;

#[derive(Debug, Clone, Default)]
struct Node {
    function: u64,
    children: Vec<u32>,
    /// Without its place in the tree.
    line: Line,
}

/// Calls by path, from a function down.
#[derive(Debug)]
pub struct CallTree {
    stacks: Stacks,
    /// Where the root lies; None: every function without a caller is one.
    roots: Option<Vec<Range<u64>>>,
    /// The first one is the place of all roots.
    nodes: Vec<Node>,
    /// Calls of paths beyond the limit, which are not counted.
    pub left_off: u64,
}

/// One line of the tree, from the root down, the costly first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Line {
    /// 0 for a root.
    pub depth: u32,
    /// Name of the function, or its address in hexadecimal.
    pub function: String,
    /// How often by this path.
    pub calls: u64,
    /// Together, in ns.
    pub total_ns: u64,
    /// Without the calls that it made.
    pub self_ns: u64,
    /// Of the total, off the CPU.
    pub off_ns: u64,
    /// Of the roots' time.
    pub share: f64,
    /// The costliest child of the costliest child, from the root on.
    pub on_path: bool,
}

impl CallTree {
    /// Below the function of a name; all calls where there is none.
    pub fn new(known: &Known, symbols: &Symbols, root: Option<&str>) -> CallTree {
        CallTree {
            stacks: Stacks::new(known, symbols),
            roots: root.map(|name| ranges(symbols, name)),
            nodes: vec![Node::default()],
            left_off: 0,
        }
    }

    /// Calls whose entry or exit was not seen.
    pub fn dropped(&self) -> u64 {
        self.stacks.dropped
    }

    /// Lines of calls that take at least this share of the root's time.
    pub fn lines(&self, symbols: &Symbols, least_share: f64) -> Vec<Line> {
        let roots = self.children(0);
        let whole = sum_ns(roots.iter().map(|n| self.nodes[*n as usize].line.total_ns));
        let mut lines = Vec::new();
        self.below(0, 0, true, &mut |node, depth, on_path| {
            let share = node.line.total_ns as f64 / whole.max(1) as f64;
            if share < least_share {
                return false;
            }
            lines.push(Line {
                depth,
                function: symbols.name(node.function),
                share,
                on_path,
                ..node.line.clone()
            });
            true
        });
        lines
    }

    /// Shows every node below `parent`, the costly first, and what is below it where
    /// `show` says so; stacks are not deeper than the kernel's.
    fn below(
        &self,
        parent: u32,
        depth: u32,
        on_path: bool,
        show: &mut dyn FnMut(&Node, u32, bool) -> bool,
    ) {
        for (rank, child) in self.children(parent).into_iter().enumerate() {
            let on_path = on_path && rank == 0;
            if show(&self.nodes[child as usize], depth, on_path) {
                self.below(child, depth + 1, on_path, show);
            }
        }
    }

    /// By time, costly first.
    fn children(&self, node: u32) -> Vec<u32> {
        let mut children = self.nodes[node as usize].children.clone();
        children.sort_by_key(|n| {
            let child = &self.nodes[*n as usize];
            (
                std::cmp::Reverse((child.line.total_ns, child.line.calls)),
                child.function,
            )
        });
        children.retain(|n| self.nodes[*n as usize].line.calls > 0);
        children
    }
}

/// Of a name, or an address in hexadecimal.
fn ranges(symbols: &Symbols, name: &str) -> Vec<Range<u64>> {
    let typed = name
        .strip_prefix("0x")
        .and_then(|hex| u64::from_str_radix(hex, 16).ok());
    let typed = typed.map(|at| at..at.saturating_add(1));
    symbols.ranges(name).chain(typed).collect()
}

/// Place of the call's node.
fn place(nodes: &mut Vec<Node>, left_off: &mut u64, parent: u32, function: u64) -> u32 {
    let children = &nodes[parent as usize].children;
    let known = children
        .iter()
        .find(|n| nodes[**n as usize].function == function);
    if let Some(known) = known {
        return *known;
    }
    if nodes.len() >= MOST_NODES {
        *left_off += 1;
        return OUTSIDE;
    }
    let new = narrow(nodes.len());
    nodes.push(Node {
        function,
        ..Node::default()
    });
    nodes[parent as usize].children.push(new);
    new
}

impl Visitor for CallTree {
    fn event(&mut self, h: &Happening<'_>, _: &Known) {
        let CallTree {
            stacks,
            roots,
            nodes,
            left_off,
        } = self;
        let ended = stacks.event(h, |function, caller| {
            let begins = match roots {
                Some(roots) => roots.iter().any(|r| r.contains(&function)),
                None => caller.is_none(),
            };
            let inside = caller.filter(|tag| *tag != OUTSIDE);
            match inside.or(begins.then_some(0)) {
                Some(parent) => place(nodes, left_off, parent, function),
                None => OUTSIDE,
            }
        });
        if let Some(call) = ended.filter(|call| call.tag != OUTSIDE) {
            let node = &mut nodes[call.tag as usize].line;
            node.calls += 1;
            node.total_ns = node.total_ns.saturating_add(call.total_ns);
            node.self_ns = node.self_ns.saturating_add(call.self_ns);
            node.off_ns = node.off_ns.saturating_add(call.off_ns);
        }
    }

    fn lost(&mut self, gap: &Gap, _: &Known) {
        self.stacks.lost(gap);
    }
}
