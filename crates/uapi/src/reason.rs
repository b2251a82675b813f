//! Why the module did not do what it was asked, in sentences.

use crate::abi::define_enumerations;

define_enumerations! {
    /// Why a copy, or a part of it, was not done by DMA, or why a call failed.
    Reason("a reason") {
        None = 0 "CFTU_REASON_NONE",
        AskedCpu = 1 "CFTU_REASON_ASKED_CPU",
        NoPolicy = 2 "CFTU_REASON_NO_POLICY",
        BelowThreshold = 4 "CFTU_REASON_BELOW_THRESHOLD",
        Atomic = 5 "CFTU_REASON_ATOMIC",
        NoChannelForCpu = 6 "CFTU_REASON_NO_CHANNEL_FOR_CPU",
        NoChannel = 7 "CFTU_REASON_NO_CHANNEL",
        Misaligned = 8 "CFTU_REASON_MISALIGNED",
        UnalignedEnds = 9 "CFTU_REASON_UNALIGNED_ENDS",
        PinFailed = 10 "CFTU_REASON_PIN_FAILED",
        FilePage = 11 "CFTU_REASON_FILE_PAGE",
        MapFailed = 12 "CFTU_REASON_MAP_FAILED",
        NoDescriptor = 13 "CFTU_REASON_NO_DESCRIPTOR",
        SubmitFailed = 14 "CFTU_REASON_SUBMIT_FAILED",
        ReadFailed = 15 "CFTU_REASON_READ_FAILED",
        WriteFailed = 16 "CFTU_REASON_WRITE_FAILED",
        Aborted = 17 "CFTU_REASON_ABORTED",
        TimedOut = 18 "CFTU_REASON_TIMED_OUT",
        ChannelLost = 19 "CFTU_REASON_CHANNEL_LOST",
        KernelMemory = 20 "CFTU_REASON_KERNEL_MEMORY",
        NoMemory = 21 "CFTU_REASON_NO_MEMORY",
        Abi = 32 "CFTU_REASON_ABI",
        ReservedSet = 33 "CFTU_REASON_RESERVED_SET",
        NoSuchBuffer = 34 "CFTU_REASON_NO_SUCH_BUFFER",
        OutOfRange = 35 "CFTU_REASON_OUT_OF_RANGE",
        Memlock = 36 "CFTU_REASON_MEMLOCK",
        NotPermitted = 37 "CFTU_REASON_NOT_PERMITTED",
        NoEngine = 38 "CFTU_REASON_NO_ENGINE",
        AllTaken = 39 "CFTU_REASON_ALL_TAKEN",
        TooFewChannels = 40 "CFTU_REASON_TOO_FEW_CHANNELS",
        PolicyActive = 41 "CFTU_REASON_POLICY_ACTIVE",
        BadWindow = 42 "CFTU_REASON_BAD_WINDOW",
        Fault = 43 "CFTU_REASON_FAULT",
        Interrupted = 44 "CFTU_REASON_INTERRUPTED",
        NoPause = 45 "CFTU_REASON_NO_PAUSE",
        TraceActive = 46 "CFTU_REASON_TRACE_ACTIVE",
        NoProbe = 47 "CFTU_REASON_NO_PROBE",
        SelfTest = 48 "CFTU_REASON_SELF_TEST",
        NoMatch = 49 "CFTU_REASON_NO_MATCH",
        TraceMemory = 51 "CFTU_REASON_TRACE_MEMORY",
        TraceMapped = 52 "CFTU_REASON_TRACE_MAPPED",
    }
}

impl Reason {
    /// The cause, as it follows `cannot <verb> <object>: ` or a
    /// count of chunks.
    pub fn sentence(self) -> &'static str {
        match self {
            Reason::None => "no reason given",
            Reason::AskedCpu => "the CPU was asked for",
            Reason::NoPolicy => "no policy is started",
            Reason::BelowThreshold => "the copy is smaller than the threshold",
            Reason::Atomic => "the caller may not sleep",
            Reason::NoChannelForCpu => "this CPU owns no channel",
            Reason::NoChannel => "no channel is left alive",
            Reason::Misaligned => "the two sides differ in the engine's alignment",
            Reason::UnalignedEnds => "head or tail of a chunk is not aligned",
            Reason::PinFailed => "the user pages cannot be pinned",
            Reason::FilePage => {
                "the destination is a shared page of a file, whose write-back would lose the copy"
            }
            Reason::MapFailed => "the pages cannot be mapped for the engine",
            Reason::NoDescriptor => "the channel had no descriptor until the time limit",
            Reason::SubmitFailed => "the channel refused the descriptor",
            Reason::ReadFailed => "the engine could not read the source",
            Reason::WriteFailed => "the engine could not write the destination",
            Reason::Aborted => "the engine gave the descriptor up",
            Reason::TimedOut => "the channel did not answer in time and was terminated",
            Reason::ChannelLost => "the channel never answered and cannot be terminated",
            Reason::KernelMemory => "the kernel's side has no pages behind it",
            Reason::NoMemory => "the kernel has no memory for it",
            Reason::Abi => "program and module speak different versions of the interface",
            Reason::ReservedSet => "a reserved word or an unknown flag is set",
            Reason::NoSuchBuffer => "there is no such buffer or registration",
            Reason::OutOfRange => "a value lies outside what the module allows",
            Reason::Memlock => "the limit of locked memory would be passed",
            Reason::NotPermitted => "not permitted",
            Reason::NoEngine => "no device of this machine offers copies from memory to memory",
            Reason::AllTaken => "every channel is taken by another client",
            Reason::TooFewChannels => "there are fewer channels than asked for",
            Reason::PolicyActive => "another policy is started",
            Reason::BadWindow => "the quantum must be above 0 and below the window",
            Reason::Fault => "the user memory cannot be used (bad address)",
            Reason::Interrupted => "interrupted by a signal",
            Reason::NoPause => "a channel cannot be paused by hardware",
            Reason::TraceActive => "another capture runs",
            Reason::NoProbe => "no copy routine of this kernel could be probed",
            Reason::SelfTest => "the trial copy of a channel ended with wrong bytes or not at all",
            Reason::NoMatch => "channels are free, none as asked for",
            Reason::TraceMemory => "rings and histogram would pass the module's limit of memory",
            Reason::TraceMapped => "rings of the last capture are still mapped",
        }
    }

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
            Reason::TooFewChannels => "ask for fewer with --channels, or let CPUs share: --fold",
            Reason::PolicyActive => "add --replace, or: sudo pontage dma policy stop",
            Reason::BadWindow => "for example --quantum 30us --window 90us",
            Reason::NoPause => "leave out --hardware-pause: the gate then stands before the submit",
            Reason::TraceActive => "end the other capture, or wait for it",
            Reason::NoProbe => {
                "a kernel with CONFIG_KRETPROBES whose copy routines are not inlined"
            }
            Reason::SelfTest => {
                "dmesg names the channel; choose another with --driver or --channel"
            }
            Reason::NoMatch => "pontage dma channels lists what there is",
            Reason::TraceMemory => "ask for fewer records or slots for each CPU",
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
