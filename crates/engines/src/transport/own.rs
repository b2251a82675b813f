//! Memory of an end's own, for calls that cannot take a message from where the
//! caller has it. The end works as a program does that builds its messages in
//! their place and uses them where they arrive: what is sent is written into its
//! place only where it has changed, and what has arrived is copied out only where
//! its contents are checked.

use super::end::Wait;
use super::fds::done;
use crate::memory::buffer::Buffer;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether both ends, in one thread, move a message that has changed. With a
/// partner the control block says that contents are looked at.
#[derive(Debug, Clone, Default)]
pub struct News(Arc<AtomicBool>);

/// A place for the message to send and one for what arrives, each behind a head.
/// Made, and so touched, in the task that uses it; a fork does not copy it.
#[derive(Debug)]
pub struct Own {
    out: Buffer,
    into: Buffer,
    head_bytes: usize,
    message_bytes: usize,
    /// The message has changed since it was written into its place.
    stale: bool,
    news: News,
}

impl Own {
    /// # Errors
    /// What mmap or madvise says.
    pub fn with(head_bytes: usize, message_bytes: usize, news: News) -> io::Result<Own> {
        let place = || {
            let mut place = Buffer::touched(head_bytes + message_bytes)?;
            // The kernel may have these pages pinned: they must stay this task's
            // when it forks, not become a copy.
            // SAFETY: the whole of a private mapping of our own.
            let advised = unsafe {
                libc::madvise(
                    place.as_mut_ptr().cast(),
                    place.bytes(),
                    libc::MADV_DONTFORK,
                )
            };
            done(advised).map(|_| place)
        };
        Ok(Own {
            out: place()?,
            into: place()?,
            head_bytes,
            message_bytes,
            stale: true,
            news,
        })
    }

    /// The caller has written into its message.
    pub fn changed(&mut self) {
        self.stale = true;
    }

    /// The place to send from, its head first. The message is in it.
    #[inline]
    pub fn outgoing(&mut self) -> &mut [u8] {
        self.out.as_mut_slice()
    }

    /// The place to receive into, its head first.
    #[inline]
    pub fn incoming(&mut self) -> &mut [u8] {
        self.into.as_mut_slice()
    }

    /// Writes the message into its place where it has changed. `rest` is the
    /// message or what is left of it; returns where that begins, behind the head.
    #[inline]
    pub fn put(&mut self, rest: &[u8]) -> usize {
        let done = self.message_bytes.saturating_sub(rest.len());
        if done == 0 {
            self.news.0.store(self.stale, Ordering::Relaxed);
            if std::mem::take(&mut self.stale) {
                self.out.as_mut_slice()[self.head_bytes..][..rest.len()].copy_from_slice(rest);
            }
        }
        self.head_bytes + done
    }

    /// Copies what has arrived to `into`, if it is looked at.
    #[inline]
    pub fn show(&self, into: &mut [u8], wait: Wait<'_>) {
        let looked_at = match wait {
            Wait::Never => self.news.0.load(Ordering::Relaxed),
            Wait::Asleep(control) | Wait::Awake(control) => control.checking.is_set(),
        };
        if looked_at {
            let bytes = into.len();
            into.copy_from_slice(&self.into.as_slice()[self.head_bytes..][..bytes]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{News, Own};
    use crate::transport::Wait;
    use crate::transport::control::ControlBlock;

    #[test]
    fn a_message_is_written_once_until_it_changes() {
        let mut own = Own::with(8, 4, News::default()).unwrap();
        assert_eq!(own.put(&[1, 2, 3, 4]), 8);
        assert_eq!(own.outgoing()[8..], [1, 2, 3, 4]);
        assert_eq!(own.put(&[9, 9, 9, 9]), 8);
        assert_eq!(own.outgoing()[8..], [1, 2, 3, 4]);
        own.changed();
        own.put(&[9, 9, 9, 9]);
        // What is left of it is not written again.
        own.changed();
        assert_eq!(own.put(&[5, 5]), 10);
        assert_eq!(own.outgoing()[8..], [9, 9, 9, 9]);
    }

    #[test]
    fn what_nobody_looks_at_is_not_copied_out() {
        let news = News::default();
        let mut from = Own::with(0, 2, news.clone()).unwrap();
        let mut to = Own::with(0, 2, news).unwrap();
        to.incoming().fill(7);
        let mut seen = [0; 2];
        from.put(&[1, 1]);
        to.show(&mut seen, Wait::Never);
        assert_eq!(seen, [7; 2], "the first message is new");
        let mut seen = [0; 2];
        from.put(&[1, 1]);
        to.show(&mut seen, Wait::Never);
        assert_eq!(seen, [0; 2]);
        let control = ControlBlock::map().unwrap();
        to.show(&mut seen, Wait::Asleep(&control));
        assert_eq!(seen, [0; 2]);
        control.checking.set(true);
        to.show(&mut seen, Wait::Awake(&control));
        assert_eq!(seen, [7; 2]);
    }
}
