//! Readers of an event's fields: found by name once for a capture, then read at
//! a fixed offset for every event.

use crate::analyse::event::Comm;
use crate::bytes::{Order, Words};
use crate::format::{EventFormat, Field, FieldKind, Place};
use crate::width::low_word;
use std::marker::PhantomData;

/// How one field of an event is read.
pub trait FieldReader: Sized {
    type Value<'a>;

    /// The field `name` of `format`. None: the event cannot be read without it.
    fn find(format: &EventFormat, name: &str) -> Option<Self>;

    /// None: the event is too short for its own description, or holds what the kernel
    /// never writes there.
    fn read<'a>(&self, event: &'a [u8], order: Order) -> Option<Self::Value<'a>>;
}

/// Offset and size of a number. In few bytes: readers are looked up for every
/// event, and should share cache lines.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    offset: u32,
    bytes: u8,
}

impl Extent {
    fn find(format: &EventFormat, name: &str) -> Option<Extent> {
        let field = format.field(name)?;
        // Other sizes are structures and texts: no reader below can decode them.
        let number = matches!(field.size, 1 | 2 | 4 | 8);
        Some(Extent {
            offset: u32::try_from(field.offset).ok()?,
            bytes: u8::try_from(field.size).ok().filter(|_| number)?,
        })
    }

    #[inline]
    fn unsigned(self, event: &[u8], order: Order) -> Option<u64> {
        event.unsigned_at(self.offset as usize, usize::from(self.bytes), order)
    }

    #[inline]
    fn signed(self, event: &[u8], order: Order) -> Option<i64> {
        event.signed_at(self.offset as usize, usize::from(self.bytes), order)
    }
}

/// A type of the numbers that fields hold.
pub trait Whole: Sized {
    /// None: the event is too short for its own description, or holds what the kernel
    /// never writes there.
    fn read(extent: Extent, event: &[u8], order: Order) -> Option<Self>;
}

/// An unsigned number of any size: addresses, jiffies.
impl Whole for u64 {
    #[inline]
    fn read(extent: Extent, event: &[u8], order: Order) -> Option<u64> {
        extent.unsigned(event, order)
    }
}

/// A number of 32 bits: vectors, states, depths. A larger one is none of them, and the
/// event cannot be read: its low bits would be another vector.
impl Whole for u32 {
    #[inline]
    fn read(extent: Extent, event: &[u8], order: Order) -> Option<u32> {
        u32::try_from(extent.unsigned(event, order)?).ok()
    }
}

/// A number extended by its sign: times in ns, numbers of system calls.
impl Whole for i64 {
    #[inline]
    fn read(extent: Extent, event: &[u8], order: Order) -> Option<i64> {
        extent.signed(event, order)
    }
}

/// An `int` of the kernel: PIDs, priorities, CPUs.
impl Whole for i32 {
    #[inline]
    fn read(extent: Extent, event: &[u8], order: Order) -> Option<i32> {
        match extent.bytes {
            // Whatever sign the description gives it: the kernel means an int.
            4 => (extent.unsigned(event, order)).map(|n| low_word(n).cast_signed()),
            _ => i32::try_from(extent.signed(event, order)?).ok(),
        }
    }
}

/// A number, read as `T`.
#[derive(Debug)]
pub struct Number<T>(Extent, PhantomData<T>);

impl<T: Whole> FieldReader for Number<T> {
    type Value<'a> = T;

    fn find(format: &EventFormat, name: &str) -> Option<Number<T>> {
        Extent::find(format, name).map(|extent| Number(extent, PhantomData))
    }

    #[inline]
    fn read(&self, event: &[u8], order: Order) -> Option<T> {
        T::read(self.0, event, order)
    }
}

/// A field read as 64 bits without sign.
pub type U64 = Number<u64>;
/// A field read as 32 bits without sign.
pub type U32 = Number<u32>;
/// A field read as 64 bits with sign.
pub type I64 = Number<i64>;
/// A field read as 32 bits with sign.
pub type I32 = Number<i32>;

/// A field that older or newer kernels lack: None there.
pub type IfDescribed<R> = Option<R>;

impl<R: FieldReader> FieldReader for Option<R> {
    type Value<'a> = Option<R::Value<'a>>;

    fn find(format: &EventFormat, name: &str) -> Option<Option<R>> {
        Some(R::find(format, name))
    }

    #[inline]
    fn read<'a>(&self, event: &'a [u8], order: Order) -> Option<Option<R::Value<'a>>> {
        match self {
            Some(field) => field.read(event, order).map(Some),
            None => Some(None),
        }
    }
}

/// A field that an event is worth reading without: None also where the event
/// ends before it.
#[derive(Debug)]
pub struct IfPresent<R>(Option<R>);

impl<R: FieldReader> FieldReader for IfPresent<R> {
    type Value<'a> = Option<R::Value<'a>>;

    fn find(format: &EventFormat, name: &str) -> Option<IfPresent<R>> {
        Some(IfPresent(R::find(format, name)))
    }

    #[inline]
    fn read<'a>(&self, event: &'a [u8], order: Order) -> Option<Option<R::Value<'a>>> {
        Some(self.0.as_ref().and_then(|field| field.read(event, order)))
    }
}

/// The bytes of a text; empty where the event has none. No analysis needs a text
/// to understand an event, so that none is refused for lack of one.
#[derive(Debug)]
pub enum Text {
    /// `char name[16]`: inside the event.
    Fixed {
        offset: usize,
        bytes: usize,
    },
    /// `__data_loc char[]` and `__rel_loc char[]`: where a word of the event says.
    Dynamic(Box<Field>),
    Absent,
}

impl FieldReader for Text {
    type Value<'a> = &'a [u8];

    fn find(format: &EventFormat, name: &str) -> Option<Text> {
        Some(match format.field(name) {
            None => Text::Absent,
            Some(field) if (field.kind, field.place) == (FieldKind::Text, Place::Fixed) => {
                Text::Fixed {
                    offset: field.offset,
                    bytes: field.size,
                }
            }
            Some(field) => Text::Dynamic(Box::new(field.clone())),
        })
    }

    #[inline]
    fn read<'a>(&self, event: &'a [u8], order: Order) -> Option<&'a [u8]> {
        let found = match self {
            Text::Fixed { offset, bytes } => event.get(*offset..*offset + *bytes),
            Text::Dynamic(field) => field.bytes(event, order),
            Text::Absent => None,
        };
        Some(found.unwrap_or_default())
    }
}

/// A task's name; empty where the event has none.
#[derive(Debug)]
pub struct TaskName(Text);

impl FieldReader for TaskName {
    type Value<'a> = Comm;

    fn find(format: &EventFormat, name: &str) -> Option<TaskName> {
        Text::find(format, name).map(TaskName)
    }

    #[inline]
    fn read(&self, event: &[u8], order: Order) -> Option<Comm> {
        self.0.read(event, order).map(Comm::new)
    }
}

#[cfg(test)]
mod tests {
    use super::{Extent, Whole};
    use crate::bytes::Order;

    const WIDE: Extent = Extent {
        offset: 0,
        bytes: 8,
    };

    #[test]
    fn a_vector_beyond_32_bits_is_no_other_vector() {
        let at = |value: u64| u32::read(WIDE, &value.to_le_bytes(), Order::Little);
        assert_eq!(at(3), Some(3));
        assert_eq!(at(u64::from(u32::MAX)), Some(u32::MAX));
        assert_eq!(at((1 << 32) + 3), None);
    }

    #[test]
    fn a_pid_beyond_32_bits_is_no_other_pid() {
        let at = |value: i64| i32::read(WIDE, &value.to_le_bytes(), Order::Little);
        assert_eq!(at(-1), Some(-1));
        assert_eq!(at((1 << 32) + 7), None);
    }
}
