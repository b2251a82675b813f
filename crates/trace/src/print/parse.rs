//! Words -> tree. The kernel's C, without statements.

use super::error::SentenceError;
use super::expression::{CType, Expression};
use super::number::{Binary, Number};
use super::token::Token;
use crate::format::{EventFormat, Field};

/// Deeper ones are refused before the stack ends.
const DEEPEST: usize = 100;

type Operation = fn(Box<Expression>) -> Expression;

/// What a sign before a value makes of it.
const UNARY: [(&str, Operation); 3] = [
    ("!", Expression::Not),
    ("~", Expression::Inverted),
    ("-", Expression::Negated),
];

/// Reads the arguments of a sentence from tokens.
pub struct Parser<'a> {
    pub tokens: &'a [Token],
    pub at: usize,
    pub format: &'a EventFormat,
    pub long_bytes: usize,
    pub depth: usize,
}

/// What was read, or why not.
pub type Parsed<T = Expression> = Result<T, SentenceError>;

impl<'a> Parser<'a> {
    /// Before the first of these words.
    pub fn new(tokens: &'a [Token], format: &'a EventFormat, long_bytes: usize) -> Parser<'a> {
        Parser {
            tokens,
            at: 0,
            format,
            long_bytes,
            depth: 0,
        }
    }

    /// The next token.
    pub fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Parsed<&'a Token> {
        let token = self.tokens.get(self.at);
        self.at += 1;
        token.ok_or(SentenceError::TooShort)
    }

    /// Takes the sign where it comes next.
    pub fn take(&mut self, sign: &str) -> bool {
        let here = matches!(self.peek(), Some(Token::Sign(s)) if *s == sign);
        self.at += usize::from(here);
        here
    }

    /// Takes the sign, which has to come next.
    pub fn expect(&mut self, sign: &'static str) -> Parsed<()> {
        match self.take(sign) {
            true => Ok(()),
            false => Err(SentenceError::Unexpected {
                found: self.found(),
                expected: sign,
            }),
        }
    }

    /// What stands here, for an error.
    fn found(&self) -> String {
        match self.peek() {
            None => "the end".to_owned(),
            Some(Token::Name(name)) => name.clone(),
            Some(Token::Number(number)) => number.bits().to_string(),
            Some(Token::Text(text)) => format!("{text:?}"),
            Some(Token::Sign(sign)) => (*sign).to_owned(),
        }
    }

    /// A whole expression, without comma.
    pub fn expression(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(SentenceError::TooDeep);
        }
        let condition = self.binary(0)?;
        let parsed = match self.take("?") {
            false => condition,
            true => {
                let yes = self.expression()?;
                self.expect(":")?;
                let no = self.expression()?;
                Expression::Choice(Box::new([condition, yes, no]))
            }
        };
        self.depth -= 1;
        Ok(parsed)
    }

    fn binary(&mut self, least: u8) -> Parsed {
        let mut left = self.unary()?;
        let mut links = 0;
        while let Some(Token::Sign(sign)) = self.peek() {
            let Some((binary, rank)) = binary(sign).filter(|(_, rank)| *rank >= least) else {
                break;
            };
            self.at += 1;
            // A long chain is as deep a tree as brackets make.
            links += 1;
            if links > DEEPEST {
                return Err(SentenceError::TooLong);
            }
            let right = self.binary(rank + 1)?;
            left = Expression::Binary(binary, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(SentenceError::TooDeep);
        }
        let parsed = self.unary_inside();
        self.depth -= 1;
        parsed
    }

    fn unary_inside(&mut self) -> Parsed {
        for (sign, operation) in UNARY {
            if self.take(sign) {
                return Ok(operation(Box::new(self.unary()?)));
            }
        }
        if self.take("+") || self.take("&") {
            // The address of a field is where its bytes are.
            return self.unary();
        }
        if self.take("*") {
            let first = Expression::Number(Number::truth(false));
            return Ok(Expression::Item(Box::new(self.unary()?), Box::new(first)));
        }
        if let Some(c_type) = self.cast() {
            return Ok(Expression::Cast(c_type, Box::new(self.unary()?)));
        }
        let mut parsed = self.primary()?;
        if self.take("[") {
            let index = self.expression()?;
            self.expect("]")?;
            parsed = Expression::Item(Box::new(parsed), Box::new(index));
        }
        match self.peek() {
            Some(Token::Sign(sign @ ("." | "->" | "("))) => Err(SentenceError::Member(sign)),
            _ => Ok(parsed),
        }
    }

    /// `(type)`, when a type stands there.
    fn cast(&mut self) -> Option<CType> {
        let begin = self.at;
        let c_type = if self.take("(") { self.c_type() } else { None };
        let closed = c_type.filter(|_| self.take(")"));
        if closed.is_none() {
            self.at = begin;
        }
        closed
    }

    fn c_type(&mut self) -> Option<CType> {
        let mut words = Vec::new();
        while let Some(Token::Name(name)) = self.peek() {
            words.push(name.as_str());
            self.at += 1;
        }
        let mut stars = 0;
        while self.take("*") {
            stars += 1;
        }
        CType::parse(&words, stars, self.long_bytes)
    }

    fn primary(&mut self) -> Parsed {
        match self.next()? {
            Token::Number(number) => Ok(Expression::Number(*number)),
            Token::Text(text) => Ok(Expression::Text(text.clone())),
            Token::Sign("(") => {
                if self.peek() == Some(&Token::Sign("{")) {
                    return Err(SentenceError::Statements);
                }
                let parsed = self.expression()?;
                self.expect(")")?;
                Ok(parsed)
            }
            Token::Name(name) if name == "REC" => {
                self.expect("->")?;
                Ok(Expression::Field(self.field()?.clone()))
            }
            Token::Name(name) if self.take("(") => {
                let parsed = self.call(name)?;
                self.expect(")")?;
                Ok(parsed)
            }
            Token::Name(name) => match name.as_str() {
                "true" => Ok(Expression::Number(Number::truth(true))),
                "false" | "NULL" => Ok(Expression::Number(Number::truth(false))),
                name => Err(SentenceError::UnknownName(name.to_owned())),
            },
            Token::Sign(sign) => Err(SentenceError::NotAValue(sign)),
        }
    }

    /// Reads the name of a field.
    pub fn field(&mut self) -> Parsed<&'a Field> {
        match self.next()? {
            Token::Name(name) => {
                let field = self.format.field(name);
                field.ok_or_else(|| SentenceError::NoField(name.clone()))
            }
            _ => Err(SentenceError::NoFieldName),
        }
    }

    /// Between the brackets of `sizeof`.
    pub fn size_of(&mut self) -> Parsed {
        let begin = self.at;
        let bytes = match self.c_type() {
            Some(c_type) if c_type.pointer => self.long_bytes,
            Some(c_type) => c_type.bytes,
            None => {
                self.at = begin;
                match self.expression()? {
                    Expression::Field(field) => field.size,
                    _ => return Err(SentenceError::UnknownSize),
                }
            }
        };
        let long = self.long_bytes == 8;
        Ok(Expression::Number(Number::new(bytes as u64, true, long)))
    }
}

fn binary(sign: &str) -> Option<(Binary, u8)> {
    Some(match sign {
        "||" => (Binary::OneTrue, 0),
        "&&" => (Binary::BothTrue, 1),
        "|" => (Binary::Or, 2),
        "^" => (Binary::Differ, 3),
        "&" => (Binary::And, 4),
        "==" => (Binary::Equal, 5),
        "!=" => (Binary::Unequal, 5),
        "<" => (Binary::Less, 6),
        "<=" => (Binary::LessOrEqual, 6),
        ">" => (Binary::Greater, 6),
        ">=" => (Binary::GreaterOrEqual, 6),
        "<<" => (Binary::Left, 7),
        ">>" => (Binary::Right, 7),
        "+" => (Binary::Add, 8),
        "-" => (Binary::Subtract, 8),
        "*" => (Binary::Multiply, 9),
        "/" => (Binary::Divide, 9),
        "%" => (Binary::Rest, 9),
        _ => return None,
    })
}
