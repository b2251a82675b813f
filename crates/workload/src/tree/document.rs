//! The document: nodes in disorder, as after long editing, with their attributes,
//! their text and their names.

use crate::random::Random;

/// In the place of a node that there is none of.
pub const NONE: u32 = u32::MAX;
/// Tags of elements, from 0.
pub const TAGS: u8 = 24;
const NODES: u32 = 10_240;
/// Levels of elements, and of the recursion that follows them.
const DEPTH: usize = 14;
const LONGEST_BYTES: u32 = 64;
/// Few, so that rules meet the very key they name and sorting meets the same twice.
const KEYS: u32 = 100;
const NAME_BYTES: usize = 12;

/// An element: its own line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Node {
    pub tag: u8,
    pub text_bytes: u16,
    text_at: u32,
    attribute: u32,
    pub parent: u32,
    pub first: u32,
    pub next: u32,
}

/// An attribute is an object of its own in a document model.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Attribute {
    key: u16,
}

/// A tree of elements with attributes, text and names.
pub struct Document {
    nodes: Box<[Node]>,
    attributes: Box<[Attribute]>,
    text: Box<[u8]>,
    /// Ended by a space.
    names: Box<[[u8; NAME_BYTES]]>,
    root: u32,
}

impl Document {
    /// The same document each time.
    pub fn new() -> Document {
        let mut random = Random::new(6);
        let places = random.shuffled(NODES);
        let (nodes, text_bytes) = leaves(&mut random);
        let key = |random: &mut Random| random.below(KEYS) as u16;
        let mut document = Document {
            nodes,
            attributes: (0..NODES)
                .map(|_| Attribute {
                    key: key(&mut random),
                })
                .collect(),
            text: (0..text_bytes)
                .map(|_| b' ' + random.below(95) as u8)
                .collect(),
            names: (0..TAGS).map(|_| name(&mut random)).collect(),
            root: places[0],
        };
        document.nodes[places[0] as usize].tag = 0;
        document.grow(&places, &mut random);
        document
    }

    /// Hangs each node below the one before it or an ancestor of that: up a step as
    /// often as down one, so that all levels have about as many.
    fn grow(&mut self, places: &[u32], random: &mut Random) {
        // The path to the last node, and the last child of each on it.
        let mut path = vec![(places[0], NONE)];
        for &place in &places[1..] {
            while path.len() > 1 && (path.len() >= DEPTH || random.below(2) == 0) {
                path.pop();
            }
            let above = path.len() - 1;
            let (parent, last) = path[above];
            match last {
                NONE => self.nodes[parent as usize].first = place,
                last => self.nodes[last as usize].next = place,
            }
            path[above].1 = place;
            self.nodes[place as usize].parent = parent;
            path.push((place, NONE));
        }
    }

    /// The node that all others are below.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// The element at that place.
    pub fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }

    /// The key among its attributes, by which it is sorted.
    pub fn key(&self, at: u32) -> u16 {
        self.attributes[self.node(at).attribute as usize].key
    }

    /// Its own text; may be empty.
    pub fn text(&self, at: u32) -> &[u8] {
        let node = self.node(at);
        let from = node.text_at as usize;
        &self.text[from..from + usize::from(node.text_bytes)]
    }

    /// The name of a tag.
    pub fn name(&self, tag: u8) -> &[u8] {
        let name = &self.names[usize::from(tag)];
        let end = name.iter().position(|byte| *byte == b' ');
        &name[..end.unwrap_or(NAME_BYTES)]
    }

    /// Bytes of everything in it.
    pub fn bytes(&self) -> u64 {
        let text = size_of_val(&*self.text) + size_of_val(&*self.names);
        let nodes = size_of_val(&*self.nodes) + size_of_val(&*self.attributes);
        (nodes + text) as u64
    }
}

/// Elements on their own, of which three of five have text, and how much of it.
fn leaves(random: &mut Random) -> (Box<[Node]>, u32) {
    let mut text_at = 0;
    let attributes = random.shuffled(NODES);
    let leaf = |attribute: &u32| {
        let has_text = random.below(5) < 3;
        let text_bytes = if has_text {
            1 + random.below(LONGEST_BYTES)
        } else {
            0
        };
        text_at += text_bytes;
        Node {
            tag: random.below(u32::from(TAGS)) as u8,
            text_bytes: text_bytes as u16,
            text_at: text_at - text_bytes,
            attribute: *attribute,
            parent: NONE,
            first: NONE,
            next: NONE,
        }
    };
    let nodes = attributes.iter().map(leaf).collect();
    (nodes, text_at)
}

fn name(random: &mut Random) -> [u8; NAME_BYTES] {
    let letters = 3 + random.below(NAME_BYTES as u32 - 2) as usize;
    let mut name = [b' '; NAME_BYTES];
    name[..letters].fill_with(|| b'a' + random.below(26) as u8);
    name
}
