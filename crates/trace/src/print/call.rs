//! The kernel's helpers of `print fmt:`: include/trace/stages/stage3_trace_output.h.

use super::error::SentenceError;
use super::evaluate::constant;
use super::expression::{Expression, Named};
use super::parse::{Parsed, Parser};
use super::token::Token;

impl Parser<'_> {
    /// From behind the opening bracket to before the closing one.
    pub fn call(&mut self, name: &str) -> Parsed {
        // The field itself says whether its place counts from the event or from the field.
        let absolute = name
            .strip_prefix("__get_rel_")
            .or(name.strip_prefix("__get_"));
        match absolute {
            Some("str" | "dynamic_array" | "sockaddr") => {
                return Ok(Expression::Field(self.field()?.clone()));
            }
            Some("dynamic_array_len") => return Ok(Expression::Length(self.field()?.clone())),
            Some("bitmask" | "cpumask") => return Ok(Expression::Bitmask(self.field()?.clone())),
            _ => {}
        }
        match name {
            "__print_symbolic" | "__print_symbolic_u64" => {
                let value = Box::new(self.expression()?);
                Ok(Expression::Symbolic(value, self.names()?))
            }
            "__print_flags" | "__print_flags_u64" => {
                let value = Box::new(self.expression()?);
                self.expect(",")?;
                let between = match self.expression()? {
                    Expression::Text(text) => text,
                    // NULL: nothing.
                    _ => String::new(),
                };
                Ok(Expression::Flags(value, between, self.names()?))
            }
            "__print_hex" => self.hex(" "),
            "__print_hex_str" => self.hex(""),
            "__print_array" => {
                let (values, count) = (self.expression()?, self.behind_comma()?);
                let item = Box::new(self.behind_comma()?);
                let count = Some(Box::new(count));
                Ok(Expression::Array(Box::new(values), count, item))
            }
            "__print_dynamic_array" => {
                let values = Box::new(Expression::Field(self.field()?.clone()));
                let item = Box::new(self.behind_comma()?);
                Ok(Expression::Array(values, None, item))
            }
            "__builtin_expect" => {
                let value = self.expression()?;
                self.behind_comma()?;
                Ok(value)
            }
            "sizeof" => self.size_of(),
            _ => Err(SentenceError::Call(name.to_owned())),
        }
    }

    fn behind_comma(&mut self) -> Parsed {
        self.expect(",")?;
        self.expression()
    }

    fn hex(&mut self, between: &'static str) -> Parsed {
        let (bytes, count) = (self.expression()?, self.behind_comma()?);
        Ok(Expression::Hex(Box::new(bytes), Box::new(count), between))
    }

    /// `, { VALUE, "NAME" }` until the bracket.
    fn names(&mut self) -> Parsed<Vec<Named>> {
        let mut names = Vec::new();
        while self.take(",") {
            if self.peek() == Some(&Token::Sign(")")) {
                break;
            }
            self.expect("{")?;
            if self.take("}") {
                continue;
            }
            let value = self.name_value()?;
            self.expect(",")?;
            let name = match self.expression()? {
                Expression::Text(text) => text,
                // The end of a list: { -1, NULL }.
                _ => String::new(),
            };
            self.take(",");
            self.expect("}")?;
            names.extend(value.map(|value| (value, name)));
        }
        Ok(names)
    }

    /// None: it names a constant that formats do not define; then the
    /// number is printed, as trace-cmd does.
    fn name_value(&mut self) -> Parsed<Option<u64>> {
        let (begin, depth) = (self.at, self.depth);
        if let Ok(tree) = self.expression()
            && let Some(value) = constant(&tree, self.long_bytes)
        {
            return Ok(Some(value.bits()));
        }
        self.depth = depth;
        let end = self.tokens[begin..]
            .iter()
            .position(|t| *t == Token::Sign(","));
        self.at = begin + end.ok_or(SentenceError::NoFixedValue)?;
        Ok(match &self.tokens[begin..self.at] {
            [Token::Name(name)] => super::constants::value(name),
            _ => None,
        })
    }
}
