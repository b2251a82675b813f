//! The open events of one group, in the order in which they were opened: what the kernel puts
//! on counters together or not at all.

use super::layer::{Layer, Target};
use super::reading::{ReadError, Times, bytes_of, totals};
use crate::perf_attr::{Attr, Scope};

/// Open events, the first of which leads.
pub struct Members<L: Layer> {
    layer: L,
    target: Target,
    handles: Vec<L::Handle>,
    ids: Vec<u64>,
    bytes: Vec<u8>,
    /// Read by a system call only: the shared page was found wrong.
    by_call: bool,
}

impl<L: Layer> Members<L> {
    /// None yet.
    pub fn new(layer: L, target: Target) -> Self {
        Members {
            layer,
            target,
            handles: Vec::new(),
            ids: Vec::new(),
            bytes: Vec::new(),
            by_call: false,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.handles.len()
    }

    /// None was opened.
    pub fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }

    /// Reads by system call from now on, not from the page that the kernel shares.
    pub fn by_call(&mut self) {
        self.by_call = true;
    }

    /// Opens one more event; its place.
    ///
    /// # Errors
    /// The errno of the call.
    pub fn push(
        &mut self,
        (kind, config, config1): (u32, u64, u64),
        scope: Scope,
    ) -> Result<usize, i32> {
        let leader = self.handles.first();
        let attr = Attr::counting(kind, config, config1, scope, leader.is_none());
        let handle = self.layer.open(&attr, self.target, leader)?;
        self.ids.push(self.layer.id(&handle)?);
        self.handles.push(handle);
        self.bytes.resize(bytes_of(self.handles.len()), 0);
        Ok(self.handles.len() - 1)
    }

    /// Whether the event opens where it is in no group.
    pub fn opens_alone(&mut self, (kind, config, config1): (u32, u64, u64), scope: Scope) -> bool {
        let attr = Attr::counting(kind, config, config1, scope, true);
        self.layer.open(&attr, self.target, None).is_ok()
    }

    /// Closes those from place `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.handles.truncate(len);
        self.ids.truncate(len);
        self.bytes.truncate(bytes_of(len));
    }

    /// Lets all of them count.
    ///
    /// # Errors
    /// The errno of the call.
    pub fn start(&mut self) -> Result<(), i32> {
        match self.handles.first() {
            Some(leader) => self.layer.enable(leader),
            None => Ok(()),
        }
    }

    /// The totals, by place: without a system call where the page allows it for all.
    ///
    /// # Errors
    /// When the group cannot be read.
    pub fn read(&mut self, into: &mut Vec<Times>) -> Result<(), ReadError> {
        into.clear();
        if !self.by_call && self.read_page(into) {
            return Ok(());
        }
        self.read_by_call(into)
    }

    /// The totals as read(2) gives them.
    ///
    /// # Errors
    /// When the group cannot be read.
    pub fn read_by_call(&mut self, into: &mut Vec<Times>) -> Result<(), ReadError> {
        into.clear();
        let Some(leader) = self.handles.first() else {
            return Ok(());
        };
        let have = self
            .layer
            .read(leader, &mut self.bytes)
            .map_err(ReadError::Call)?;
        totals(&self.bytes[..have.min(self.bytes.len())], &self.ids, into)
    }

    /// The totals as the shared page gives them; false where not all can be read so.
    pub fn read_page(&mut self, into: &mut Vec<Times>) -> bool {
        into.clear();
        for handle in &self.handles {
            let Some(times) = self.layer.read_here(handle) else {
                return false;
            };
            into.push(times);
        }
        true
    }
}
