//! What a measuring process has around its batches: counters, or marks.

use super::{Count, Counted, CounterPlan, Counters, Marks};

/// As the plan has it.
pub enum Opened {
    Events(Box<Counters>),
    Marks(Marks),
}

impl Opened {
    /// Opens it for the calling thread; what is not as planned.
    pub fn open(plan: &CounterPlan) -> (Self, Vec<String>) {
        if plan.marks {
            let (marks, notes) = Marks::open();
            return (Opened::Marks(marks), notes);
        }
        let (counters, notes) = Counters::open(plan);
        (Opened::Events(Box::new(counters)), notes)
    }

    /// Takes the members of the next block, each by its point's index in the plan and
    /// the threads to count with it; notes for each.
    pub fn attach(&mut self, members: &[(u32, Vec<u32>)]) -> Vec<Vec<String>> {
        match self {
            Opened::Events(counters) => {
                let members = members.iter().enumerate();
                members
                    .map(|(at, (_, threads))| counters.attach(at, threads))
                    .collect()
            }
            Opened::Marks(marks) => {
                marks.attach(members.iter().map(|(index, _)| *index));
                vec![Vec::new(); members.len()]
            }
        }
    }

    /// The block is over.
    pub fn detach(&mut self) {
        if let Opened::Events(counters) = self {
            counters.detach();
        }
    }

    fn inner(&mut self) -> &mut dyn Count {
        match self {
            Opened::Events(counters) => &mut **counters,
            Opened::Marks(marks) => marks,
        }
    }
}

impl Count for Opened {
    fn sampling_begins(&mut self) {
        self.inner().sampling_begins();
    }

    fn before(&mut self, member: usize, part: u16) {
        self.inner().before(member, part);
    }

    fn stop(&mut self, member: usize, part: u16) {
        self.inner().stop(member, part);
    }

    fn counted(&mut self, ops: u64) -> Counted {
        self.inner().counted(ops)
    }
}
