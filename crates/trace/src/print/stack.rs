//! Stacks of the kernel and of user space, of as many frames as the event holds:
//! their `print fmt` is of eight, whatever there are.

use super::evaluate::Context;
use crate::bytes::Words;
use crate::format::{EventFormat, Field};
use std::fmt::Write;

/// The fields of `ftrace:kernel_stack` and `ftrace:user_stack`.
pub struct Stack {
    /// How many frames there were; user stacks do not say.
    size: Option<Field>,
    callers: Field,
    of_kernel: bool,
}

impl Stack {
    /// None for every other event.
    pub fn parse(format: &EventFormat) -> Option<Stack> {
        let of_kernel = match (format.system.as_str(), format.name.as_str()) {
            ("ftrace", "kernel_stack") => true,
            ("ftrace", "user_stack") => false,
            _ => return None,
        };
        Some(Stack {
            size: format.field("size").filter(|_| of_kernel).cloned(),
            callers: format.field("caller")?.clone(),
            of_kernel,
        })
    }

    /// Appends the frames, the innermost first, in one line.
    pub fn write(&self, context: Context<'_>, out: &mut String) -> Option<()> {
        let frames = context.event.get(self.callers.offset..)?;
        let held = frames.len() / context.long_bytes;
        let size = self.size.as_ref();
        let size = size.and_then(|field| field.unsigned(context.event, context.order));
        let reported = size.map_or(held, |size| size.min(1 << 20) as usize);
        out.push_str(match self.of_kernel {
            true => "<stack trace>",
            false => "<user stack trace>",
        });
        let end = u64::MAX >> (64 - 8 * context.long_bytes);
        let frame =
            |at| frames.unsigned_at(at * context.long_bytes, context.long_bytes, context.order);
        for address in (0..reported.min(held)).map_while(frame) {
            // Older kernels end a stack so, and fill what is left.
            if address == end || (address == 0 && !self.of_kernel) {
                return Some(());
            }
            let _ = match self.of_kernel {
                true => write!(out, " => {}", context.names.function(address)),
                false => write!(out, " => 0x{address:x}"),
            };
        }
        if reported > held {
            let _ = write!(out, " => ... ({reported} frames, {held} in the event)");
        }
        Some(())
    }
}
