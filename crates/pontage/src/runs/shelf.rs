//! The runs in a folder, the newest first, and the words that mean one of them.

use super::baseline;
use crate::failure::Failure;
use catalogue::nearest;
use record::{BriefHead, ListedBrief, RecordError, brief};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The newest run, and the one before it.
const LATEST: &str = "latest";
const PREVIOUS: &str = "previous";
/// Of the newest run's machine, recipe and load.
pub const BASELINE: &str = "@baseline";
/// Before a name or a tag.
const AT: char = '@';

const MEASURE: &str = "measure one with: pontage run";
const LIST: &str = "list them with: pontage runs";

/// A run that can be read.
#[derive(Debug)]
pub struct Kept {
    pub folder: PathBuf,
    pub head: BriefHead,
}

impl Kept {
    /// The name of its folder, which is its id.
    pub fn id(&self) -> &str {
        self.folder
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or(&self.head.id)
    }
}

/// What lies in a folder of runs.
pub struct Shelf {
    pub parent: PathBuf,
    /// The newest first, by the time at which they began; of one second, by their ids.
    pub runs: Vec<Kept>,
    /// What cannot be read, and why.
    pub unreadable: Vec<(PathBuf, RecordError)>,
}

impl Shelf {
    /// Reads the beginning of every head in `parent`; a folder that is not there is empty.
    ///
    /// # Errors
    /// When it cannot be listed.
    pub fn read(parent: &Path) -> Result<Shelf, Failure> {
        let listed = match brief::list(parent) {
            Err(RecordError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                Vec::new()
            }
            listed => listed?,
        };
        let (mut runs, mut unreadable) = (Vec::new(), Vec::new());
        for ListedBrief { folder, head } in listed {
            match head {
                Ok(head) => runs.push(Kept { folder, head }),
                Err(cause) => unreadable.push((folder, cause)),
            }
        }
        runs.sort_by(|a, b| age(b).cmp(&age(a)));
        unreadable.sort_by(|a, b| b.0.cmp(&a.0));
        Ok(Shelf {
            parent: parent.to_owned(),
            runs,
            unreadable,
        })
    }

    /// The newest run.
    ///
    /// # Errors
    /// Where there is none.
    pub fn latest(&self) -> Result<&Kept, Failure> {
        let parent = self.parent.display();
        let Some(latest) = self.runs.first() else {
            return Err(
                Failure::new(format!("cannot find a run: nothing under {parent}/")).hint(MEASURE),
            );
        };
        // Names begin with the time.
        if let Some((_, cause)) = self
            .unreadable
            .iter()
            .find(|(folder, _)| *folder > latest.folder)
        {
            harness::message!("note: a newer run is left out: {cause}");
        }
        Ok(latest)
    }

    /// The run before the newest.
    ///
    /// # Errors
    /// Where there is none.
    pub fn previous(&self) -> Result<&Kept, Failure> {
        let latest = self.latest()?;
        self.runs.get(1).ok_or_else(|| {
            let parent = self.parent.display();
            let only = latest.id();
            Failure::new(format!(
                "cannot find a previous run: {parent}/ has only {only}"
            ))
            .hint(MEASURE)
        })
    }

    /// The baseline of the newest run; where that has none, the only one there is.
    ///
    /// # Errors
    /// Where there is none, or several.
    pub fn baseline(&self) -> Result<&Kept, Failure> {
        let latest = self.latest()?;
        if let Some(fitting) = self.baseline_of(&latest.head)? {
            return Ok(fitting);
        }
        match self.baselines()?.as_slice() {
            [one] => Ok(one),
            _ => Err(no_baseline(latest.id(), &latest.head)),
        }
    }

    /// The baseline of this name, id or part of an id.
    ///
    /// # Errors
    /// Where it means no run, or one that is no baseline.
    pub fn baseline_named(&self, name: &str) -> Result<&Kept, Failure> {
        let found = match self.labelled(name) {
            Some(found) => found,
            None => self.find(name)?,
        };
        if self.baselines()?.iter().any(|run| run.id() == found.id()) {
            return Ok(found);
        }
        let id = found.id();
        Err(Failure::new(format!(
            "cannot compare with baseline {name}: {id} is not marked as one"
        ))
        .hint(format!("pontage runs baseline {id}")))
    }

    /// The baseline that a run in this folder is compared with.
    ///
    /// # Errors
    /// As `baselines`.
    pub fn baseline_of(&self, head: &BriefHead) -> Result<Option<&Kept>, Failure> {
        let fitting = |run: &&Kept| baseline::fits(&run.head, head);
        Ok(self.baselines()?.into_iter().find(fitting))
    }

    /// All runs that are baselines.
    ///
    /// # Errors
    /// When it cannot be read which.
    pub fn baselines(&self) -> Result<Vec<&Kept>, Failure> {
        let marked = baseline::read(&self.parent)?;
        let is_marked = |run: &&Kept| marked.iter().any(|id| id == run.id());
        Ok(self.runs.iter().filter(is_marked).collect())
    }

    /// The run that a word means.
    ///
    /// # Errors
    /// A word that means none, or more than one.
    pub fn find(&self, word: &str) -> Result<&Kept, Failure> {
        match word {
            LATEST => return self.latest(),
            PREVIOUS => return self.previous(),
            BASELINE => return self.baseline(),
            _ => {}
        }
        match word.strip_prefix(AT) {
            Some(label) => self.labelled(label),
            None => self.by_id(word)?,
        }
        .ok_or_else(|| self.unknown(word))
    }

    /// By its name; else the newest with this tag.
    fn labelled(&self, label: &str) -> Option<&Kept> {
        let named = |run: &&Kept| run.head.labels.name.as_deref() == Some(label);
        let tagged = |run: &&Kept| run.head.labels.tags.iter().any(|tag| tag == label);
        let runs = || self.runs.iter();
        runs().find(named).or_else(|| runs().find(tagged))
    }

    /// By its id, or the beginning of it or the characters at its end that no other run has.
    fn by_id(&self, word: &str) -> Result<Option<&Kept>, Failure> {
        if let Some(exact) = self.runs.iter().find(|run| run.id() == word) {
            return Ok(Some(exact));
        }
        let begins = |run: &&Kept| !word.is_empty() && run.id().starts_with(word);
        let ends = |run: &&Kept| {
            run.id()
                .rsplit_once('-')
                .is_some_and(|(_, end)| end == word)
        };
        let mut found: Vec<&Kept> = self.runs.iter().filter(begins).collect();
        if found.is_empty() {
            found.extend(self.runs.iter().filter(ends));
        }
        match found.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            [first, second, ..] => Err(Failure::new(format!(
                "cannot choose a run by {word}: {} runs begin or end with it, {} and {} among them",
                found.len(),
                first.id(),
                second.id(),
            ))
            .hint("type more of the id")),
        }
    }

    fn unknown(&self, word: &str) -> Failure {
        if let Some((_, cause)) = self
            .unreadable
            .iter()
            .find(|(folder, _)| folder.ends_with(word))
        {
            return Failure::new(cause).hinted(cause.hint());
        }
        let words = self.words();
        let near = nearest::nearest(word, words.iter().map(String::as_str));
        let parent = self.parent.display();
        let what = match word.starts_with(AT) {
            true => "no run has this name or tag",
            false => "there is no such folder, and no run has this id",
        };
        let hint = if self.runs.is_empty() { MEASURE } else { LIST };
        Failure::new(format!(
            "cannot find run {word}: {what} under {parent}/{}",
            nearest::hint(&near)
        ))
        .hint(hint)
    }

    /// All words that mean a run: `latest`, names, tags, ids.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut add = |word: String| {
            if !words.contains(&word) {
                words.push(word);
            }
        };
        if !self.runs.is_empty() {
            add(LATEST.to_owned());
        }
        if self.runs.len() > 1 {
            add(PREVIOUS.to_owned());
        }
        if self.baselines().is_ok_and(|marked| !marked.is_empty()) {
            add(BASELINE.to_owned());
        }
        let labels = || self.runs.iter().map(|run| &run.head.labels);
        for name in labels().filter_map(|labels| labels.name.as_ref()) {
            add(format!("{AT}{name}"));
        }
        for tag in labels().flat_map(|labels| &labels.tags) {
            add(format!("{AT}{tag}"));
        }
        for run in &self.runs {
            add(run.id().to_owned());
        }
        words
    }
}

fn age(run: &Kept) -> (&str, &str) {
    (&run.head.started_utc, run.id())
}

/// Why there is nothing to compare the run `id` with.
pub fn no_baseline(id: &str, head: &BriefHead) -> Failure {
    Failure::new(format!(
        "cannot find a baseline for run {id}: none is marked for recipe {} on {} under load {}",
        head.recipe.name, head.machine.host, head.load
    ))
    .hint("mark one with: pontage runs baseline RUN")
}
