//! What the points of a block have in common, made once: whoever is set up
//! first makes it, and it goes with the last of them.

use harness::{Point, SetupError};
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// The last one made, for as long as somebody has it.
pub struct Shared<T>(RefCell<Option<(String, Weak<T>)>>);

impl<T> Shared<T> {
    #[must_use]
    pub const fn none() -> Shared<T> {
        Shared(RefCell::new(None))
    }

    /// That of all points which differ in `axis` only.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn of(
        &self,
        point: &Point,
        axis: &str,
        make: impl FnOnce() -> Result<T, SetupError>,
    ) -> Result<Rc<T>, SetupError> {
        let others = point.settings.iter().filter(|s| s.axis != axis);
        let words: Vec<String> = others.map(|s| s.value.to_string()).collect();
        let key = words.join(" ");
        let last = self.0.borrow().as_ref().and_then(|(of, made)| {
            let same = *of == key;
            same.then(|| made.upgrade()).flatten()
        });
        if let Some(made) = last {
            return Ok(made);
        }
        let made = Rc::new(make()?);
        self.0.replace(Some((key, Rc::downgrade(&made))));
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::Shared;
    use harness::SetupError;
    use testbed::{point, word};

    #[test]
    fn points_that_differ_in_the_axis_share_while_one_of_them_lives() {
        let shared = Shared::none();
        let mut made = 0;
        let mut of = |state: &str, stage: &str| {
            let at = point("x/y", &[word("state", state), word("stage", stage)]);
            shared.of(&at, "stage", || {
                made += 1;
                Ok(made)
            })
        };
        let first = of("busy", "a").unwrap();
        let second = of("busy", "b").unwrap();
        assert_eq!((*first, *second), (1, 1));
        let other = of("idle", "b").unwrap();
        assert_eq!(*other, 2);
        drop((first, second, other));
        assert_eq!(*of("idle", "b").unwrap(), 3, "nobody had it any more");
        let at = point("x/y", &[word("state", "busy")]);
        let fails = shared.of(&at, "stage", || Err(SetupError::Fail("no".to_owned())));
        assert!(fails.is_err());
    }
}
