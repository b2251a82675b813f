//! Known captures give known slices; sums and gaps hold for any capture.

mod scheduling;
mod timing;
