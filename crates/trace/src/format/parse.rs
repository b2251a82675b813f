//! The text of a `format` file.

use super::EventFormat;
use super::field::Field;
use crate::error::{Result, TraceError};

/// A whole file of `events/SYSTEM/NAME/format`.
pub fn event(system: &str, text: &str) -> Result<EventFormat> {
    let name = line(text, "name:").unwrap_or_default().trim();
    let malformed =
        |cause: String| TraceError::malformed(format!("format of {system}:{name}"), cause);
    if name.is_empty() {
        return Err(malformed("it has no line \"name:\"".to_owned()));
    }
    let id = line(text, "ID:").unwrap_or_default().trim();
    let id = id
        .parse()
        .map_err(|_| malformed(format!("its ID {id:?} is not a number below 65536")))?;
    let (mut common, mut fields) = (Vec::new(), Vec::new());
    for (line, rest) in Field::lines(text) {
        let field = Field::parse(rest)
            .ok_or_else(|| malformed(format!("cannot understand the line {:?}", line.trim())))?;
        match field.name.starts_with("common_") {
            true => common.push(field),
            false => fields.push(field),
        }
    }
    // Written as eight addresses, and as many as its size says are in the event.
    if (system, name) == ("ftrace", "kernel_stack")
        && let Some(callers) = fields.iter_mut().find(|field| field.name == "caller")
    {
        callers.size = 0;
    }
    let print = text.split_once("print fmt:").map_or("", |(_, print)| print);
    Ok(EventFormat {
        id,
        system: system.to_owned(),
        name: name.to_owned(),
        common,
        fields,
        print: print.trim().to_owned(),
    })
}

fn line<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.lines().find_map(|l| l.strip_prefix(prefix))
}

#[cfg(test)]
mod tests {
    use super::event;
    use crate::format::{FieldKind, Place};
    use proptest::prelude::*;

    const SWITCH: &str = "\
name: sched_switch
ID: 372
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;
\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;
\tfield:__data_loc char[] filename;\toffset:40;\tsize:4;\tsigned:0;
\tfield:__rel_loc u32[] list;\toffset:44;\tsize:4;\tsigned:0;

print fmt: \"prev_comm=%s\", REC->prev_comm
";

    #[test]
    fn names_offsets_and_kinds_are_the_kernels() {
        let format = event("sched", SWITCH).unwrap();
        assert_eq!((format.id, format.name.as_str()), (372, "sched_switch"));
        assert_eq!(format.common.len(), 2);
        let kinds: Vec<(&str, FieldKind, Place)> = format
            .fields
            .iter()
            .map(|f| (f.name.as_str(), f.kind, f.place))
            .collect();
        assert_eq!(
            kinds,
            [
                ("prev_comm", FieldKind::Text, Place::Fixed),
                ("prev_state", FieldKind::Number, Place::Fixed),
                ("filename", FieldKind::Text, Place::Dynamic),
                ("list", FieldKind::Array { item_bytes: 4 }, Place::Relative),
            ]
        );
        assert_eq!(format.print, "\"prev_comm=%s\", REC->prev_comm");
    }

    #[test]
    fn what_is_missing_is_refused() {
        for (text, part) in [
            ("", "no line \"name:\""),
            ("name: a\n", "is not a number"),
            ("name: a\nID: 70000\n", "is not a number"),
            (
                "name: a\nID: 1\n\tfield:int x;\toffset:y;\n",
                "cannot understand the line",
            ),
        ] {
            let error = event("s", text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(name: [a-z]*\n|ID: [0-9]{1,6}\n|\tfield:.{0,60};\toffset:[0-9]{1,3};\tsize:[0-9]{1,3};\tsigned:[01];\n|.{0,20}\n){0,8}") {
            let _ = event("any", &text);
        }
    }
}
