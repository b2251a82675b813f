//! One event's `print fmt:`, ready to be evaluated.

use super::convert::convert;
use super::error::SentenceError;
use super::evaluate::{self, Context};
use super::expression::Expression;
use super::parse::Parser;
use super::pointer;
use super::template::{Conversion, Part, parts};
use super::token::{Token, tokens};
use crate::format::EventFormat;

/// The value of an expression without fields, as formats write masks; None for any
/// other text.
pub fn constant(text: &str) -> Option<u64> {
    let (tokens, no_fields) = (tokens(text).ok()?, EventFormat::default());
    let mut parser = Parser::new(&tokens, &no_fields, 8);
    let tree = parser.expression().ok()?;
    let value = evaluate::constant(&tree, 8)?;
    parser.peek().is_none().then(|| value.bits())
}

/// A sentence of the kernel's, parsed once for its event.
#[derive(Debug, Clone, PartialEq)]
pub struct Sentence {
    parts: Vec<Part>,
    arguments: Vec<Expression>,
}

impl Sentence {
    /// Else what cannot be understood.
    pub fn parse(format: &EventFormat, long_bytes: usize) -> Result<Sentence, SentenceError> {
        let tokens = tokens(&format.print)?;
        let Some((Token::Text(text), rest)) = tokens.split_first() else {
            return Err(SentenceError::NoText);
        };
        let parts = parts(text)?;
        let mut parser = Parser::new(rest, format, long_bytes);
        let mut arguments = Vec::new();
        while parser.peek().is_some() {
            parser.expect(",")?;
            arguments.push(parser.expression()?);
        }
        let conversions = || {
            parts.iter().filter_map(|part| match part {
                Part::Conversion(conversion) => Some(conversion),
                Part::Literal(_) => None,
            })
        };
        let wanted: usize = conversions().map(Conversion::arguments).sum();
        if wanted > arguments.len() {
            let has = arguments.len();
            return Err(SentenceError::MissingValues { wanted, has });
        }
        let mut pointers = conversions().filter(|c| c.kind == 'p');
        if let Some(unknown) = pointers.find(|c| !pointer::is_known(&c.pointer)) {
            let extension = unknown.pointer.clone();
            return Err(SentenceError::KernelMemory { extension });
        }
        Ok(Sentence { parts, arguments })
    }

    /// None where the event does not hold a value of the sentence.
    pub fn write<'a>(&'a self, context: Context<'a>, out: &mut String) -> Option<()> {
        let mut arguments = self.arguments.iter();
        let begin = out.len();
        for part in &self.parts {
            let conversion = match part {
                Part::Literal(text) => {
                    out.push_str(text);
                    continue;
                }
                Part::Conversion(conversion) => conversion,
            };
            let sizes = conversion.sizes(|| context.value(arguments.next()?)?.number())?;
            let value = context.value(arguments.next()?)?;
            convert(context, conversion, sizes, &value, out)?;
        }
        // A sentence is a line; some of the kernel's end it themselves.
        let end = out.trim_end_matches('\n').len();
        out.truncate(end.max(begin));
        Some(())
    }
}
