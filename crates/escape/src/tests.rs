use super::*;
use proptest::prelude::*;

/// What clears a screen, sets a title, answers a query, or reverses a name.
const ATTACKS: [&str; 9] = [
    "\x1b[2J\x1b[H",
    "\x1b]0;owned\x07",
    "\x1b[6n",
    "\u{9b}31m",
    "\u{90}q\u{9c}",
    "a\nroot-1 [000] 1.0: sched_switch: forged",
    "a\r\x1b[Kok",
    "safe\u{202e}live\u{2066}",
    "\u{7f}\u{8}\u{8}",
];

#[test]
fn a_field_is_one_harmless_line_of_the_same_width() {
    assert_eq!(terminal("kworker/0:1"), "kworker/0:1");
    assert_eq!(terminal("größe 大"), "größe 大");
    assert_eq!(terminal("a\nb\tc"), "a b c");
    assert_eq!(terminal("\x1b[2Jx"), "?[2Jx");
    assert_eq!(terminal("a\u{202e}b"), "a?b");
    for attack in ATTACKS {
        let clean = terminal(attack);
        assert_eq!(clean.chars().count(), attack.chars().count());
        assert!(!clean.chars().any(|c| c.is_control() || is_deceptive(c)));
    }
}

#[test]
fn a_message_keeps_its_lines_and_no_colour() {
    assert_eq!(lines("a\nb\u{1b}[8mc\rd\u{202e}"), "a\nb?[8mc d?");
}

#[test]
fn a_screen_keeps_lines_and_colours_and_nothing_else() {
    let ours = "\x1b[31;1mred\x1b[0m\n\tindented\r";
    assert_eq!(screen(ours), ours);
    assert_eq!(screen("\x1b[2J"), "?[2J");
    assert_eq!(screen("\x1b[1"), "?[1");
    assert_eq!(screen("\x1b[31;1Hx"), "?[31;1Hx");
    assert_eq!(screen("\u{9b}31mx"), "?31mx");
    assert_eq!(screen("a\u{202e}b\x1b[1mc"), "a?b\x1b[1mc");
}

#[test]
fn what_is_to_be_judged_is_shown_to_the_last_character() {
    assert_eq!(
        spelled("\u{1b}[2Jtouch 'a' \"b\"\r\u{202e}\u{9b}é\u{e0041}"),
        "\\u{1b}[2Jtouch 'a' \"b\"\\r\\u{202e}\\u{9b}é\\u{e0041}"
    );
    assert_eq!(spelled("true # \nrm"), "true # \\nrm");
    assert_eq!(spelled("true # \\nrm"), "true # \\\\nrm");
}

#[test]
fn a_formula_is_text_and_a_number_a_number() {
    for formula in [
        "=cmd|' /C calc'!A0",
        "+1+2",
        "-2+3",
        "@SUM(A1)",
        " =1+1",
        "\t=1",
    ] {
        assert!(csv(formula).starts_with('\''), "{formula:?}");
    }
    for plain in ["-1.5", "+3", "64 KiB", "a=b", "", "1e-9", "-inf"] {
        assert_eq!(csv(plain), plain);
    }
    assert_eq!(csv("a\r\nb"), "a  b");
}

#[test]
fn a_label_cannot_end_itself() {
    assert_eq!(metric("a\"b\\c\nd"), "a\\\"b\\\\c d");
    assert_eq!(metric("\"} 1\nforged 2"), "\\\"} 1 forged 2");
}

#[test]
fn a_page_and_a_picture_hold_what_they_can() {
    assert_eq!(page("two\nlines\u{202e}"), "two\nlines?");
    assert_eq!(xml("\u{0}\u{fffe}\nb"), "?? b");
}

proptest! {
    #[test]
    fn no_control_leaves_any_of_them(text in any::<String>()) {
        let bad = |c: char| c.is_control() || is_deceptive(c);
        prop_assert!(!terminal(&text).chars().any(bad));
        prop_assert!(!csv(&text).chars().any(bad));
        prop_assert!(!metric(&text).chars().any(bad));
        prop_assert!(!xml(&text).chars().any(bad));
        prop_assert!(!page(&text).chars().any(|c| bad(c) && c != '\n' && c != '\t'));
    }

    #[test]
    fn a_screen_holds_no_sequence_but_colours(text in "[\\x1b\\[;0-9mHJ\\n a\u{9b}]{0,40}") {
        let out = screen(&text);
        let mut rest: &str = &out;
        while let Some(at) = rest.find('\x1b') {
            let length = sgr_length(&rest[at..]);
            prop_assert!(length.is_some(), "{out:?}");
            rest = &rest[at + length.unwrap_or(1)..];
        }
        let c1 = out.contains('\u{9b}');
        prop_assert!(!c1);
    }

    #[test]
    fn cleaning_twice_changes_nothing(text in any::<String>()) {
        let once = screen(&text).into_owned();
        prop_assert_eq!(screen(&once).into_owned(), once.clone());
        let once = terminal(&text).into_owned();
        prop_assert_eq!(terminal(&once).into_owned(), once.clone());
    }
}
