//! Why a `print fmt:` is not understood.

use super::{SENTENCE_BYTES, SENTENCES_BYTES};

/// Why a `print fmt:` is not understood: its object is the event's format, which
/// whoever reports it names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SentenceError {
    /// More bytes than a sentence may have.
    #[error("it has {bytes} bytes; {SENTENCE_BYTES} are allowed")]
    TooLarge {
        /// How many it has.
        bytes: usize,
    },
    /// Those of all events before it and its own.
    #[error("all have more than {SENTENCES_BYTES} bytes")]
    AllTooLarge,
    /// There is nothing in quotes at its begin.
    #[error("it does not start with a string")]
    NoText,
    /// Fewer values than conversions in the text.
    #[error("its format takes {wanted} values and has {has}")]
    MissingValues {
        /// Values that the conversions take.
        wanted: usize,
        /// Values behind the text.
        has: usize,
    },
    /// The extension of `%p`: what it prints is not in the event.
    #[error("%p{extension} needs the kernel's memory")]
    KernelMemory {
        /// What stands behind `%p`: `d`.
        extension: String,
    },
    /// `%` is the last character of the text.
    #[error("a % has no end")]
    OpenConversion,
    /// No conversion of printf: `%q`.
    #[error("conversion %{0} is unknown")]
    UnknownConversion(char),
    /// The text does not end.
    #[error("a quote has no end")]
    OpenQuote,
    /// A character that C does not use here.
    #[error("{0:?} is no word")]
    NotAWord(char),
    /// A word that begins with a digit.
    #[error("{0:?} is no number")]
    NotANumber(String),
    /// It ends inside an expression.
    #[error("it ends too early")]
    TooShort,
    /// Another sign is needed to go on.
    #[error("found {found} instead of {expected:?}")]
    Unexpected {
        /// What stands there.
        found: String,
        /// The sign that belongs there.
        expected: &'static str,
    },
    /// Nested so deep that the stack might end.
    #[error("it is too deep")]
    TooDeep,
    /// A chain of operators that makes as deep a tree.
    #[error("it is too long")]
    TooLong,
    /// `REC->a.b`, `REC->a->b`, `f(...)`.
    #[error("it uses {0:?} on something that has no members")]
    Member(&'static str),
    /// `({ ... })`.
    #[error("it holds statements")]
    Statements,
    /// A function of the kernel that has no counterpart here.
    #[error("it calls {0}()")]
    Call(String),
    /// A constant that the format does not define.
    #[error("{0} is unknown")]
    UnknownName(String),
    /// A sign that begins no expression.
    #[error("found {0:?} instead of a value")]
    NotAValue(&'static str),
    /// `REC->` and a name that the event does not have.
    #[error("there is no field {0}")]
    NoField(String),
    /// `REC->` without a name.
    #[error("a field's name is missing")]
    NoFieldName,
    /// `sizeof` of something that is neither type nor field.
    #[error("the size of an operand is unknown")]
    UnknownSize,
    /// A list of names and values that is not one of constants.
    #[error("a name has no fixed value")]
    NoFixedValue,
}
