//! Replays a conversation with the kernel (fixtures/perf).

use probe::counters::{Layer, Target};
use probe::perf_attr::Attr;
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::Path;
use std::rc::Rc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Conversation {
    origin: String,
    /// Errno of every event that is not listed.
    otherwise: Option<i32>,
    #[serde(default)]
    open: Vec<Answer>,
    #[serde(default)]
    read: Vec<Words>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Answer {
    kind: u32,
    config: u64,
    #[serde(default)]
    config1: u64,
    id: Option<u64>,
    errno: Option<i32>,
    /// Opens where it is no member of a group.
    #[serde(default)]
    alone: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    words: Vec<u64>,
}

/// What was asked: the attributes, and the leader's id where there was one.
pub type Asked = Rc<RefCell<Vec<(Attr, Option<u64>, Target)>>>;

pub struct Replay {
    otherwise: i32,
    open: Vec<Answer>,
    reads: VecDeque<Vec<u64>>,
    /// Events of the kernel are forbidden (EACCES).
    pub user_only: bool,
    pub asked: Asked,
}

impl Replay {
    pub fn of(name: &str) -> Replay {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/perf");
        let path = folder.join(format!("{name}.toml"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        let conversation: Conversation =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        assert!(
            name.ends_with(&conversation.origin),
            "{name} says {}",
            conversation.origin
        );
        Replay {
            otherwise: conversation.otherwise.unwrap_or(libc::ENOENT),
            open: conversation.open,
            reads: conversation.read.into_iter().map(|r| r.words).collect(),
            user_only: false,
            asked: Asked::default(),
        }
    }

    pub fn then(&mut self, words: Vec<u64>) {
        self.reads.push_back(words);
    }
}

impl Layer for Replay {
    type Handle = u64;

    fn open(&mut self, attr: &Attr, target: Target, leader: Option<&u64>) -> Result<u64, i32> {
        let mut asked = self.asked.borrow_mut();
        asked.push((attr.clone(), leader.copied(), target));
        if self.user_only && !attr.exclude_kernel() {
            return Err(libc::EACCES);
        }
        let same = |a: &&Answer| (a.kind, a.config, a.config1) == attr.code();
        let answer = self.open.iter().find(same).ok_or(self.otherwise)?;
        match answer.errno {
            Some(errno) if leader.is_some() || !answer.alone => Err(errno),
            _ => Ok(answer.id.unwrap_or(0)),
        }
    }

    fn id(&mut self, event: &u64) -> Result<u64, i32> {
        Ok(*event)
    }

    fn enable(&mut self, _leader: &u64) -> Result<(), i32> {
        Ok(())
    }

    fn read(&mut self, _leader: &u64, into: &mut [u8]) -> Result<usize, i32> {
        let words = self.reads.pop_front().ok_or(libc::EIO)?;
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
        let fits = bytes.len().min(into.len());
        into[..fits].copy_from_slice(&bytes[..fits]);
        Ok(fits)
    }
}
