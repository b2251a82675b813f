//! What was measured goes into the record, point by point.

use harness::Sink;
use record::{PointHead, RunWriter, Sample};
use std::error::Error;

pub struct Recording<'a> {
    pub writer: &'a mut RunWriter,
    /// Under a hypervisor, with neighbours.
    pub guest: bool,
}

impl Sink for Recording<'_> {
    fn point(
        &mut self,
        _process: u16,
        head: &PointHead,
        samples: &[Sample],
        notes: &[String],
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let mut head = head.clone();
        let new = notes.iter().filter(|n| !head.notes.contains(n));
        let new: Vec<String> = new.cloned().collect();
        head.notes.extend(new);
        self.writer.append_point(&head, samples)?;
        Ok(())
    }

    fn doubt(&self, _head: &PointHead, samples: &[Sample]) -> Option<String> {
        analysis::doubt(samples, self.guest)
    }
}
