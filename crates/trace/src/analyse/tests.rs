//! Known captures give known slices; sums and gaps hold for any capture.

mod calling;
mod damaged;
mod passages;
mod scheduling;
mod telling;
mod timing;
