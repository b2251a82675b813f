//! Copies that the kernel module hands to DMA channels, under its shared policy.

use super::{Way, fill, same};
use crate::memory::Pages;
use crate::offload::desk::{Copier, Desk, opened};
use crate::offload::ends::{Manner, Material, Sides};
use harness::{Context, Fault, SetupError};
use record::axis::human_bytes;
use std::rc::Rc;
use uapi::{Class, Direction, Wait};

/// Copies that the kernel module makes by the CPU.
pub struct Module {
    sides: Sides,
    span: usize,
    direction: Direction,
    desk: Rc<Desk>,
}

impl Module {
    /// In one direction, over `span` bytes.
    ///
    /// # Errors
    /// `Skip` without the module or its memory.
    pub fn new(direction: &str, span: usize, context: &Context) -> Result<Module, SetupError> {
        let desk = opened(Copier::Shared)?;
        let material = Material {
            bytes: span,
            memory: Pages::Base,
            scattered: false,
            pinned: true,
        };
        let mut module = Module {
            sides: Sides::new(&desk.device, material, context)?,
            span,
            direction: match direction {
                "from_user" => Direction::FromUser,
                "to_user" => Direction::ToUser,
                _ => Direction::Both,
            },
            desk,
        };
        fill(
            &mut module.sides.user.as_mut_slice()[..span],
            span as u64 + 1,
        );
        // Both sides have the same contents, so that what arrives is known.
        module.once(true, 0, span)?;
        Ok(module)
    }

    fn once(&mut self, from_user: bool, at: usize, len: usize) -> Result<(), Fault> {
        let manner = Manner {
            direction: match from_user {
                true => Direction::FromUser,
                false => Direction::ToUser,
            },
            engine: self.desk.copier.engine(),
            wait: Wait::Interrupt,
            class: Class::Low,
        };
        let mut copying = self.sides.copying(at, len, manner);
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
        let there = self.sides.kernel_bytes(at, len)?;
        same(&self.sides.user.as_slice()[at..at + len], &there, at)
    }

    fn note(&self) -> String {
        format!(
            "copies of the module within {}; {}",
            human_bytes(self.span as u64),
            self.desk.notes().join("; ")
        )
    }
}
