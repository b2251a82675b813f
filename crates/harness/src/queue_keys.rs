//! Keys of System V queues that a journal knows before the queues are made: who
//! makes them may be killed together with everybody who would remove them.

use crate::error::HarnessError;
use crate::journal::{Journal, free_key};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Two keys that no queue has. Dropped when their queues are gone: others may then
/// have them, without another line in the journal.
#[derive(Debug)]
pub struct QueueKeys {
    keys: [i32; 2],
    pool: Arc<Mutex<Pool>>,
}

/// Why there are none.
#[derive(Debug)]
pub enum NoKeys {
    /// What msgget says.
    Kernel(io::Error),
    Journal(HarnessError),
}

/// One journal for all queues of this process.
#[derive(Debug)]
struct Pool {
    journal: Journal,
    free: Vec<[i32; 2]>,
    known: Vec<i32>,
}

impl QueueKeys {
    /// # Errors
    /// A kernel without such queues; no journal can be kept.
    pub fn take() -> Result<QueueKeys, NoKeys> {
        let pool = pool();
        let keys = locked(&pool).take()?;
        Ok(QueueKeys { keys, pool })
    }

    /// The keys of the two queues (msgget(2)).
    pub fn keys(&self) -> [i32; 2] {
        self.keys
    }
}

impl Drop for QueueKeys {
    fn drop(&mut self) {
        locked(&self.pool).free.push(self.keys);
    }
}

impl Pool {
    fn take(&mut self) -> Result<[i32; 2], NoKeys> {
        if let Some(keys) = self.free.pop() {
            return Ok(keys);
        }
        let one = free_key(&self.known).map_err(NoKeys::Kernel)?;
        self.known.push(one);
        let other = free_key(&self.known).map_err(NoKeys::Kernel)?;
        self.known.push(other);
        let keys = [one, other];
        self.journal
            .announce_queues(&keys)
            .map_err(NoKeys::Journal)?;
        Ok(keys)
    }
}

/// The same for all as long as one of them has keys; the journal ends with it.
fn pool() -> Arc<Mutex<Pool>> {
    static LAST: Mutex<Weak<Mutex<Pool>>> = Mutex::new(Weak::new());
    let mut last = locked(&LAST);
    last.upgrade().unwrap_or_else(|| {
        let new = Arc::new(Mutex::new(Pool {
            journal: Journal::here(),
            free: Vec::new(),
            known: Vec::new(),
        }));
        *last = Arc::downgrade(&new);
        new
    })
}

/// Whoever panicked has left it whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
