//! Copies that the kernel module hands to DMA channels, under its shared policy.

use super::{Way, differ, fill};
use crate::memory::{Mapping, Pages};
use crate::offload::desk::{Copier, Desk, opened};
use crate::offload::refused;
use harness::{Context, Fault, SetupError};
use record::axis::human_bytes;
use std::rc::Rc;
use uapi::{Buffer, Class, Copying, Direction, Placement, Registration, User, Wait};

pub struct Module {
    // Dropped first: it holds pages of the memory.
    registration: Registration,
    kernel: Buffer,
    user: Mapping,
    span: usize,
    direction: Direction,
    desk: Rc<Desk>,
}

impl Module {
    pub fn new(direction: &str, span: usize, context: &Context) -> Result<Module, SetupError> {
        let desk = opened(Copier::Shared)?;
        let mut user = Mapping::new(span, Pages::Base, context)?;
        let placement = Placement {
            node: None,
            scattered: false,
        };
        let kernel = Buffer::new(&desk.device, span as u64, placement).map_err(|e| refused(&e))?;
        let registration = Registration::writable(&desk.device, bytes(&mut user, 0, span));
        let mut module = Module {
            registration: registration.map_err(|e| refused(&e))?,
            kernel,
            user,
            span,
            direction: match direction {
                "from_user" => Direction::FromUser,
                "to_user" => Direction::ToUser,
                _ => Direction::Both,
            },
            desk,
        };
        fill(bytes(&mut module.user, 0, span), span as u64 + 1);
        // Both sides alike, so that what arrives can be known.
        module.once(true, 0, span)?;
        Ok(module)
    }

    fn once(&mut self, from_user: bool, at: usize, len: usize) -> Result<(), Fault> {
        let memory = bytes(&mut self.user, at, len);
        let mut copying = Copying {
            user: match from_user {
                true => User::Source(memory),
                false => User::Destination(memory),
            },
            buffer: &self.kernel,
            kernel_offset: at as u64,
            registration: Some(&self.registration),
            engine: self.desk.copier.engine(),
            wait: Wait::Interrupt,
            class: Class::Low,
        };
        let copied = self.desk.device.copy(&mut copying);
        let copied = copied.map_err(|error| Fault::wrong(error.to_string()))?;
        if copied.not_copied_bytes > 0 {
            let left = copied.not_copied_bytes;
            return Err(Fault::wrong(format!(
                "{left} of {len} bytes were not copied"
            )));
        }
        match copied.cpu_bytes {
            0 => Ok(()),
            by_cpu => Err(Fault::wrong(format!(
                "the CPU, not a DMA channel, copied {by_cpu} of {len} bytes: {}",
                copied.reason.sentence()
            ))),
        }
    }
}

impl Way for Module {
    fn copy(&mut self, at: usize, len: usize) -> Result<(), Fault> {
        if self.direction != Direction::ToUser {
            self.once(true, at, len)?;
        }
        if self.direction != Direction::FromUser {
            self.once(false, at, len)?;
        }
        Ok(())
    }

    fn check(&self, at: usize, len: usize) -> Result<(), Fault> {
        let mapping = self
            .kernel
            .map()
            .map_err(|error| Fault::wrong(error.to_string()))?;
        let mut there = vec![0; len];
        if !mapping.read(at, &mut there) {
            return Err(Fault::wrong(
                "the kernel's buffer is smaller than asked for",
            ));
        }
        // SAFETY: `at + len` bytes of the mapping are there, and nobody writes now.
        let here = unsafe { std::slice::from_raw_parts(self.user.base().as_ptr().add(at), len) };
        match here == there {
            true => Ok(()),
            false => Err(differ(at, len)),
        }
    }

    fn note(&self) -> String {
        format!(
            "copies of the module within {}; {}",
            human_bytes(self.span as u64),
            self.desk.notes().join("; ")
        )
    }
}

fn bytes(user: &mut Mapping, at: usize, len: usize) -> &mut [u8] {
    assert!(at + len <= user.len(), "inside of the mapping");
    // SAFETY: mapped and touched for this length, and borrowed for as long.
    unsafe { std::slice::from_raw_parts_mut(user.base().as_ptr().add(at), len) }
}
