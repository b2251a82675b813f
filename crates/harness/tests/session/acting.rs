//! What a point does while it is measured: well or badly.

use harness::Context;
use harness::Point;
use harness::SetupError;
use harness::Subject;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::process::Stdio;
use std::time::Duration;

pub struct Acting {
    kind: String,
    file: PathBuf,
    verified: u32,
}

impl Subject for Acting {
    fn batch(&mut self, _part: u16, ops: u64) {
        for op in 0..ops {
            std::hint::black_box(op);
        }
        match self.kind.as_str() {
            // SAFETY: raise takes a number.
            "segv" => unsafe {
                libc::raise(libc::SIGSEGV);
            },
            // SAFETY: as above.
            "ill" => unsafe {
                libc::raise(libc::SIGILL);
            },
            "bus" => touch_what_is_gone(&self.file),
            // SAFETY: as above.
            "kill" => unsafe {
                libc::raise(libc::SIGKILL);
            },
            // SAFETY: as above.
            "xcpu" => unsafe {
                libc::raise(libc::SIGXCPU);
            },
            "large" => outgrow(&self.file),
            "forbidden" => make_a_forbidden_call(),
            "exit" => std::process::exit(3),
            "panic" => panic!("out of cheese"),
            "hang" => hang(&self.file),
            "toil-by-child" => toil_by_a_child(),
            "print" => println!("a library that prints"),
            "child" => leave_child(&self.file),
            _ => {}
        }
    }

    fn verify(&mut self) -> Result<(), harness::Fault> {
        self.verified += 1;
        match (self.kind.as_str(), self.verified) {
            ("late", 2) => Err(harness::Fault::Slow("the partner is slow".to_owned())),
            _ => Ok(()),
        }
    }

    fn recorded(&self) -> Option<u32> {
        (self.kind == "recorded-nothing").then_some(0)
    }

    fn notes(&self) -> Vec<String> {
        vec![format!("I am {}", self.kind)]
    }
}

pub fn hang(file: &Path) {
    std::fs::write(file, std::process::id().to_string()).unwrap();
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Sleeps while a child works for ever.
pub fn toil_by_a_child() {
    let line = "while :; do :; done";
    let child = Command::new("sh").args(["-c", line]).spawn();
    let _ = child.unwrap().wait();
}

/// Reads a page of a file that has been cut.
pub fn touch_what_is_gone(file: &Path) {
    use std::os::fd::AsRawFd;
    let cut = std::fs::File::create_new(file.with_extension("cut")).unwrap();
    // SAFETY: a new mapping of an open file; reading it is what ends this process.
    unsafe {
        let page = libc::mmap(
            std::ptr::null_mut(),
            4096,
            libc::PROT_READ,
            libc::MAP_SHARED,
            cut.as_raw_fd(),
            0,
        );
        std::ptr::read_volatile(page.cast::<u8>());
    }
}

/// Writes beyond RLIMIT_FSIZE, which nothing here survives.
pub fn outgrow(file: &Path) {
    let limit = libc::rlimit {
        rlim_cur: 1,
        rlim_max: 1,
    };
    // SAFETY: the structure lives through the call.
    unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) };
    std::fs::write(file.with_extension("large"), "more than one byte").unwrap();
}

pub fn make_a_forbidden_call() {
    use seccompiler::{SeccompAction, SeccompFilter, TargetArch};
    let call = harness::widths::whole(libc::SYS_memfd_create).cast_signed();
    let rules = std::collections::BTreeMap::from([(call, Vec::new())]);
    let here = TargetArch::try_from(std::env::consts::ARCH).unwrap();
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Trap, here).unwrap();
    let program: seccompiler::BpfProgram = filter.try_into().unwrap();
    seccompiler::apply_filter(&program).unwrap();
    // SAFETY: makes a file; the name lives through the call.
    unsafe { libc::memfd_create(c"x".as_ptr(), 0) };
}

/// Leaves a sleeping child that holds all our pipes open, then crashes.
pub fn leave_child(file: &Path) {
    let child = Command::new("sleep")
        .arg("600")
        .stdin(Stdio::null())
        .spawn();
    std::fs::write(file, child.unwrap().id().to_string()).unwrap();
    std::process::abort();
}

pub fn set_up(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let kind = point.word("kind").to_owned();
    match kind.as_str() {
        "skip" => return Err(SetupError::skip("no such device", "modprobe it")),
        "fail" => return Err(SetupError::fail("open x", "no such file")),
        "setup-abort" => std::process::abort(),
        "setup-hang" => std::thread::sleep(Duration::from_secs(600)),
        "setup-panic" => panic!("no cheese"),
        "setup-late" => return Err(harness::Fault::Slow("the partner is slow".to_owned()).into()),
        "traced" => context.keep_trace("switches", &empty_capture()),
        _ => {}
    }
    let file = context.scratch.with_file_name("pid");
    Ok(Box::new(Acting {
        kind,
        file,
        verified: 0,
    }))
}

pub fn empty_capture() -> trace::Capture {
    let head = trace::Head::empty(trace::Order::Little, 8, 4096);
    trace::Capture::new(head, vec![trace::CpuPages::owned(0, Vec::new())]).unwrap()
}
