//! `cftu.h`: copies, buffers, channels and policies.

use super::describe::{define_constants, define_structures};
use crate::ioctl::{Number, iowr};

define_constants! {
    /// There is no range of versions: only the same one is understood.
    ABI_VERSION: u32 = "CFTU_ABI_VERSION" 1;
    NAME_BYTES: usize = "CFTU_NAME_BYTES" 32;
    CHANNELS_MAX: usize = "CFTU_CHANNELS_MAX" 64;
    LOG2_BUCKETS: usize = "CFTU_LOG2_BUCKETS" 32;
    REASON_COUNT: usize = "CFTU_REASON_COUNT" 53;
    FEATURE_FLUSH: u64 = "CFTU_FEATURE_FLUSH" 1 << 0;
    FEATURE_TRACE: u64 = "CFTU_FEATURE_TRACE" 1 << 1;
    BUFFER_SCATTERED: u32 = "CFTU_BUFFER_SCATTERED" 1 << 0;
    REGISTER_WRITABLE: u32 = "CFTU_REGISTER_WRITABLE" 1 << 0;
    MEASURE_FLUSH: u32 = "CFTU_MEASURE_FLUSH" 1 << 0;
    MEASURE_PHASES: u32 = "CFTU_MEASURE_PHASES" 1 << 1;
    CHANNEL_OURS: u32 = "CFTU_CHANNEL_OURS" 1 << 0;
    CHANNEL_TAKEN: u32 = "CFTU_CHANNEL_TAKEN" 1 << 1;
    CHANNEL_PAUSE: u32 = "CFTU_CHANNEL_PAUSE" 1 << 2;
    CHANNEL_TERMINATE: u32 = "CFTU_CHANNEL_TERMINATE" 1 << 3;
    CHANNEL_NO_ORDER: u32 = "CFTU_CHANNEL_NO_ORDER" 1 << 4;
    CHANNEL_HIGH: u32 = "CFTU_CHANNEL_HIGH" 1 << 5;
    CHANNEL_DEAD: u32 = "CFTU_CHANNEL_DEAD" 1 << 6;
    CHANNEL_DCA_OFF: u32 = "CFTU_CHANNEL_DCA_OFF" 1 << 7;
    CHANNEL_DCA_ON: u32 = "CFTU_CHANNEL_DCA_ON" 1 << 8;
    CHANNEL_COHERENT: u32 = "CFTU_CHANNEL_COHERENT" 1 << 9;
    CHANNEL_IOMMU: u32 = "CFTU_CHANNEL_IOMMU" 1 << 10;
    CHANNEL_PRIVATE: u32 = "CFTU_CHANNEL_PRIVATE" 1 << 11;
    CHANNEL_REAPABLE: u32 = "CFTU_CHANNEL_REAPABLE" 1 << 12;
    POLICY_ALLOW_FOLD: u32 = "CFTU_POLICY_ALLOW_FOLD" 1 << 0;
    POLICY_PERSIST: u32 = "CFTU_POLICY_PERSIST" 1 << 1;
    POLICY_HARDWARE_PAUSE: u32 = "CFTU_POLICY_HARDWARE_PAUSE" 1 << 2;
    POLICY_REPLACE: u32 = "CFTU_POLICY_REPLACE" 1 << 3;
    MAGIC: u8 = "CFTU_MAGIC" 0xB7;
    HELLO: Number = "CFTU_HELLO" iowr::<Hello>(0x00);
    BUFFER_ALLOC: Number = "CFTU_BUFFER_ALLOC" iowr::<BufferAlloc>(0x01);
    BUFFER_FREE: Number = "CFTU_BUFFER_FREE" iowr::<Release>(0x02);
    REGISTER: Number = "CFTU_REGISTER" iowr::<Register>(0x03);
    UNREGISTER: Number = "CFTU_UNREGISTER" iowr::<Release>(0x04);
    COPY: Number = "CFTU_COPY" iowr::<Copy>(0x05);
    MEASURE: Number = "CFTU_MEASURE" iowr::<Measure>(0x06);
    CHANNELS: Number = "CFTU_CHANNELS" iowr::<Channels>(0x07);
    POLICY_START: Number = "CFTU_POLICY_START" iowr::<Policy>(0x08);
    POLICY_STOP: Number = "CFTU_POLICY_STOP" iowr::<Policy>(0x09);
    POLICY_SHOW: Number = "CFTU_POLICY_SHOW" iowr::<PolicyState>(0x0a);
    STATS: Number = "CFTU_STATS" iowr::<Stats>(0x0b);
}

/// A name as the kernel writes it: ends at the first NUL.
pub type Name = [u8; NAME_BYTES];

define_structures! {
    /// Where the time of one DMA copy went, summed over its chunks.
    Phases = "cftu_phases" {
        gate_ns: u64,
        pin_ns: u64,
        map_ns: u64,
        submit_ns: u64,
        wait_ns: u64,
        unmap_ns: u64,
        unpin_ns: u64,
        cpu_copy_ns: u64,
    }
    Hello = "cftu_hello" {
        size: u32,
        abi_version: u32,
        features: u64,
        module_version: Name,
        channels_max: u32,
        reason: u32,
        chunk_bytes_default: u64,
        threshold_bytes_default: u64,
        reserved: [u64; 4],
    }
    BufferAlloc = "cftu_buffer_alloc" {
        size: u32,
        flags: u32,
        length_bytes: u64,
        node: i32,
        id: u32,
        mmap_offset: u64,
        extents: u32,
        reason: u32,
        reserved: [u64; 3],
    }
    Register = "cftu_register" {
        size: u32,
        flags: u32,
        user_addr: u64,
        length_bytes: u64,
        id: u32,
        extents: u32,
        reason: u32,
        reserved0: u32,
        pin_ns: u64,
        reserved: [u64; 3],
    }
    Release = "cftu_release" {
        size: u32,
        id: u32,
        unpin_ns: u64,
        reserved: [u64; 2],
    }
    Copy = "cftu_copy" {
        size: u32,
        flags: u32,
        direction: u32,
        engine: u32,
        wait: u32,
        class_: u32,
        buffer: u32,
        registration: u32,
        user_addr: u64,
        kernel_offset: u64,
        length_bytes: u64,
        not_copied_bytes: u64,
        dma_bytes: u64,
        cpu_bytes: u64,
        dma_chunks: u32,
        cpu_chunks: u32,
        reason: u32,
        channel: i32,
        cpu_start: u32,
        cpu_end: u32,
        reserved: [u64; 2],
        phases: Phases,
    }
    /// One timed repetition.
    Sample = "cftu_sample" {
        start_ns: u64,
        end_ns: u64,
        cpu_start: u32,
        cpu_end: u32,
        channel: i32,
        reason: u32,
        dma_bytes: u64,
        phases: Phases,
    }
    Measure = "cftu_measure" {
        size: u32,
        flags: u32,
        direction: u32,
        engine: u32,
        wait: u32,
        class_: u32,
        buffer: u32,
        registration: u32,
        user_addr: u64,
        kernel_offset: u64,
        length_bytes: u64,
        samples_addr: u64,
        repetitions: u32,
        copies_per_sample: u32,
        begin_at_ns: u64,
        done: u32,
        reason: u32,
        begin_ns: u64,
        end_ns: u64,
        begin_realtime_ns: u64,
        end_realtime_ns: u64,
        dma_bytes: u64,
        cpu_bytes: u64,
        not_copied_bytes: u64,
        reserved: [u64; 3],
    }
    Channel = "cftu_channel" {
        name: Name,
        driver: Name,
        device: Name,
        node: i32,
        flags: u32,
        copy_align_bytes: u32,
        length_granule_bytes: u32,
        segment_max_bytes: u64,
        boundary_mask: u64,
        dma_bytes: u64,
        dma_chunks: u64,
        descriptors: u64,
        errors: u64,
        outstanding_bytes: u64,
        reserved: [u64; 2],
    }
    Channels = "cftu_channels" {
        size: u32,
        capacity: u32,
        channels_addr: u64,
        count: u32,
        reason: u32,
        reserved: [u64; 2],
    }
    Policy = "cftu_policy" {
        size: u32,
        flags: u32,
        kind: u32,
        channels: u32,
        high_channels: u32,
        chooser: u32,
        quantum_ns: u64,
        window_ns: u64,
        chunk_bytes: u64,
        threshold_bytes: u64,
        timeout_ns: u64,
        node: i32,
        reason: u32,
        driver: Name,
        channel: Name,
        reserved: [u64; 4],
    }
    /// What the gate of the priority policy really did.
    Windows = "cftu_windows" {
        high_count: u64,
        low_count: u64,
        high_ns: u64,
        low_ns: u64,
        high_max_ns: u64,
        low_max_ns: u64,
        missed: u64,
        gate_waits: u64,
        gate_wait_ns: u64,
        gate_wait_max_ns: u64,
        bleeds: u64,
        bleed_max_ns: u64,
        pause_errors: u64,
        high_log2: [u64; LOG2_BUCKETS],
        low_log2: [u64; LOG2_BUCKETS],
    }
    PolicyState = "cftu_policy_state" {
        size: u32,
        reserved0: u32,
        policy: Policy,
        channels_held: u32,
        channels_seen: u32,
        channels_dead: u32,
        switches: u32,
        started_ns: u64,
        windows: Windows,
        reserved: [u64; 4],
    }
    Stats = "cftu_stats" {
        size: u32,
        reserved0: u32,
        copies: u64,
        dma_bytes: u64,
        cpu_bytes: u64,
        not_copied_bytes: u64,
        dma_chunks: u64,
        cpu_chunks: [u64; REASON_COUNT],
        reserved: [u64; 8],
    }
}
