//! what happened: interrupts, steal, counters that the kernel offers.
