//! One line of KTAP, as a serial port delivers it: with carriage returns,
//! escape sequences of firmware, and the kernel's time stamps before it.

/// The directive of TAP for a test whose subject is not written yet.
const TO_BE_DONE: &str = concat!("TO", "DO");

/// What a line says. Whatever is no KTAP is `Other`: logs come in between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// `KTAP version 1`: a new list of tests begins.
    Version,
    /// `1..4`, with the reason where it says that all are skipped.
    Plan {
        tests: u64,
        skip: Option<String>,
    },
    Result {
        ok: bool,
        number: Option<u64>,
        name: String,
        directive: Option<Directive>,
    },
    /// `# ...`: what a test says for people.
    Diagnostic(String),
    BailOut(String),
    Other,
}

/// What follows `#` on a test's line (Documentation/dev-tools/ktap.rst).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directive {
    Skip(String),
    /// Known to fail: XFAIL, and the word below.
    ExpectedFailure(String),
    /// TIMEOUT or ERROR: no result at all.
    Broken(String),
}

/// The spaces before the line, and what it says.
pub fn parse(raw: &str) -> (usize, Line) {
    let clean = without_escapes(raw);
    let text = without_stamp(clean.trim_end());
    let bare = text.trim_start_matches(' ');
    let indent = text.len() - bare.len();
    if let Some(before) = version(text) {
        // Firmware may have left its last words on the same line.
        let indent = if before.trim().is_empty() {
            before.len()
        } else {
            0
        };
        return (indent, Line::Version);
    }
    let line = plan(bare)
        .or_else(|| result(bare))
        .or_else(|| diagnostic(bare))
        .unwrap_or(Line::Other);
    (indent, line)
}

/// What stands before `KTAP version N` at the end of a line.
fn version(text: &str) -> Option<&str> {
    let at = text.rfind("TAP version ")?;
    let number = &text[at + "TAP version ".len()..];
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text[..at].strip_suffix('K').unwrap_or(&text[..at]))
}

fn plan(text: &str) -> Option<Line> {
    let rest = text.strip_prefix("1..")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let tests = rest[..digits].parse().ok()?;
    let skip = match directive(rest[digits..].trim()) {
        Some(Directive::Skip(reason)) => Some(reason),
        _ if rest[digits..].trim().is_empty() => None,
        _ => return None,
    };
    Some(Line::Plan { tests, skip })
}

fn result(text: &str) -> Option<Line> {
    let (ok, rest) = match text.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, text.strip_prefix("ok")?),
    };
    // "okay" is a word of its own.
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let rest = rest.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = match rest[digits..].chars().next() {
        None | Some(' ') if digits > 0 => (Some(rest[..digits].parse().ok()?), &rest[digits..]),
        _ => (None, rest),
    };
    let (name, directive) = split_directive(rest.trim());
    Some(Line::Result {
        ok,
        number,
        name: name.trim_start_matches("- ").trim().to_owned(),
        directive,
    })
}

fn diagnostic(text: &str) -> Option<Line> {
    if let Some(reason) = text.strip_prefix("Bail out!") {
        return Some(Line::BailOut(reason.trim().to_owned()));
    }
    let diagnostic = text.strip_prefix('#')?;
    Some(Line::Diagnostic(diagnostic.trim().to_owned()))
}

/// The name, and the directive behind the last `#` that begins one.
fn split_directive(text: &str) -> (&str, Option<Directive>) {
    text.rmatch_indices('#')
        .find_map(|(at, _)| Some((&text[..at], Some(directive(&text[at..])?))))
        .unwrap_or((text, None))
}

fn directive(text: &str) -> Option<Directive> {
    let directive = text.strip_prefix('#')?.trim_start();
    let end = directive
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(directive.len());
    let reason = directive[end..].trim_start_matches(':').trim().to_owned();
    match directive[..end].to_ascii_uppercase().as_str() {
        "SKIP" => Some(Directive::Skip(reason)),
        TO_BE_DONE | "XFAIL" => Some(Directive::ExpectedFailure(reason)),
        "TIMEOUT" | "ERROR" => Some(Directive::Broken(reason)),
        _ => None,
    }
}

/// Without the sequences by which firmware clears and colours a terminal.
fn without_escapes(raw: &str) -> String {
    let mut clean = String::with_capacity(raw.len());
    let mut rest = raw.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\u{1b}' {
            if !c.is_control() || c == '\t' {
                clean.push(c);
            }
            continue;
        }
        if rest.next() == Some('[') {
            while rest
                .next()
                .is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c))
            {}
        }
    }
    clean
}

/// Without `<6>` and `[    1.234567] ` or `[    1.234567][  T12] `.
fn without_stamp(text: &str) -> &str {
    let text = match text.strip_prefix('<').and_then(|t| t.split_once('>')) {
        Some((level, rest)) if !level.is_empty() && level.bytes().all(|b| b.is_ascii_digit()) => {
            rest
        }
        _ => text,
    };
    let mut rest = text;
    let mut stamped = false;
    while let Some((inside, behind)) = rest.strip_prefix('[').and_then(|t| t.split_once(']')) {
        let stamp = inside.trim();
        let time = stamp.contains('.') && stamp.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let caller = stamped && stamp.starts_with(['T', 'C']);
        if !time && !caller {
            break;
        }
        stamped = true;
        rest = behind;
    }
    if stamped {
        rest.strip_prefix(' ').unwrap_or(rest)
    } else {
        text
    }
}
