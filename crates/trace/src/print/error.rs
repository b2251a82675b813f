//! Why a `print fmt:` is not understood.

use super::{SENTENCE_BYTES, SENTENCES_BYTES};

/// Why a `print fmt:` is not understood: its object is the event's format, which
/// whoever reports it names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SentenceError {
    #[error("it has {bytes} bytes; {SENTENCE_BYTES} are allowed")]
    TooLarge { bytes: usize },
    /// Those of all events before it and its own.
    #[error("all have more than {SENTENCES_BYTES} bytes")]
    AllTooLarge,
    #[error("it does not begin with a text")]
    NoText,
    #[error("its text wants {wanted} values and has {has}")]
    MissingValues { wanted: usize, has: usize },
    /// The extension of `%p`: what it prints is not in the event.
    #[error("%p{extension} needs the kernel's memory")]
    KernelMemory { extension: String },
    #[error("a % has no end")]
    OpenConversion,
    #[error("nothing tells what %{0} is")]
    UnknownConversion(char),
    #[error("a quote has no end")]
    OpenQuote,
    #[error("{0:?} is no word")]
    NotAWord(char),
    #[error("{0:?} is no number")]
    NotANumber(String),
    #[error("it ends too early")]
    TooShort,
    #[error("{found} where {expected:?} belongs")]
    Unexpected {
        found: String,
        expected: &'static str,
    },
    #[error("it is too deep")]
    TooDeep,
    #[error("it is too long")]
    TooLong,
    /// `REC->a.b`, `REC->a->b`, `f(...)`.
    #[error("it goes into something by {0:?}")]
    Member(&'static str),
    #[error("it holds statements")]
    Statements,
    #[error("it calls {0}()")]
    Call(String),
    #[error("nothing tells what {0} is")]
    UnknownName(String),
    #[error("{0:?} where a value belongs")]
    NotAValue(&'static str),
    #[error("there is no field {0}")]
    NoField(String),
    #[error("a field's name is missing")]
    NoFieldName,
    #[error("nothing tells the size of something")]
    UnknownSize,
    #[error("a name has no fixed value")]
    NoFixedValue,
}
