//! `--load both`: the same plan without load and under it, then side by side.

use super::flags::{self, Load};
use super::held;
use super::start::Surroundings;
use super::{Ended, close, fresh, label, stop_flag};
use crate::failure::{Failure, NOTHING_RUNS, Outcome, USAGE};
use crate::flags::TableFormat;
use crate::report::under_load;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Measures twice and shows the two side by side. What was measured until an
/// interruption is kept, and how to go on is said.
///
/// # Errors
/// As `fresh`, of either half.
pub fn run(arguments: &flags::Run) -> Outcome {
    let format = under_load::readable(arguments.format)?;
    let stop = stop_flag()?;
    if arguments.dry_run {
        return fresh(arguments, &stop, close::show_path)?.outcome;
    }
    for load in [Load::Light, Load::Heavy] {
        label::of(&of_half(arguments, load))?;
    }
    // A minute without load would be for nothing.
    if let Err(refused) = Surroundings::read(arguments)?.can_load(held::load(Load::Both)) {
        return refused.outcome();
    }
    harness::message!("first of two runs: without load");
    let light = half(arguments, Load::Light, &stop)?;
    let Some(light_folder) = light.folder else {
        return light.outcome;
    };
    let light_status = light
        .outcome
        .and_then(|status| stopped(status, &stop))
        .map_err(|failure| then(failure, &first_ended(&light_folder)))?;
    if light_status == NOTHING_RUNS {
        return Ok(light_status);
    }
    harness::message!("second of two runs: under load");
    let heavy = half(arguments, Load::Heavy, &stop)?;
    let Some(heavy_folder) = heavy.folder else {
        return heavy.outcome;
    };
    let heavy_status = heavy
        .outcome
        .map_err(|failure| then(failure, &side_by_side(&light_folder, &heavy_folder)))?;
    let shown = under_load::show_measured(&light_folder, &heavy_folder, format)?;
    let failed = [light_status, heavy_status].contains(&USAGE);
    Ok(if failed { USAGE } else { shown })
}

fn half(arguments: &flags::Run, load: Load, stop: &AtomicBool) -> Result<Ended, Failure> {
    let show = match arguments.format {
        TableFormat::Text => close::show_path,
        _ => close::page_written,
    };
    fresh(&of_half(arguments, load), stop, show)
}

/// Two runs cannot have one name: each has its load behind it.
fn of_half(arguments: &flags::Run, load: Load) -> flags::Run {
    let mut half = flags::Run {
        load,
        ..arguments.clone()
    };
    if let Some(name) = &mut half.labels.name {
        *name = format!("{name}-{}", held::load(load).name());
    }
    half
}

fn stopped(status: u8, stop: &AtomicBool) -> Outcome {
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::new("interrupted before the run under load"));
    }
    Ok(status)
}

/// The failure with what to do after what its hint says.
fn then(failure: Failure, next: &str) -> Failure {
    let hint = match &failure.hint {
        Some(first) => format!("{first}\nhint: then {next}"),
        None => next.to_owned(),
    };
    failure.hint(hint)
}

fn first_ended(light: &Path) -> String {
    format!(
        "measure under load with: {}\nhint: then show both with: pontage report {} --under-load HEAVY",
        command_under_load(crate::command_line::typed().into_iter().skip(1)),
        light.display()
    )
}

fn side_by_side(light: &Path, heavy: &Path) -> String {
    let (light, heavy) = (light.display(), heavy.display());
    format!("show both with: pontage report {light} --under-load {heavy}")
}

/// The command line that was typed, for its second half.
fn command_under_load(words: impl Iterator<Item = String>) -> String {
    let words = words.map(|word| match word.as_str() {
        "both" => "heavy".to_owned(),
        "--load=both" => "--load=heavy".to_owned(),
        _ => quoted(word),
    });
    let all: Vec<String> = std::iter::once("pontage".to_owned()).chain(words).collect();
    all.join(" ")
}

/// As a shell takes it for one word.
fn quoted(word: String) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word;
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::{Load, command_under_load, flags, of_half};

    #[test]
    fn each_half_has_a_name_of_its_own() {
        let mut both = flags::Run::default();
        assert_eq!(of_half(&both, Load::Light).labels.name, None);
        both.labels.name = Some("a".to_owned());
        let name = |load| of_half(&both, load).labels.name.unwrap();
        assert_eq!(
            [name(Load::Light), name(Load::Heavy)],
            ["a-light", "a-heavy"]
        );
    }

    #[test]
    fn the_second_half_is_what_was_typed_under_load() {
        let typed = ["run", "mem/*", "--load", "both", "--axis", "size=64..1MiB"];
        assert_eq!(
            command_under_load(typed.map(str::to_owned).into_iter()),
            "pontage run 'mem/*' --load heavy --axis size=64..1MiB"
        );
        let typed = ["run", "--load=both", "it's.toml"];
        assert_eq!(
            command_under_load(typed.map(str::to_owned).into_iter()),
            "pontage run --load=heavy 'it'\\''s.toml'"
        );
    }
}
