//! What stands behind `--a` and `--b`: names of kinds, and commands.

use crate::failure::{Failure, Outcome};
use crate::flags::Format;
use crate::output;
use crate::study::words;
use catalogue::nearest;
use catalogue::recipe::{AxisText, COMMAND};
use engines::tasks::kinds::{all, find, heads};
use record::KindHead;
use report::document::{Document, Text};

/// Values of an axis of kinds; commands come last, where an axis has them.
///
/// # Errors
/// A name that is no kind and no command.
pub fn values(flag: &str, texts: &[String]) -> Result<AxisText, Failure> {
    let (mut kinds, mut commands) = (Vec::new(), Vec::new());
    for piece in texts.iter().flat_map(|text| pieces(text)) {
        let value = value(flag, piece)?;
        match value.starts_with(COMMAND) {
            true => commands.push(value),
            false => kinds.push(value),
        }
    }
    kinds.extend(commands);
    Ok(words(kinds))
}

/// Between commas; behind `cmd:` a comma belongs to the command.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text.trim();
    while let Some((piece, behind)) = rest.split_once(',').filter(|_| !rest.starts_with(COMMAND)) {
        pieces.push(piece.trim());
        rest = behind.trim();
    }
    pieces.push(rest);
    pieces
}

fn value(flag: &str, piece: &str) -> Result<String, Failure> {
    if find(piece).is_some() {
        return Ok(piece.to_owned());
    }
    let line = piece.strip_prefix(COMMAND).unwrap_or(piece).trim();
    if line.is_empty() {
        return Err(Failure::new(format!(
            "cannot read --{flag} {piece:?}: it names no workload"
        ))
        .hint("pontage colocate --list shows them all"));
    }
    let near = nearest::nearest(piece, all().iter().map(|kind| kind.name));
    let spelt_out = piece.contains(|c: char| c.is_whitespace() || c == '/');
    if spelt_out || near.is_empty() && is_program(piece) {
        return Ok(format!("{COMMAND}{line}"));
    }
    Err(Failure::new(format!(
        "cannot find workload {piece}: no such name{}",
        nearest::hint(&near)
    ))
    .hint(format!(
        "pontage colocate --list shows them all; for a command of that name: --{flag} \
         {COMMAND}{piece}"
    )))
}

/// Whether the shell would find it.
fn is_program(word: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(word).is_file())
}

/// `pontage colocate --list`.
///
/// # Errors
/// When standard output cannot be written.
pub fn list(format: Format) -> Outcome {
    let heads = heads();
    output::study(format, || table(&heads), || &heads)
}

fn table(heads: &[KindHead]) -> Document {
    let quoted = |head: &KindHead| {
        let rate = head.rate.clone();
        rate.unwrap_or_else(|| format!("s/{}", head.operation))
    };
    let longest = |of: &dyn Fn(&KindHead) -> usize| heads.iter().map(of).max().unwrap_or(0);
    let name = longest(&|head| head.word.len());
    let widest = longest(&|head| quoted(head).len());
    let mut document = Document::from(Text::line("Workloads, and the unit of their speed"));
    document.extend(heads.iter().map(|head| {
        let text = Text::new(head.doc.as_str()).label(2, head.word.as_str(), name + 2);
        text.label(0, quoted(head), widest + 2)
    }));
    document
}

#[cfg(test)]
mod tests {
    use super::values;

    fn text(texts: &[&str]) -> Result<String, String> {
        let texts: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
        let found = values("a", &texts).map_err(|failure| failure.to_string());
        found.map(|values| values.text())
    }

    #[test]
    fn names_and_commands_are_separated() {
        let good = |texts: &[&str]| text(texts).unwrap();
        assert_eq!(good(&["image, msync"]), "image,msync");
        assert_eq!(good(&["image", "alu"]), "image,alu");
        assert_eq!(good(&["make -j2"]), "cmd:make -j2");
        assert_eq!(good(&["/bin/true"]), "cmd:/bin/true");
        assert_eq!(good(&["make -j2,image"]), "image,cmd:make -j2");
        assert_eq!(
            good(&["image,cmd:sort -t, -k2 x"]),
            "image,cmd:sort -t, -k2 x"
        );
    }

    #[test]
    fn a_mistyped_name_is_no_command() {
        let wrong = |texts: &[&str]| text(texts).unwrap_err();
        let message = wrong(&["memcopy"]);
        assert!(message.contains("did you mean memcpy"), "{message}");
        assert!(message.contains("--a cmd:memcopy"), "{message}");
        assert!(wrong(&["image,"]).contains("names no workload"));
        assert!(wrong(&["cmd: "]).contains("names no workload"));
        assert!(wrong(&["xyzzyplugh"]).contains("no such name"));
    }
}
