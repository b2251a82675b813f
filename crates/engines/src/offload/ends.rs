//! The two ends of a copy, and the copy between them.

use super::axes::is;
use super::refused;
use crate::memory::buffer::scatter;
use crate::memory::{Mapping, Pages};
use harness::{Context, Fault, Point, SetupError};
use record::axis::human_bytes;
use uapi::{
    Buffer, Class, Copied, Copying, Device, Direction, Engine, Error, Measured, Measuring,
    Placement, Registration, User, Wait,
};

/// What both ends are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Material {
    pub bytes: usize,
    pub memory: Pages,
    /// The kernel's side in single pages.
    pub scattered: bool,
    /// The user's side is registered beforehand.
    pub pinned: bool,
}

/// How one copy goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    pub direction: Direction,
    pub engine: Engine,
    pub wait: Wait,
    pub class: Class,
}

/// User memory and a kernel buffer of the same size.
#[derive(Debug)]
pub struct Sides {
    // Dropped first: it holds pages of the memory.
    registration: Option<Registration>,
    kernel: Buffer,
    pub user: Mapping,
}

/// Both sides, and the device that copies between all of one and all of the other.
#[derive(Debug)]
pub struct Ends {
    sides: Sides,
    bytes: usize,
    device: Device,
    checks: u64,
}

impl Material {
    /// What a point asks for on the axes `pages`, `memory` and `size`, and on
    /// `kernel_buffer` where there is that axis.
    pub fn of(point: &Point) -> Material {
        Material {
            bytes: point.size("size"),
            memory: match point.word("memory") {
                "thp" => Pages::Thp,
                _ => Pages::Base,
            },
            scattered: is(point, "kernel_buffer", "scattered"),
            pinned: point.word("pages") == "pinned",
        }
    }
}

impl Sides {
    /// # Errors
    /// `Skip` where memory, huge pages or the limit of locked memory do not
    /// suffice.
    pub fn new(device: &Device, material: Material, context: &Context) -> Result<Self, SetupError> {
        let mut user = Mapping::new(material.bytes, material.memory, context)?;
        let placement = Placement {
            node: None,
            scattered: material.scattered,
        };
        let bytes = material.bytes;
        let kernel = Buffer::new(device, bytes as u64, placement).map_err(|e| refused(&e))?;
        let registration = match material.pinned {
            true => {
                let memory = &mut user.as_mut_slice()[..bytes];
                let pinned = Registration::writable(device, memory);
                Some(pinned.map_err(|e| refused(&e))?)
            }
            false => None,
        };
        Ok(Sides {
            registration,
            kernel,
            user,
        })
    }

    /// A copy of `len` bytes at `at` on both sides.
    #[inline]
    pub fn copying(&mut self, at: usize, len: usize, manner: Manner) -> Copying<'_> {
        let memory = &mut self.user.as_mut_slice()[at..at + len];
        Copying {
            user: match manner.direction {
                Direction::FromUser => User::Source(memory),
                Direction::ToUser => User::Destination(memory),
                Direction::Both => User::Both(memory),
            },
            buffer: &self.kernel,
            kernel_offset: at as u64,
            registration: self.registration.as_ref(),
            engine: manner.engine,
            wait: manner.wait,
            class: manner.class,
        }
    }

    /// What the kernel's side holds at `at`.
    ///
    /// # Errors
    /// The kernel's buffer cannot be seen, or ends before.
    pub fn kernel_bytes(&self, at: usize, len: usize) -> Result<Vec<u8>, Fault> {
        let mapping = self.kernel.map();
        let mapping = mapping.map_err(|error| Fault::wrong(error.to_string()))?;
        let mut contents = vec![0; len];
        match mapping.read(at, &mut contents) {
            true => Ok(contents),
            false => Err(Fault::wrong(
                "the kernel's buffer is smaller than requested",
            )),
        }
    }
}

impl Ends {
    /// # Errors
    /// As [`Sides::new`].
    pub fn new(device: &Device, material: Material, context: &Context) -> Result<Self, SetupError> {
        Ok(Ends {
            sides: Sides::new(device, material, context)?,
            bytes: material.bytes,
            device: device.clone(),
            checks: 0,
        })
    }

    /// Repeats the copy in the kernel, timed there.
    ///
    /// # Errors
    /// What the module says.
    pub fn measure(&mut self, manner: Manner, measuring: Measuring) -> Result<Measured, Error> {
        let mut copying = self.sides.copying(0, self.bytes, manner);
        self.device.measure(&mut copying, measuring)
    }

    /// One copy of bytes that were not there before, each of them looked at.
    ///
    /// # Errors
    /// A sentence that says what arrived instead.
    pub fn check(&mut self, manner: Manner) -> Result<Copied, Fault> {
        let way = |direction| Manner {
            direction,
            ..manner
        };
        if manner.direction == Direction::Both {
            self.check_one_way(way(Direction::FromUser))?;
            return self.check_one_way(way(Direction::ToUser));
        }
        self.check_one_way(manner)
    }

    fn check_one_way(&mut self, manner: Manner) -> Result<Copied, Fault> {
        self.checks += 1;
        let seed = self.checks;
        let by_cpu = Manner {
            direction: Direction::FromUser,
            engine: Engine::Cpu,
            ..manner
        };
        scatter(self.memory(), seed);
        let sent = self.memory().to_vec();
        if manner.direction == Direction::ToUser {
            // The bytes to fetch go there by the CPU, and vanish here.
            self.copy(by_cpu)?;
            self.memory().iter_mut().for_each(|byte| *byte = !*byte);
            let copied = self.copy(manner)?;
            return match self.memory() == sent.as_slice() {
                true => Ok(copied),
                false => Err(wrong("user memory", self.bytes)),
            };
        }
        let copied = self.copy(manner)?;
        match self.sides.kernel_bytes(0, self.bytes)? == sent {
            true => Ok(copied),
            false => Err(wrong("the kernel's buffer", self.bytes)),
        }
    }

    /// The user's side.
    fn memory(&mut self) -> &mut [u8] {
        &mut self.sides.user.as_mut_slice()[..self.bytes]
    }

    fn copy(&mut self, manner: Manner) -> Result<Copied, Fault> {
        let mut copying = self.sides.copying(0, self.bytes, manner);
        let copied = self.device.copy(&mut copying);
        let copied = copied.map_err(|error| Fault::wrong(error.to_string()))?;
        match copied.not_copied_bytes {
            0 => Ok(copied),
            left => Err(Fault::wrong(format!(
                "{left} of {} bytes were not copied",
                self.bytes
            ))),
        }
    }

    /// Bytes of one copy.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Which pages were obtained on both sides.
    pub fn notes(&self) -> Vec<String> {
        let pieces = |extents: u32| match extents {
            1 => "in one piece".to_owned(),
            many => format!("in {many} pieces"),
        };
        let mut notes = vec![
            self.sides.user.note().to_owned(),
            format!("kernel buffer {}", pieces(self.sides.kernel.extents())),
        ];
        if let Some(registration) = &self.sides.registration {
            notes.push(format!(
                "user memory pinned beforehand, {}, in {:.1} us",
                pieces(registration.extents()),
                registration.pin_ns() as f64 / 1e3
            ));
        }
        notes
    }
}

fn wrong(place: &str, bytes: usize) -> Fault {
    Fault::wrong(format!(
        "{place} does not contain the {} that were copied there",
        human_bytes(bytes as u64)
    ))
}
