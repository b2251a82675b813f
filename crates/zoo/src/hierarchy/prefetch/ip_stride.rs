//! The next of equal strides of one instruction, into L1.

use super::trigger::{BLOCK_BYTES, Trigger, Wanted};
use crate::hierarchy::narrow::index;

/// Instructions that are followed; those with the same low bits share a place.
const PLACES: usize = 64;

#[derive(Debug, Clone, Copy)]
struct Place {
    code: u32,
    block: u32,
    offset: i32,
    stride: i32,
    equal: u32,
}

/// The last stride of each instruction, and how often in a row it was the same.
#[derive(Debug, Clone)]
pub struct IpStride {
    strides: u32,
    ahead: i32,
    max_stride: i32,
    places: [Place; PLACES],
}

impl IpStride {
    /// Acts after `strides` equal ones, no longer than `max_stride_bytes`, and fetches what
    /// is `ahead` further on.
    pub fn new(strides: u32, ahead: u32, max_stride_bytes: u32) -> Self {
        let none = Place {
            code: u32::MAX,
            block: 0,
            offset: 0,
            stride: 0,
            equal: 0,
        };
        IpStride {
            strides,
            ahead: ahead.cast_signed(),
            max_stride: max_stride_bytes.min(BLOCK_BYTES).cast_signed(),
            places: [none; PLACES],
        }
    }

    /// Any load.
    #[inline]
    pub fn see(&mut self, trigger: &Trigger, wanted: &mut Wanted) {
        let place = &mut self.places[index(u64::from(trigger.code)) % PLACES];
        let (block, offset) = (trigger.block(), trigger.offset.cast_signed());
        if place.code != trigger.code || place.block != block {
            // A stride goes on over the end of a block only where the hardware knows the
            // next one; here it begins anew.
            let keeps = place.code == trigger.code;
            let stride = if keeps { place.stride } else { 0 };
            *place = Place {
                code: trigger.code,
                block,
                offset,
                stride,
                equal: 0,
            };
            return;
        }
        let stride = offset - place.offset;
        let same = stride == place.stride && stride != 0;
        place.equal = if same { place.equal + 1 } else { 1 };
        place.stride = stride;
        place.offset = offset;
        if place.equal >= self.strides && stride != 0 && stride.abs() <= self.max_stride {
            fetch(trigger, offset, stride * self.ahead, wanted);
        }
    }
}

fn fetch(trigger: &Trigger, offset: i32, further: i32, wanted: &mut Wanted) {
    let target = offset + further;
    if (0..BLOCK_BYTES.cast_signed()).contains(&target) {
        let lines = (target >> trigger.line_shift) - (offset >> trigger.line_shift);
        if lines != 0
            && let Some(line) = trigger.neighbour(lines)
        {
            wanted.add(line, 0);
        }
    }
}
