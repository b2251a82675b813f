//! what is this computer: read-only, every reader takes a root folder.
