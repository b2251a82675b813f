//! Work on the parts of a finished run, which do not wait for each other, on all CPUs: whoever
//! measured waits for the answer, and nothing is measured any more.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{available_parallelism, scope};

/// `work` on each part, results in the order of the parts. A thread takes the next part when
/// it is done with one, so that a large one holds up no other. Panics where `work` does.
pub fn in_parallel<T: Sync, R: Send>(parts: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    at_most_at_once(usize::MAX, parts, work)
}

/// [`in_parallel`] with at most `most` parts at once, where each takes much memory.
pub fn at_most_at_once<T: Sync, R: Send>(
    most: usize,
    parts: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let cpus = available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = cpus.min(most);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(parts.len()));
    let help = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = parts.get(at) else {
                return;
            };
            let result = work(part);
            done.lock()
                .expect("no thread panics with it")
                .push((at, result));
        }
    };
    scope(|threads_of| {
        for _ in 1..threads.min(parts.len()) {
            // Without a further thread this one does it all.
            let _ = std::thread::Builder::new().spawn_scoped(threads_of, help);
        }
        help();
    });
    let mut done = done.into_inner().expect("no thread panics with it");
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::{at_most_at_once, in_parallel};
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn results_have_the_order_of_their_parts() {
        let parts: Vec<u64> = (0..200).collect();
        let slow_first = |part: &u64| (0..(200 - part) * 100).fold(*part, |sum, _| sum);
        assert_eq!(in_parallel(&parts, slow_first), parts);
        assert_eq!(in_parallel(&[], |part: &u64| *part), Vec::<u64>::new());
    }

    #[test]
    fn no_more_parts_are_worked_on_at_once_than_allowed() {
        let (at_once, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |part: &u64| {
            let now = at_once.fetch_add(1, Ordering::SeqCst) + 1;
            most.fetch_max(now, Ordering::SeqCst);
            std::thread::yield_now();
            at_once.fetch_sub(1, Ordering::SeqCst);
            *part
        };
        let parts: Vec<u64> = (0..500).collect();
        assert_eq!(at_most_at_once(1, &parts, work), parts);
        assert_eq!(most.load(Ordering::SeqCst), 1);
    }
}
