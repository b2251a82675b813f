//! Where the fields of an event lie, looked up once for a capture.

use super::event::Comm;
use crate::bytes::{Order, Words};
use crate::format::{EventFormat, Field};

/// Where a number lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    offset: usize,
    size: usize,
}

impl Place {
    pub fn of(format: &EventFormat, name: &str) -> Option<Place> {
        let field = format.field(name)?;
        let number = matches!(field.size, 1 | 2 | 4 | 8);
        number.then_some(Place {
            offset: field.offset,
            size: field.size,
        })
    }

    #[inline]
    pub fn unsigned(self, event: &[u8], order: Order) -> Option<u64> {
        event.unsigned_at(self.offset, self.size, order)
    }

    #[inline]
    pub fn signed(self, event: &[u8], order: Order) -> Option<i64> {
        event.signed_at(self.offset, self.size, order)
    }

    #[inline]
    pub fn pid(self, event: &[u8], order: Order) -> Option<i32> {
        match self.size {
            4 => Some(event.u32_at(self.offset, order)?.cast_signed()),
            _ => i32::try_from(self.signed(event, order)?).ok(),
        }
    }
}

/// Where a name lies: inside the event, or where a word says.
#[derive(Debug, Clone)]
pub enum Name {
    Fixed(usize, usize),
    Elsewhere(Box<Field>),
    Absent,
}

impl Name {
    pub fn of(format: &EventFormat, name: &str) -> Name {
        use crate::format::Kind;
        match format.field(name) {
            None => Name::Absent,
            Some(field) if field.kind == Kind::Text => Name::Fixed(field.offset, field.size),
            Some(field) => Name::Elsewhere(Box::new(field.clone())),
        }
    }

    #[inline]
    pub fn bytes<'a>(&self, event: &'a [u8], order: Order) -> &'a [u8] {
        let found = match self {
            Name::Fixed(offset, size) => event.get(*offset..*offset + *size),
            Name::Elsewhere(field) => field.bytes(event, order),
            Name::Absent => None,
        };
        found.unwrap_or_default()
    }

    #[inline]
    pub fn comm(&self, event: &[u8], order: Order) -> Comm {
        Comm::new(self.bytes(event, order))
    }
}
