//! Appending whole frames to a file that may refuse at any byte.

use crate::error::RecordError;
use crate::frame::encode_frame;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time between two syncs. kill -9 loses nothing either way (the page cache
/// outlives the process); a power cut loses what was appended since the last
/// sync. Syncs happen between points, where nothing is being timed.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// A file that only grows, and can be cut back: a seam for tests that let
/// writes fail.
pub(crate) trait Tape {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;
    fn cut(&mut self, length: u64) -> io::Result<()>;
    fn sync(&mut self) -> io::Result<()>;
}

/// The file must be open for appending.
impl Tape for File {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        Write::write_all(self, bytes)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// Appends frames; after an error the file ends where it ended before.
#[derive(Debug)]
pub(crate) struct Appender<T> {
    tape: T,
    path: PathBuf,
    whole_bytes: u64,
    /// Part of a frame may lie behind `whole_bytes`.
    torn: bool,
    synced: Instant,
}

impl Appender<File> {
    /// Begins a stream with its `header`, or goes on behind its first `whole_bytes`. What
    /// is there then is durable.
    pub fn open(
        file: File,
        path: &Path,
        whole_bytes: u64,
        header: &[u8],
    ) -> Result<Self, RecordError> {
        let mut stream = Appender::new(file, path, whole_bytes);
        if whole_bytes == 0 {
            stream.append_bytes(header)?;
        }
        stream.sync()?;
        Ok(stream)
    }
}

impl<T: Tape> Appender<T> {
    /// Go on behind the first `whole_bytes` of the file, cutting off the rest.
    pub fn new(tape: T, path: &Path, whole_bytes: u64) -> Self {
        Self {
            tape,
            path: path.to_owned(),
            whole_bytes,
            torn: true,
            synced: Instant::now(),
        }
    }

    /// Append bytes that are no frame: the header.
    pub fn append_bytes(&mut self, bytes: &[u8]) -> Result<(), RecordError> {
        self.mend()?;
        let due = self.synced.elapsed() >= SYNC_EVERY;
        let written = self
            .tape
            .write_all(bytes)
            .and_then(|()| if due { self.tape.sync() } else { Ok(()) });
        if let Err(source) = written {
            self.torn = true;
            // Leaves no torn frame where it succeeds; else the next call mends.
            let _ = self.mend();
            return Err(RecordError::write(&self.path, bytes.len() as u64, source));
        }
        if due {
            self.synced = Instant::now();
        }
        self.whole_bytes += bytes.len() as u64;
        Ok(())
    }

    /// Append one frame. An error means that it is not stored, and may be tried
    /// again.
    pub fn append(&mut self, payload: &[u8]) -> Result<(), RecordError> {
        let frame =
            encode_frame(payload).map_err(|e| RecordError::unstorable("a point", &self.path, e))?;
        self.append_bytes(&frame)
    }

    /// Make everything appended durable.
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.mend()?;
        self.synced = Instant::now();
        self.tape
            .sync()
            .map_err(|source| RecordError::io("sync", &self.path, source))
    }

    fn mend(&mut self) -> Result<(), RecordError> {
        if self.torn {
            self.tape
                .cut(self.whole_bytes)
                .map_err(|source| RecordError::io("cut back", &self.path, source))?;
            self.torn = false;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::FrameReader;
    use proptest::prelude::*;

    /// Takes `room` bytes, then says ENOSPC having taken what fits.
    #[derive(Default)]
    struct FullTape {
        bytes: Vec<u8>,
        room: usize,
        cut_fails: bool,
        sync_fails: bool,
    }

    impl Tape for FullTape {
        fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
            let fits = bytes.len().min(self.room - self.bytes.len().min(self.room));
            self.bytes.extend_from_slice(&bytes[..fits]);
            if fits < bytes.len() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            Ok(())
        }

        fn cut(&mut self, length: u64) -> io::Result<()> {
            if self.cut_fails {
                return Err(io::ErrorKind::Other.into());
            }
            self.bytes.truncate(usize::try_from(length).expect("small"));
            Ok(())
        }

        fn sync(&mut self) -> io::Result<()> {
            if self.sync_fails {
                Err(io::ErrorKind::Other.into())
            } else {
                Ok(())
            }
        }
    }

    fn payloads(bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut reader = FrameReader::new(bytes);
        let mut all = Vec::new();
        while let Some(payload) = reader.next().expect("only whole frames") {
            all.push(payload);
        }
        all
    }

    #[test]
    fn a_full_medium_costs_only_the_frame_that_did_not_fit() {
        let tape = FullTape {
            room: 30,
            ..FullTape::default()
        };
        let mut appender = Appender::new(tape, Path::new("run/samples.stream"), 0);
        appender.append(b"0123456789").unwrap();
        let error = appender.append(b"0123456789").unwrap_err();
        assert!(error.is_full());
        assert!(
            error
                .to_string()
                .starts_with("cannot write run/samples.stream: ")
        );
        assert!(error.hint().unwrap().contains("18 B"), "{:?}", error.hint());
        assert_eq!(appender.tape.bytes.len(), 18);
        appender.tape.room = 100;
        appender.append(b"again").unwrap();
        assert_eq!(
            payloads(&appender.tape.bytes),
            [b"0123456789".to_vec(), b"again".to_vec()]
        );
    }

    #[test]
    fn a_frame_that_could_not_be_synced_is_not_stored() {
        let tape = FullTape {
            room: 100,
            sync_fails: true,
            ..FullTape::default()
        };
        let mut appender = Appender::new(tape, Path::new("s"), 0);
        appender.synced = Instant::now() - SYNC_EVERY;
        assert!(appender.append(b"one").is_err());
        appender.tape.sync_fails = false;
        appender.append(b"one").unwrap();
        assert_eq!(payloads(&appender.tape.bytes), [b"one".to_vec()]);
    }

    proptest! {
        /// Whatever fails when, the stored frames are those that were accepted.
        #[test]
        fn accepted_frames_are_stored_whole(steps in prop::collection::vec(
            (prop::collection::vec(any::<u8>(), 0..20), 0usize..40, any::<bool>()), 1..20)) {
            let mut appender = Appender::new(FullTape::default(), Path::new("s"), 0);
            let mut accepted = Vec::new();
            for (payload, room, cut_fails) in steps {
                appender.tape.room = appender.tape.bytes.len() + room;
                appender.tape.cut_fails = cut_fails;
                if appender.append(&payload).is_ok() {
                    accepted.push(payload);
                }
            }
            appender.tape.cut_fails = false;
            appender.sync().unwrap();
            prop_assert_eq!(payloads(&appender.tape.bytes), accepted);
        }
    }
}
