//! Known captures give known slices; sums and gaps hold for any capture.

mod calling;
mod scheduling;
mod telling;
mod timing;
