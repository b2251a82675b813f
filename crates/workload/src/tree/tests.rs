use super::document::{Document, NONE};
use super::rules::{ANY, Action, RULES, Rule, Test};
use super::{KNOWN, Transformer, digest};
use std::mem::discriminant;

/// An element that owns all below it, and its path from the root.
struct Element {
    tag: u8,
    key: u16,
    text: String,
    path: Vec<u8>,
    is_first: bool,
    children: Vec<Element>,
}

fn read(document: &Document, at: u32, path: &[u8]) -> Element {
    let node = document.node(at);
    let below = [path, &[node.tag]].concat();
    let follow = |at: &u32| Some(document.node(*at).next).filter(|next| *next != NONE);
    let first = Some(node.first).filter(|first| *first != NONE);
    let children = std::iter::successors(first, follow)
        .enumerate()
        .map(|(index, child)| Element {
            is_first: index == 0,
            ..read(document, child, &below)
        });
    Element {
        tag: node.tag,
        key: document.key(at),
        text: String::from_utf8(document.text(at).to_vec()).unwrap(),
        path: path.to_vec(),
        is_first: false,
        children: children.collect(),
    }
}

impl Element {
    fn all_below(&self) -> Vec<&Element> {
        self.children
            .iter()
            .flat_map(|child| [vec![child], child.all_below()].concat())
            .collect()
    }

    fn fits(&self, rule: &Rule) -> bool {
        let test = match rule.test {
            Test::Always => true,
            Test::KeyBelow(key) => self.key < key,
            Test::HasText => !self.text.is_empty(),
            Test::HasNoChild => self.children.is_empty(),
            Test::HasChild(tag) => self.children.iter().any(|child| child.tag == tag),
            Test::IsFirstChild => self.is_first,
        };
        rule.tag == self.tag
            && (rule.parent == ANY || self.path.last() == Some(&rule.parent))
            && (rule.ancestor == ANY || self.path.contains(&rule.ancestor))
            && test
    }

    fn action(&self) -> Action {
        RULES
            .iter()
            .find(|rule| self.fits(rule))
            .map_or(Action::Copy, |rule| rule.action)
    }

    fn escaped(&self) -> String {
        self.text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    }

    fn written(&self, name: &dyn Fn(u8) -> String, tag: u8, children: &[&Element]) -> String {
        let inner: String = children
            .iter()
            .map(|child| child.transformed(name))
            .collect();
        let (name, key) = (name(tag), self.key);
        if self.text.is_empty() && children.is_empty() {
            return format!("<{name} key=\"{key}\"/>");
        }
        format!("<{name} key=\"{key}\">{}{inner}</{name}>", self.escaped())
    }

    fn transformed(&self, name: &dyn Fn(u8) -> String) -> String {
        let mut children: Vec<&Element> = self.children.iter().collect();
        match self.action() {
            Action::Copy => self.written(name, self.tag, &children),
            Action::Rename(tag) => self.written(name, tag, &children),
            Action::Drop => String::new(),
            Action::Unwrap => {
                let inner = children.iter().map(|child| child.transformed(name));
                self.escaped() + &inner.collect::<String>()
            }
            Action::Value => {
                let below = self.all_below();
                self.escaped()
                    + &below
                        .iter()
                        .map(|element| element.escaped())
                        .collect::<String>()
            }
            Action::Count(tag) => {
                let count = self
                    .all_below()
                    .iter()
                    .filter(|element| element.tag == tag)
                    .count();
                format!("<{} count=\"{count}\"/>", name(self.tag))
            }
            Action::Sort => {
                children.sort_by_key(|child| child.key);
                self.written(name, self.tag, &children)
            }
        }
    }
}

#[test]
fn the_output_is_that_of_owned_trees_and_strings() {
    let document = Document::new();
    let name = |tag: u8| String::from_utf8(document.name(tag).to_vec()).unwrap();
    let root = read(&document, document.root(), &[]);
    let plain = root.transformed(&name);
    let digest = digest::of_bytes(plain.as_bytes());
    assert_eq!(digest, KNOWN, "{digest:#x}");
    let mut transformer = Transformer {
        document,
        output: Vec::new(),
        ordered: Vec::new(),
    };
    transformer.transform();
    assert!(transformer.output == plain.as_bytes());
}

#[test]
fn every_rule_is_the_first_that_fits_somewhere() {
    let document = Document::new();
    let root = read(&document, document.root(), &[]);
    let elements = root.all_below();
    for (index, rule) in RULES.iter().enumerate() {
        let earlier = &RULES[..index];
        let meets = |e: &&&Element| e.fits(rule) && !earlier.iter().any(|rule| e.fits(rule));
        assert!(elements.iter().filter(meets).count() > 1, "rule {index}");
    }
    let copied = |e: &&&Element| discriminant(&e.action()) == discriminant(&Action::Copy);
    let part = elements.iter().filter(copied).count() * 100 / elements.len();
    assert!((40..90).contains(&part), "{part} % are copied");
}
