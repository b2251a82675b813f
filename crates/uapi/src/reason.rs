//! Why the module did not do what it was asked, in sentences.

use crate::abi::define_enumeration;

define_enumeration! {
    /// Why a copy, or a part of it, was not done by DMA, or why a call failed.
    Reason("a reason")
    /// The cause, as it follows `cannot <verb> <object>: ` or a count of chunks.
    sentence {
        None = 0 "CFTU_REASON_NONE" "no reason given",
        AskedCpu = 1 "CFTU_REASON_ASKED_CPU" "the CPU was requested",
        NoPolicy = 2 "CFTU_REASON_NO_POLICY" "no policy is running",
        BelowThreshold = 4 "CFTU_REASON_BELOW_THRESHOLD" "the copy is smaller than the threshold",
        Atomic = 5 "CFTU_REASON_ATOMIC" "the caller may not sleep",
        NoChannelForCpu = 6 "CFTU_REASON_NO_CHANNEL_FOR_CPU" "this CPU owns no channel",
        NoChannel = 7 "CFTU_REASON_NO_CHANNEL" "no channel is left alive",
        Misaligned = 8 "CFTU_REASON_MISALIGNED" "the two sides differ in the engine's alignment",
        UnalignedEnds = 9 "CFTU_REASON_UNALIGNED_ENDS" "head or tail of a chunk is not aligned",
        PinFailed = 10 "CFTU_REASON_PIN_FAILED" "the user pages cannot be pinned",
        FilePage = 11 "CFTU_REASON_FILE_PAGE"
            "the destination is a shared page of a file, whose write-back would lose the copy",
        MapFailed = 12 "CFTU_REASON_MAP_FAILED" "the pages cannot be mapped for the engine",
        NoDescriptor = 13 "CFTU_REASON_NO_DESCRIPTOR"
            "the channel had no descriptor until the time limit",
        SubmitFailed = 14 "CFTU_REASON_SUBMIT_FAILED" "the channel refused the descriptor",
        ReadFailed = 15 "CFTU_REASON_READ_FAILED" "the engine could not read the source",
        WriteFailed = 16 "CFTU_REASON_WRITE_FAILED" "the engine could not write the destination",
        Aborted = 17 "CFTU_REASON_ABORTED" "the engine aborted the descriptor",
        TimedOut = 18 "CFTU_REASON_TIMED_OUT"
            "the channel did not answer in time and was terminated",
        ChannelLost = 19 "CFTU_REASON_CHANNEL_LOST"
            "the channel never answered and cannot be terminated",
        KernelMemory = 20 "CFTU_REASON_KERNEL_MEMORY" "the kernel's buffer has no pages",
        NoMemory = 21 "CFTU_REASON_NO_MEMORY" "the kernel is out of memory",
        Abi = 32 "CFTU_REASON_ABI" "program and module have different versions of the interface",
        ReservedSet = 33 "CFTU_REASON_RESERVED_SET" "a reserved word or an unknown flag is set",
        NoSuchBuffer = 34 "CFTU_REASON_NO_SUCH_BUFFER" "there is no such buffer or registration",
        OutOfRange = 35 "CFTU_REASON_OUT_OF_RANGE" "a value is outside the limits of the module",
        Memlock = 36 "CFTU_REASON_MEMLOCK" "the limit of locked memory would be exceeded",
        NotPermitted = 37 "CFTU_REASON_NOT_PERMITTED" "not permitted",
        NoEngine = 38 "CFTU_REASON_NO_ENGINE"
            "no device of this machine offers memory-to-memory copies",
        AllTaken = 39 "CFTU_REASON_ALL_TAKEN" "every channel is taken by another client",
        TooFewChannels = 40 "CFTU_REASON_TOO_FEW_CHANNELS"
            "there are fewer channels than requested",
        PolicyActive = 41 "CFTU_REASON_POLICY_ACTIVE" "another policy is running",
        BadWindow = 42 "CFTU_REASON_BAD_WINDOW" "the quantum must be above 0 and below the window",
        Fault = 43 "CFTU_REASON_FAULT" "the user memory cannot be used (bad address)",
        Interrupted = 44 "CFTU_REASON_INTERRUPTED" "interrupted by a signal",
        NoPause = 45 "CFTU_REASON_NO_PAUSE" "a channel cannot be paused in hardware",
        TraceActive = 46 "CFTU_REASON_TRACE_ACTIVE" "another capture runs",
        NoProbe = 47 "CFTU_REASON_NO_PROBE" "no copy routine of this kernel can be probed",
        SelfTest = 48 "CFTU_REASON_SELF_TEST"
            "the trial copy of a channel ended with wrong bytes or not at all",
        NoMatch = 49 "CFTU_REASON_NO_MATCH" "channels are free, but none as requested",
        TraceMemory = 51 "CFTU_REASON_TRACE_MEMORY"
            "rings and histogram would exceed the module's memory limit",
        TraceMapped = 52 "CFTU_REASON_TRACE_MAPPED" "rings of the last capture are still mapped",
    }
}

impl Reason {
    /// What helps, where something does.
    pub fn remedy(self) -> Option<&'static str> {
        Some(match self {
            Reason::NoPolicy | Reason::NoChannel => "sudo pontage dma policy start shared",
            Reason::PinFailed | Reason::FilePage => "use anonymous memory of this process",
            Reason::Abi => {
                "rebuild the module: make -C kernel && sudo rmmod cftu && \
                            sudo insmod kernel/cftu/cftu.ko"
            }
            Reason::Memlock => "ulimit -l unlimited (or a smaller buffer)",
            Reason::NotPermitted => "run it as root (CAP_SYS_ADMIN)",
            Reason::NoEngine => {
                "load the engine's driver (sudo modprobe ioatdma, idxd or ptdma), \
                                 or the software one: sudo insmod kernel/swdma/swdma.ko"
            }
            Reason::AllTaken => {
                "grep . /sys/class/dma/*/in_use shows which; unload the client \
                                 (async_tx, ntb_transport, dmatest)"
            }
            Reason::TooFewChannels => "use fewer with --channels, or let CPUs share: --fold",
            Reason::PolicyActive => "add --replace, or: sudo pontage dma policy stop",
            Reason::BadWindow => "for example --quantum 30us --window 90us",
            Reason::NoPause => {
                "leave out --hardware-pause: the gate before the submit then does the work"
            }
            Reason::TraceActive => "end the other capture, or wait for it",
            Reason::NoProbe => {
                "use a kernel with CONFIG_KRETPROBES whose copy routines are not inlined"
            }
            Reason::SelfTest => {
                "dmesg names the channel; choose another with --driver or --channel"
            }
            Reason::NoMatch => "pontage dma channels lists them",
            Reason::TraceMemory => "use fewer records or slots per CPU",
            _ => return None,
        })
    }

    /// Whether it is the machine that lacks something, not the call that is wrong.
    pub fn is_absence(self) -> bool {
        matches!(
            self,
            Reason::NotPermitted
                | Reason::NoEngine
                | Reason::AllTaken
                | Reason::TooFewChannels
                | Reason::NoPause
                | Reason::NoProbe
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Reason;
    use std::collections::BTreeSet;

    #[test]
    fn every_number_has_a_sentence_of_its_own() {
        let sentences: BTreeSet<_> = Reason::ALL.iter().map(|r| r.sentence()).collect();
        assert_eq!(sentences.len(), Reason::ALL.len());
        for sentence in sentences {
            assert!(
                !sentence.is_empty() && !sentence.ends_with('.'),
                "{sentence}"
            );
        }
    }

    #[test]
    fn numbers_come_back_and_unknown_ones_are_refused() {
        for reason in Reason::ALL {
            assert_eq!(Reason::try_from(reason.number()), Ok(*reason));
        }
        let unknown = Reason::try_from(31).unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "the module gave 31 as a reason, which this program does not know"
        );
    }
}
