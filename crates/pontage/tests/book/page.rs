//! Console blocks of a page: commands, and what the page says that they print.
//!
//! A block begins with `console` and words that say how its commands are tried:
//!
//! | word | |
//! |---|---|
//! | (none) | run; prints exactly what the page shows, where a line `...` stands for any lines |
//! | `varies` | run; what the page shows was printed once, on another machine |
//! | `short` | as `varies`, with few samples |
//! | `plan` | as `varies`, with `--dry-run`: it takes minutes |
//! | `understood` | not run: it changes the machine, or needs one that is not here |
//! | `status=1` | ends with this status (several with commas), else 0 |

/// How the commands of a block are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Exact,
    Varies,
    Short,
    Plan,
    Understood,
}

/// One command of a page.
#[derive(Debug)]
pub struct Command {
    pub how: How,
    pub statuses: Vec<i32>,
    /// As the page has it, lines that go on included.
    pub text: String,
    /// What the page shows below it.
    pub output: Vec<String>,
    /// Lines of the page, from 0, that the output takes.
    pub lines: std::ops::Range<usize>,
}

/// The commands of a page, in order; an error names the line.
pub fn commands(page: &str) -> Result<Vec<Command>, String> {
    let mut found: Vec<Command> = Vec::new();
    let mut block: Option<(How, Vec<i32>)> = None;
    let mut fenced = false;
    let mut of_block = 0;
    let mut goes_on = false;
    let mut indent = 0;
    for (at, line) in page.lines().enumerate() {
        if let Some(words) = line.trim_start().strip_prefix("```") {
            fenced = !fenced;
            block = if fenced { head(words, at)? } else { None };
            indent = line.len() - line.trim_start().len();
            of_block = found.len();
            continue;
        }
        let line = line.get(indent..).unwrap_or_default();
        let Some((how, statuses)) = &block else {
            continue;
        };
        if goes_on {
            let command = found.last_mut().ok_or("no command")?;
            command.text.push('\n');
            command.text.push_str(line);
            command.lines = at + 1..at + 1;
        } else if let Some(text) = line.strip_prefix("$ ") {
            found.push(Command {
                how: *how,
                statuses: statuses.clone(),
                text: text.to_owned(),
                output: Vec::new(),
                lines: at + 1..at + 1,
            });
        } else if found.len() > of_block {
            let command = found.last_mut().ok_or("no command")?;
            command.output.push(line.to_owned());
            command.lines.end = at + 1;
        } else {
            return Err(format!("line {}: a console block begins with `$ `", at + 1));
        }
        goes_on = line.ends_with('\\') && (goes_on || line.starts_with("$ "));
    }
    Ok(found)
}

fn head(words: &str, at: usize) -> Result<Option<(How, Vec<i32>)>, String> {
    let mut words = words.split_whitespace();
    if words.next() != Some("console") {
        return Ok(None);
    }
    let mut how = How::Exact;
    let mut statuses = vec![0];
    for word in words {
        how = match (word, word.strip_prefix("status=")) {
            ("varies", _) => How::Varies,
            ("short", _) => How::Short,
            ("plan", _) => How::Plan,
            ("understood", _) => How::Understood,
            (_, Some(list)) => {
                let numbers = list.split(',').map(str::parse);
                statuses = numbers
                    .collect::<Result<Vec<i32>, std::num::ParseIntError>>()
                    .map_err(|e| e.to_string())?;
                how
            }
            _ => return Err(format!("line {}: no such word: {word}", at + 1)),
        };
    }
    Ok(Some((how, statuses)))
}

/// Whether a page shows what was printed; `...` stands for any lines, also none.
pub fn shows(shown: &[String], printed: &[&str]) -> bool {
    if printed.last().is_some_and(|line| line.trim().is_empty()) {
        return shows(shown, &printed[..printed.len() - 1]);
    }
    let Some((first, rest)) = shown.split_first() else {
        return printed.is_empty();
    };
    if first == "..." {
        return (0..=printed.len()).any(|skipped| shows(rest, &printed[skipped..]));
    }
    let Some((line, others)) = printed.split_first() else {
        return false;
    };
    first.trim_end() == line.trim_end() && shows(rest, others)
}

#[test]
fn a_page_is_read() {
    let page =
        "x\n```console status=0,77\n$ a \\\n    b\nout\n\n$ c\n```\n```console plan\n$ d\n```\n";
    let found = commands(page).unwrap();
    let texts: Vec<&str> = found.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(texts, ["a \\\n    b", "c", "d"]);
    assert_eq!(found[0].output, ["out", ""]);
    assert_eq!(found[0].lines, 4..6);
    assert_eq!(found[1].statuses, [0, 77]);
    assert_eq!((found[1].how, found[2].how), (How::Exact, How::Plan));
    assert!(commands("```console\nno command\n```\n").is_err());
    assert!(commands("```console exactly\n$ a\n```\n").is_err());
}

#[test]
fn three_points_stand_for_any_lines() {
    let shown = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(shows(&shown("a\n...\nc"), &["a", "b", "b", "c"]));
    assert!(shows(&shown("a\n...\nc"), &["a", "c"]));
    assert!(!shows(&shown("a\n...\nc"), &["a", "b"]));
    assert!(!shows(&shown("a"), &["a", "b"]));
}
