//! The rules: which elements they are for, and what becomes of those.

use super::document::{Document, NONE};

/// No condition on the parent, or on the ancestors.
pub const ANY: u8 = u8::MAX;

/// A condition on the element itself.
#[derive(Clone, Copy)]
pub enum Test {
    Always,
    KeyBelow(u16),
    HasText,
    HasNoChild,
    HasChild(u8),
    IsFirstChild,
}

/// What an element becomes.
#[derive(Clone, Copy)]
pub enum Action {
    /// The element, and its children by their rules.
    Copy,
    /// The same, with the name of another tag.
    Rename(u8),
    /// Its text and its children, without the element.
    Unwrap,
    Drop,
    /// The text of all below it.
    Value,
    /// How many of a tag are below it.
    Count(u8),
    /// Copied with its children in the order of their keys.
    Sort,
}

/// For which elements an action is meant.
pub struct Rule {
    pub tag: u8,
    pub parent: u8,
    pub ancestor: u8,
    pub test: Test,
    pub action: Action,
}

const fn rule(tag: u8, [parent, ancestor]: [u8; 2], test: Test, action: Action) -> Rule {
    Rule {
        tag,
        parent,
        ancestor,
        test,
        action,
    }
}

/// The first that fits counts; elements that none fits are copied.
pub const RULES: &[Rule] = &[
    rule(1, [ANY, 9], Test::Always, Action::Rename(17)),
    rule(1, [ANY, 4], Test::HasText, Action::Value),
    rule(2, [3, ANY], Test::Always, Action::Unwrap),
    rule(2, [ANY, 11], Test::KeyBelow(50), Action::Rename(0)),
    rule(3, [ANY, ANY], Test::HasChild(5), Action::Sort),
    rule(3, [ANY, ANY], Test::HasNoChild, Action::Drop),
    rule(4, [ANY, 1], Test::IsFirstChild, Action::Unwrap),
    rule(5, [ANY, ANY], Test::KeyBelow(25), Action::Count(6)),
    rule(6, [7, ANY], Test::Always, Action::Drop),
    rule(6, [ANY, 7], Test::Always, Action::Rename(8)),
    rule(8, [ANY, ANY], Test::HasText, Action::Sort),
    rule(9, [ANY, 12], Test::HasChild(1), Action::Unwrap),
    rule(10, [ANY, 13], Test::KeyBelow(70), Action::Rename(14)),
    rule(10, [ANY, 14], Test::Always, Action::Unwrap),
    rule(11, [ANY, ANY], Test::HasChild(12), Action::Value),
    rule(12, [ANY, 15], Test::IsFirstChild, Action::Drop),
    rule(13, [0, ANY], Test::Always, Action::Sort),
    rule(14, [ANY, 14], Test::Always, Action::Unwrap),
    rule(15, [ANY, ANY], Test::KeyBelow(10), Action::Drop),
    rule(15, [ANY, 16], Test::HasNoChild, Action::Rename(1)),
    rule(16, [ANY, ANY], Test::HasChild(16), Action::Count(16)),
    rule(18, [ANY, 19], Test::HasText, Action::Rename(20)),
    rule(19, [20, ANY], Test::Always, Action::Unwrap),
    rule(21, [ANY, 22], Test::IsFirstChild, Action::Sort),
];

/// The action of the first rule that fits the element at `at`.
pub fn action(document: &Document, at: u32) -> Action {
    let fitting = RULES.iter().find(|rule| fits(document, at, rule));
    fitting.map_or(Action::Copy, |rule| rule.action)
}

fn fits(document: &Document, at: u32, rule: &Rule) -> bool {
    let node = document.node(at);
    node.tag == rule.tag
        && (rule.parent == ANY || has_tag(document, node.parent, rule.parent))
        && (rule.ancestor == ANY || is_below(document, node.parent, rule.ancestor))
        && holds(document, at, rule.test)
}

fn has_tag(document: &Document, at: u32, tag: u8) -> bool {
    at != NONE && document.node(at).tag == tag
}

fn is_below(document: &Document, mut at: u32, tag: u8) -> bool {
    while at != NONE {
        let node = document.node(at);
        if node.tag == tag {
            return true;
        }
        at = node.parent;
    }
    false
}

fn holds(document: &Document, at: u32, test: Test) -> bool {
    let node = document.node(at);
    match test {
        Test::Always => true,
        Test::KeyBelow(key) => document.key(at) < key,
        Test::HasText => node.text_bytes > 0,
        Test::HasNoChild => node.first == NONE,
        Test::IsFirstChild => node.parent != NONE && document.node(node.parent).first == at,
        Test::HasChild(tag) => {
            let mut child = node.first;
            while child != NONE && document.node(child).tag != tag {
                child = document.node(child).next;
            }
            child != NONE
        }
    }
}
