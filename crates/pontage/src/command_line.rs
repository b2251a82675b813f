//! The command line as records keep it. Arguments are bytes; records are text.

use std::ffi::OsStr;

/// What was typed, word by word. Bytes that are no UTF-8 stand as U+FFFD; `note` says so.
pub fn typed() -> Vec<String> {
    std::env::args_os().map(|word| lossy(&word)).collect()
}

/// What a reader of the record should know of its command line.
pub fn note() -> Option<String> {
    note_on(std::env::args_os())
}

fn lossy(word: &OsStr) -> String {
    word.to_string_lossy().into_owned()
}

fn note_on(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Option<String> {
    let spoilt = words
        .into_iter()
        .filter(|word| word.as_ref().to_str().is_none())
        .count();
    (spoilt > 0).then(|| {
        format!(
            "the command line is not stored as typed: {spoilt} of its words are not UTF-8; bad \
             bytes are stored as \u{fffd}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{lossy, note_on};
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn bytes_that_are_no_text_are_replaced_and_that_is_said() {
        let words = [OsStr::new("run"), OsStr::from_bytes(b"--out=\xff")];
        assert_eq!(lossy(words[1]), "--out=\u{fffd}");
        assert!(note_on(words).unwrap().contains("1 of its words"));
        assert_eq!(note_on(&words[..1]), None);
    }
}
