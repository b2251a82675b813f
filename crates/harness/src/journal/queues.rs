//! The way back for System V queues, which belong to no process: whoever is
//! killed leaves them behind for ever. msgget(2), msgctl(2).

use super::outcome::Outcome;
use machine::namespace::{self, Namespace};
use serde::{Deserialize, Serialize};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::PathBuf;

/// System V queues by their keys, which are in no file system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queues {
    pub keys: Vec<i32>,
    /// Keys mean something in one IPC namespace only; 0 where /proc does not say.
    pub namespace: u64,
}

/// Keys of ours begin so ("PT"): `ipcs -q` shows whose they are, and no other
/// queue is ever removed.
const PREFIX: i32 = 0x5054_0000;
const REST: i32 = 0xffff;
/// Keys tried for one that nobody uses.
const ATTEMPTS: u32 = 1000;

/// Whether a key begins as ours do.
pub fn is_ours(key: i32) -> bool {
    key & !REST == PREFIX
}

/// A key that no queue has.
///
/// # Errors
/// What the kernel says of System V queues at all; none is free.
pub fn free_key(taken: &[i32]) -> io::Result<i32> {
    let random = RandomState::new();
    for attempt in 0..ATTEMPTS {
        let mut hasher = random.build_hasher();
        hasher.write_u32(attempt);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "any bits of a hash will do"
        )]
        let bits = (hasher.finish() as u32).cast_signed();
        let key = PREFIX | (bits & REST);
        if taken.contains(&key) {
            continue;
        }
        match find(key) {
            Err(e) if e.raw_os_error() == Some(libc::ENOENT) => return Ok(key),
            Err(e) if e.raw_os_error() != Some(libc::EACCES) => return Err(e),
            _ => {}
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// In words, for what becomes of them.
pub fn named(queues: &Queues) -> PathBuf {
    let keys: Vec<String> = queues.keys.iter().map(|key| format!("{key:#x}")).collect();
    format!("System V queues {}", keys.join(" and ")).into()
}

/// Removes the queues of these keys, in the IPC namespace they were made in.
pub fn remove(queues: &Queues) -> Outcome {
    let not_removed = |cause: String| Outcome::QueueNotRemoved { cause };
    let here = namespace::own(Namespace::Ipc);
    if queues.namespace != 0 && here != 0 && queues.namespace != here {
        return match namespace::members(Namespace::Ipc, queues.namespace).as_deref() {
            // The kernel removes them with their namespace.
            Some([]) => Outcome::QueuesRemoved,
            Some([pid, ..]) => not_removed(format!(
                "they are in a container: sudo nsenter -t {pid} -i pontage restore"
            )),
            None => not_removed("they are in another container".to_owned()),
        };
    }
    for key in &queues.keys {
        if let Err(cause) = remove_one(*key) {
            return not_removed(format!("{key:#x}: {cause}"));
        }
    }
    Outcome::QueuesRemoved
}

fn remove_one(key: i32) -> io::Result<()> {
    let queue = match find(key) {
        Ok(queue) => queue,
        Err(e) if matches!(e.raw_os_error(), Some(libc::ENOENT | libc::ENOSYS)) => return Ok(()),
        Err(e) => return Err(e),
    };
    // SAFETY: an all-zero structure is valid; the call fills it.
    let mut about: libc::msqid_ds = unsafe { std::mem::zeroed() };
    // SAFETY: the structure lives.
    if unsafe { libc::msgctl(queue, libc::IPC_STAT, &raw mut about) } != 0 {
        return gone_or(io::Error::last_os_error());
    }
    let us = rustix::process::geteuid().as_raw();
    let found = &about.msg_perm;
    if found.uid != us || found.cuid != us || found.mode & 0o777 != 0o600 {
        return Err(io::Error::other("it is not ours"));
    }
    // SAFETY: no pointers are used by this command.
    match unsafe { libc::msgctl(queue, libc::IPC_RMID, std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => gone_or(io::Error::last_os_error()),
    }
}

fn gone_or(cause: io::Error) -> io::Result<()> {
    match cause.raw_os_error() {
        Some(libc::EIDRM | libc::EINVAL) => Ok(()),
        _ => Err(cause),
    }
}

fn find(key: i32) -> io::Result<i32> {
    // SAFETY: no pointers.
    match unsafe { libc::msgget(key, 0) } {
        -1 => Err(io::Error::last_os_error()),
        queue => Ok(queue),
    }
}
