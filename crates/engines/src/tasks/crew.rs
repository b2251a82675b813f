//! The tasks of a block: started together, so that their programs are built at the
//! same time, and shared by its points.

use super::kinds::{WorkKind, found};
use super::task::{Seat, Task};
use harness::{Context, Point, SetupError};
use std::time::Duration;

/// Tasks by the number they got.
#[derive(Debug)]
pub struct Crew {
    pub tasks: Vec<Task>,
    /// Longest that a command may run.
    deadline: Duration,
    /// The word that each was asked for by.
    words: Vec<String>,
}

impl Crew {
    /// No task yet; commands have the deadline of the point.
    #[must_use]
    pub fn of(point: &Point) -> Crew {
        Crew {
            tasks: Vec::new(),
            deadline: Duration::from_nanos(point.size("deadline") as u64),
            words: Vec::new(),
        }
    }

    /// The task of this kind on this seat, started where there is none yet.
    ///
    /// # Errors
    /// `Skip` for a kind that does not exist, or where no process can be had.
    pub fn member(
        &mut self,
        word: &str,
        seat: Seat,
        context: &Context,
    ) -> Result<usize, SetupError> {
        let mut known = self.words.iter().zip(&self.tasks);
        if let Some(at) = known.position(|(known, task)| known == word && task.seat == seat) {
            return Ok(at);
        }
        let mut kind = found(word)?;
        if kind.is_command() {
            kind.deadline = self.deadline;
        }
        self.tasks.push(Task::start(&kind, seat, context)?);
        self.words.push(word.to_owned());
        Ok(self.words.len() - 1)
    }

    /// Waits until its program is built; what it says of itself.
    ///
    /// # Errors
    /// `Skip` where the machine lacks what the program needs.
    pub fn ready(&mut self, at: usize) -> Result<String, SetupError> {
        let asked = self.tasks[at].said.is_some();
        let ready = self.tasks[at].ready();
        // What one could not have, the others need not try.
        if !asked && ready.is_ok() && self.unwatched().is_none() {
            self.tasks[at].watch();
        }
        ready
    }

    /// Why the occupancy of the tasks is unknown, where the machine could measure it.
    pub fn unwatched(&self) -> Option<String> {
        let mut notes = self.tasks.iter().filter_map(|t| t.watched.note());
        notes.next().map(str::to_owned)
    }

    /// What the task in this place does.
    pub fn kind(&self, at: usize) -> &WorkKind {
        &self.tasks[at].kind
    }
}
