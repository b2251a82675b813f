//! The page: well-formed, escaped, self-contained, small, and complete.

mod synthetic;

use proptest::prelude::*;
use report::html;

/// Elements that have no end tag.
const VOID: [&str; 4] = ["meta", "br", "hr", "link"];

/// Checks that every tag is closed in order, and returns the start tags with
/// their attributes as written. Text of scripts and styles is not markup.
fn start_tags(page: &str) -> Result<Vec<String>, String> {
    let mut open: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').ok_or("a tag never ends")?;
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if tag.starts_with('!') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            let top = open.pop().ok_or(format!("</{name}> closes nothing"))?;
            if top != name {
                return Err(format!("</{name}> closes <{top}>"));
            }
            continue;
        }
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        found.push(tag.to_owned());
        if tag.ends_with('/') || VOID.contains(&name) {
            continue;
        }
        if name == "script" || name == "style" {
            let close = format!("</{name}>");
            let end = rest.find(&close).ok_or(format!("<{name}> never ends"))?;
            rest = &rest[end + close.len()..];
            continue;
        }
        open.push(name);
    }
    if open.is_empty() {
        Ok(found)
    } else {
        Err(format!("never closed: {open:?}"))
    }
}

#[test]
fn the_checker_itself_sees_faults() {
    assert!(start_tags("<p><b></b></p>").is_ok());
    assert!(start_tags("<p><b></p></b>").is_err());
    assert!(start_tags("<p>").is_err());
}

#[test]
fn each_state_of_a_claim_is_shown_as_its_own() {
    let page = html::render(&synthetic::run());
    assert!(
        page.contains("3 of 6 claims held, 1 unclear, 1 not tested."),
        "the sum"
    );
    for (badge, times) in [
        ("✓ held", 3),
        ("✗ broken", 1),
        ("≈ unclear", 1),
        ("? not tested", 1),
    ] {
        assert_eq!(page.matches(badge).count(), times, "{badge}");
    }
    assert_eq!(page.matches(" Broken: ").count(), 1, "the unclear is not");
}

#[test]
fn well_formed_and_self_contained() {
    for view in [synthetic::run(), synthetic::incomplete()] {
        let page = html::render(&view);
        let tags = start_tags(&page).unwrap();
        for tag in &tags {
            for forbidden in [" src=", " style=", " onclick", " onload", "link "] {
                assert!(!tag.contains(forbidden), "{tag}");
            }
            if let Some(at) = tag.find("href=\"") {
                assert!(tag[at..].starts_with("href=\"#"), "{tag}");
            }
        }
        assert!(tags.iter().any(|t| t.contains("Content-Security-Policy")));
    }
}

#[test]
fn anchors_lead_somewhere_and_are_unique() {
    let page = html::render(&synthetic::run());
    let tags = start_tags(&page).unwrap();
    let attribute = |name: &str| -> Vec<String> {
        let key = format!(" {name}=\"");
        tags.iter()
            .filter_map(|t| t.find(&key).map(|at| &t[at + key.len()..]))
            .filter_map(|v| v.split('"').next())
            .map(str::to_owned)
            .collect()
    };
    let mut ids = attribute("id");
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "an id is used twice");
    for target in attribute("href") {
        let id = target.trim_start_matches('#').to_owned();
        assert!(ids.contains(&id), "{target} leads nowhere");
    }
}

#[test]
fn under_two_megabytes_and_every_experiment_is_there() {
    let view = synthetic::run();
    let page = html::render(&view);
    assert!(page.len() < 2 << 20, "{} bytes", page.len());
    for table in &view.tables {
        assert!(
            page.contains(&format!("<code>{}</code>", table.head.id)),
            "{}",
            table.head.id
        );
    }
    // Few enough that none is left out.
    let rows = page.matches("<tr>").count();
    assert!(
        rows >= view.head.points.len(),
        "{rows} rows for {} points",
        view.head.points.len()
    );
}

#[test]
fn loud_about_what_is_wrong_with_a_run() {
    let page = html::render(&synthetic::incomplete());
    for said in [
        "incomplete: stopped by SIGINT",
        "emulated processor, QEMU TCG: times are meaningless outside this guest",
        "What it costs (emulated)",
        "measured under load heavy",
        "3.1 % of the time stolen by the host",
        "two modes: 70 % at",
    ] {
        assert!(page.contains(said), "{said}");
    }
    assert!(!html::render(&synthetic::run()).contains("role=\"alert\""));
}

#[test]
fn times_of_an_emulated_processor_are_called_that_in_every_figure() {
    let mut view = synthetic::run();
    view.head.machine.emulated = Some("QEMU TCG (by cpuid leaf 0x40000000)".to_owned());
    let figures = report::figure::all(&view);
    assert!(figures.len() > 3);
    for figure in &figures {
        assert!(figure.title.ends_with(" (emulated)"), "{}", figure.title);
        assert!(figure.y.label.ends_with(", emulated"), "{}", figure.y.label);
        assert!(
            figure
                .below
                .iter()
                .all(|p| p.y.label.ends_with(", emulated"))
        );
    }
    let text = report::terminal::render(&view, 100, false);
    for said in [
        "!! emulated processor, QEMU TCG (by cpuid",
        "Toll map (emulated)",
        "emulated: times are meaningless outside this guest",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    let real = synthetic::run();
    let text = report::terminal::render(&real, 100, false);
    assert!(!text.contains("emulated"), "{text}");
}

/// Puts `text` wherever a record carries words of another machine.
fn poisoned(text: &str) -> analysis::RunView {
    let mut view = synthetic::run();
    let own = || text.to_owned();
    view.head.machine.host = own();
    view.head.machine.cpu_model = own();
    view.head.machine.lines = vec![(own(), own())];
    view.head.machine.hypervisor = Some(own());
    view.head.conditions.notes = vec![own()];
    view.head.conditions.load = own();
    view.head.command_line = vec![own()];
    view.head.recipe.name = own();
    view.head.id = own();
    view.head.tool_version = own();
    view.head.started_utc = own();
    view.head.state = record::RunState::Incomplete { reason: own() };
    view.tables.truncate(9);
    for table in &mut view.tables {
        table.head.title = own();
        table.head.question = own();
        table.head.theory = format!("{text}\n\n{text}");
        for figure in &mut table.head.figures {
            figure.title = own();
            figure.reading = own();
        }
        for toll in &mut table.head.toll {
            toll.label = own();
        }
        for axis in &mut table.head.axes {
            axis.doc = own();
        }
        for point in &mut table.points {
            for setting in &mut point.head.settings {
                if let record::AxisValue::Word(word) = &mut setting.value {
                    *word = own();
                }
            }
            if let Some(c) = &mut point.contamination {
                c.reason = own();
            }
            if let record::PointState::Skipped { reason, remedy } = &mut point.head.state {
                *reason = own();
                *remedy = own();
            }
        }
    }
    for finding in &mut view.head.findings {
        finding.sentence = own();
        finding.key = own();
        finding.reference_source = Some(own());
    }
    for claim in &mut view.head.claims {
        claim.claim = own();
        claim.evidence = own();
    }
    view
}

fn tag_names(page: &str) -> Vec<String> {
    start_tags(page)
        .unwrap_or_else(|fault| panic!("{fault}"))
        .iter()
        .map(|t| t.split([' ', '/']).next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn hostile_words_stay_words() {
    let hostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&]]>-->";
    let harmless = tag_names(&html::render(&poisoned("plain")));
    let page = html::render(&poisoned(hostile));
    assert_eq!(tag_names(&page), harmless);
    assert!(!page.contains("<script>alert"));
    assert!(!page.contains("<img"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn no_text_changes_the_structure(text in "[<>\"'&/a-z `\u{0}-\u{1f}!=\\-]{1,24}") {
        // Backticks make code elements, which are counted apart.
        let text = text.replace('`', "'");
        let harmless = tag_names(&html::render(&poisoned("plain")));
        // Words that are only blanks, and paragraphs, change the layout.
        prop_assume!(!text.trim().is_empty() && !text.contains("\n\n"));
        prop_assert_eq!(tag_names(&html::render(&poisoned(&text))), harmless);
    }
}
