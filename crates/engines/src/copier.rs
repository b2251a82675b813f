//! Copies of one kind, block after block: in place, or walking through more memory
//! than any cache holds.

mod ways;

use harness::{Context, Fault, SetupError};
use ways::Way;
use workload::{Workload, WrongResult};

/// Words of a method, in the order of figures: copies by the program, by the kernel,
/// and by a DMA engine.
pub const METHODS: &[&str] = &[
    "libc",
    "movsb",
    "sse2",
    "avx2",
    "avx512",
    "neon",
    "nt",
    "prefetch",
    "from_user",
    "to_user",
    "both",
    "read_file",
    "process_vm",
    "dma_from_user",
    "dma_to_user",
    "dma_both",
];

/// What to copy, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// One of [`METHODS`].
    pub method: String,
    pub block_bytes: usize,
    /// Each block next to the one before, through so many bytes; 0: the same block
    /// again and again.
    pub walk_bytes: usize,
    /// Bytes of a unit of work; a block at least.
    pub unit_bytes: u64,
}

/// The copies that are wanted.
pub struct Copier {
    way: Box<dyn Way>,
    block: usize,
    span: usize,
    at: usize,
    blocks_per_unit: u64,
    last: Option<usize>,
    wrong: Option<Fault>,
}

impl Copier {
    /// # Errors
    /// `Skip` where the method does not exist here.
    pub fn new(wanted: &Wanted, context: &Context) -> Result<Copier, SetupError> {
        let block = wanted.block_bytes;
        if block == 0 {
            return Err(SetupError::skip(
                "a block of 0 B copies nothing",
                "use a size of at least 1 B: --size 64KiB, or --axis block=64KiB",
            ));
        }
        let span = ways::most_bytes(&wanted.method).min(wanted.walk_bytes);
        let span = span.max(block);
        Ok(Copier {
            way: ways::find(&wanted.method, span, context)?,
            block,
            span,
            at: 0,
            blocks_per_unit: wanted.unit_bytes.div_ceil(block as u64).max(1),
            last: None,
            wrong: None,
        })
    }

    /// What copies, and from where.
    pub fn note(&self) -> String {
        self.way.note()
    }

    fn step(&mut self) {
        if self.at + self.block > self.span {
            self.at = 0;
        }
        if let Err(why) = self.way.copy(self.at, self.block) {
            self.wrong.get_or_insert(why);
        }
        self.last = Some(self.at);
        self.at += self.block;
    }
}

impl Workload for Copier {
    fn run(&mut self, units: u64) {
        for _ in 0..units * self.blocks_per_unit {
            self.step();
        }
    }

    fn verify(&self) -> Result<(), WrongResult> {
        if let Some(why) = &self.wrong {
            return Err(WrongResult::new(why.to_string()));
        }
        match self.last {
            Some(at) => {
                let checked = self.way.check(at, self.block);
                checked.map_err(|fault| WrongResult::new(fault.to_string()))
            }
            None => Ok(()),
        }
    }

    fn working_set_bytes(&self) -> u64 {
        2 * self.span as u64
    }
}

#[cfg(test)]
mod tests {
    use super::{Copier, METHODS, Wanted};
    use harness::SetupError;
    use testbed::context;
    use workload::Workload;

    #[test]
    fn a_block_of_nothing_is_noted() {
        let (context, _keep) = context();
        let wanted = Wanted {
            method: "libc".to_owned(),
            block_bytes: 0,
            walk_bytes: 0,
            unit_bytes: 4096,
        };
        let Err(SetupError::Skip { reason, .. }) = Copier::new(&wanted, &context) else {
            panic!("it copies");
        };
        assert_eq!(reason, "a block of 0 B copies nothing");
    }

    #[test]
    fn every_method_copies_or_says_what_it_lacks() {
        let (context, _keep) = context();
        const WALK: usize = 200_000;
        for method in METHODS {
            for (block, walk_bytes) in [(16, 0), (4096, WALK), (16064, WALK), (1124, 0)] {
                let wanted = Wanted {
                    method: (*method).to_owned(),
                    block_bytes: block,
                    walk_bytes,
                    unit_bytes: 40_000,
                };
                let mut copier = match Copier::new(&wanted, &context) {
                    Ok(copier) => copier,
                    Err(SetupError::Skip { reason, remedy }) => {
                        assert!(!reason.is_empty() && !remedy.is_empty(), "{method}");
                        continue;
                    }
                    Err(SetupError::Fail(why)) => panic!("{method}: {why}"),
                };
                copier.run(2);
                let verified = copier.verify();
                assert_eq!(verified, Ok(()), "{method} {block} {walk_bytes}");
                assert!(!copier.note().is_empty());
            }
        }
    }
}
