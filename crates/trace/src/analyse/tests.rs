//! Known captures give known slices; sums and gaps hold for any capture.

mod calling;
mod calls;
mod damaged;
mod passages;
mod scheduling;
mod sentences;
mod sleeping;
mod timing;
