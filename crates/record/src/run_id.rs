//! Names of runs become folders.

use crate::error::RecordError;
use std::path::Path;

/// A run's id becomes a folder: it must not lead elsewhere.
pub(crate) fn check_id(id: &str) -> Result<(), RecordError> {
    let mut parts = Path::new(id).components();
    let plain = matches!(parts.next(), Some(std::path::Component::Normal(name)) if name == id)
        && parts.next().is_none()
        && !id.contains('\0');
    if plain {
        Ok(())
    } else {
        Err(RecordError::BadName { id: id.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::check_id;

    #[test]
    fn ids_that_lead_elsewhere_are_refused() {
        for bad in ["", ".", "..", "a/b", "/tmp", "a/", "a\0b"] {
            assert!(check_id(bad).is_err(), "{bad:?}");
        }
        assert!(check_id("20231114T221320Z-host").is_ok());
    }
}
