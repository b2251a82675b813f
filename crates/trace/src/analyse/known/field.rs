//! Readers of an event's fields: found by name once for a capture, then read at
//! a fixed offset for every event.

use crate::analyse::event::Comm;
use crate::bytes::{Order, Words};
use crate::format::{EventFormat, Field, FieldKind};

/// How one field of an event is read.
pub trait FieldReader: Sized {
    type Value<'a>;

    /// The field `name` of `format`. None: the event cannot be read without it.
    fn find(format: &EventFormat, name: &str) -> Option<Self>;

    /// None: the event is too short for its own description.
    fn read<'a>(&self, event: &'a [u8], order: Order) -> Option<Self::Value<'a>>;
}

/// Offset and size of a number. In few bytes: readers are looked up for every
/// event, and should share cache lines.
#[derive(Debug, Clone, Copy)]
struct Extent {
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

/// An unsigned number of any size: addresses, jiffies.
#[derive(Debug)]
pub struct U64(Extent);

impl FieldReader for U64 {
    type Value<'a> = u64;

    fn find(format: &EventFormat, name: &str) -> Option<U64> {
        Extent::find(format, name).map(U64)
    }

    #[inline]
    fn read(&self, event: &[u8], order: Order) -> Option<u64> {
        self.0.unsigned(event, order)
    }
}

/// The low 32 bits of a number: vectors, states, depths.
#[derive(Debug)]
pub struct U32(Extent);

impl FieldReader for U32 {
    type Value<'a> = u32;

    fn find(format: &EventFormat, name: &str) -> Option<U32> {
        Extent::find(format, name).map(U32)
    }

    #[inline]
    fn read(&self, event: &[u8], order: Order) -> Option<u32> {
        Some(self.0.unsigned(event, order)? as u32)
    }
}

/// A number extended by its sign: times in ns, numbers of system calls.
#[derive(Debug)]
pub struct I64(Extent);

impl FieldReader for I64 {
    type Value<'a> = i64;

    fn find(format: &EventFormat, name: &str) -> Option<I64> {
        Extent::find(format, name).map(I64)
    }

    #[inline]
    fn read(&self, event: &[u8], order: Order) -> Option<i64> {
        self.0.signed(event, order)
    }
}

/// An `int` of the kernel: PIDs, priorities, CPUs.
#[derive(Debug)]
pub struct I32(Extent);

impl FieldReader for I32 {
    type Value<'a> = i32;

    fn find(format: &EventFormat, name: &str) -> Option<I32> {
        Extent::find(format, name).map(I32)
    }

    #[inline]
    fn read(&self, event: &[u8], order: Order) -> Option<i32> {
        match self.0.bytes {
            // Whatever sign the description gives it: the kernel means an int.
            4 => Some(event.u32_at(self.0.offset as usize, order)?.cast_signed()),
            _ => i32::try_from(self.0.signed(event, order)?).ok(),
        }
    }
}

/// A field that older or newer kernels lack: None there.
#[derive(Debug)]
pub struct IfDescribed<R>(Option<R>);

impl<R: FieldReader> FieldReader for IfDescribed<R> {
    type Value<'a> = Option<R::Value<'a>>;

    fn find(format: &EventFormat, name: &str) -> Option<IfDescribed<R>> {
        Some(IfDescribed(R::find(format, name)))
    }

    #[inline]
    fn read<'a>(&self, event: &'a [u8], order: Order) -> Option<Option<R::Value<'a>>> {
        match &self.0 {
            Some(field) => Some(Some(field.read(event, order)?)),
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
            Some(field) if field.kind == FieldKind::Text => Text::Fixed {
                offset: field.offset,
                bytes: field.size,
            },
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
