//! record -> figure model -> terminal, HTML, SVG, exports.

pub mod export;
