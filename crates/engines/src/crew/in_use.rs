//! What the points of a block have in common, made once: the first point that is
//! set up makes it, and it is dropped with the last.

use harness::Point;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// Values that are still held, by the key that each was made for.
#[derive(Debug)]
pub struct InUse<K, T>(RefCell<Vec<(K, Weak<T>)>>);

impl<K: PartialEq, T> InUse<K, T> {
    /// Nothing is held yet.
    pub const fn none() -> Self {
        InUse(RefCell::new(Vec::new()))
    }

    /// The value made for `key` if it is still held, otherwise a new one.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn get<E>(&self, key: K, make: impl FnOnce() -> Result<T, E>) -> Result<Rc<T>, E> {
        self.0
            .borrow_mut()
            .retain(|(_, made)| made.strong_count() > 0);
        let same = |(of, made): &(K, Weak<T>)| (*of == key).then(|| made.upgrade()).flatten();
        let in_use = self.0.borrow().iter().find_map(same);
        if let Some(made) = in_use {
            return Ok(made);
        }
        // Not borrowed here: what is made may have parts that are in use, too.
        let made = Rc::new(make()?);
        self.0.borrow_mut().push((key, Rc::downgrade(&made)));
        Ok(made)
    }
}

impl<T> InUse<String, T> {
    /// The one of all points which differ in `axis` only.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn across<E>(
        &self,
        point: &Point,
        axis: &str,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Rc<T>, E> {
        let others = point.settings.iter().filter(|s| s.axis != axis);
        let words: Vec<String> = others.map(|s| s.value.to_string()).collect();
        self.get(words.join(" "), make)
    }
}

#[cfg(test)]
mod tests {
    use super::InUse;
    use harness::SetupError;
    use testbed::{point, word};

    #[test]
    fn points_that_differ_in_the_axis_share_while_one_of_them_lives() {
        let shared = InUse::none();
        let mut made = 0;
        let mut of = |state: &str, stage: &str| {
            let at = point("x/y", &[word("state", state), word("stage", stage)]);
            shared.across(&at, "stage", || {
                made += 1;
                Ok::<_, SetupError>(made)
            })
        };
        let first = of("busy", "a").unwrap();
        let second = of("busy", "b").unwrap();
        assert_eq!((*first, *second), (1, 1));
        let other = of("idle", "b").unwrap();
        assert_eq!(*other, 2);
        drop((first, second, other));
        assert_eq!(*of("idle", "b").unwrap(), 3, "it was no longer held");
        let at = point("x/y", &[word("state", "busy")]);
        let fails = shared.across(&at, "stage", || Err(SetupError::Fail("no".to_owned())));
        assert!(fails.is_err());
    }
}
