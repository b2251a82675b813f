//! What several parts of the program hold and hardly any changes.

use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A value that is held once, however often it is cloned: the head of a point takes some 500
/// bytes, a record may have a million, and the record, its view and its tables hold each.
/// Changed as the value itself is; other holders keep what they have.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shared<T>(Arc<T>);

impl<T: Clone> Shared<T> {
    /// The value, of its own.
    pub fn into_own(self) -> T {
        Arc::unwrap_or_clone(self.0)
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Shared;

    #[test]
    fn a_change_is_not_seen_by_other_holders() {
        let one = Shared::from(vec![1]);
        let mut other = one.clone();
        assert!(std::ptr::eq(&*one, &*other));
        other.push(2);
        assert_eq!((one.len(), other.into_own()), (1, vec![1, 2]));
    }

    #[test]
    fn it_is_written_as_the_value_itself() {
        let text = serde_json::to_string(&Shared::from(7)).unwrap();
        assert_eq!(text, "7");
        assert_eq!(
            serde_json::from_str::<Shared<i32>>(&text).unwrap(),
            7.into()
        );
    }
}
