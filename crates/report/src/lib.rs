//! record -> figure model -> terminal, HTML, SVG, exports.
