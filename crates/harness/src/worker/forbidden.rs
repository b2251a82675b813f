//! The last event of a measuring process that a seccomp filter ends.

use record::{HEADER_BYTES, frame_header};
use std::io::Write;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicI32, Ordering};

/// Where events go, and of which process: children that were forked share the handler,
/// not the pipe.
static EVENTS: AtomicI32 = AtomicI32::new(-1);
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// Has SIGSYS name the forbidden call on `events` before it ends this process.
pub fn report_on(events: RawFd) {
    // Before sigaction(2), so that the handler finds both.
    // SAFETY: takes nothing and cannot fail.
    PROCESS.store(unsafe { libc::getpid() }, Ordering::Relaxed);
    EVENTS.store(events, Ordering::Relaxed);
    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = forbidden;
    // SAFETY: the structure is zeroed, which is valid, and lives through the call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as libc::sighandler_t;
        // Once; the second time it ends the process.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESETHAND;
        libc::sigaction(libc::SIGSYS, &raw const action, std::ptr::null_mut());
    }
}

/// The part of siginfo_t that SIGSYS fills.
#[repr(C)]
struct Refused {
    signo: libc::c_int,
    errno: libc::c_int,
    code: libc::c_int,
    address: *mut libc::c_void,
    call: libc::c_int,
}

/// Allocates nothing: the call may have come from within the allocator.
extern "C" fn forbidden(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    // SAFETY: the kernel hands over a siginfo_t, which for SIGSYS begins as `Refused`;
    // the calls take numbers.
    let (call, own) = unsafe {
        let call = (*info.cast::<Refused>()).call;
        (call, libc::getpid() == PROCESS.load(Ordering::Relaxed))
    };
    if own {
        send(call, EVENTS.load(Ordering::Relaxed));
    }
    // SAFETY: sends a signal to the calling thread; the default, which ends the process,
    // was put back when this handler was entered.
    unsafe { libc::raise(signal) };
}

fn send(call: libc::c_int, events: RawFd) {
    let mut frame = [0u8; 96];
    let mut rest = &mut frame[HEADER_BYTES..];
    let room = rest.len();
    let fits = write!(rest, r#"{{"event":"forbidden","call":{call}}}"#).is_ok();
    let length = room - rest.len();
    let Some(head) = u32::try_from(length).ok().filter(|_| fits) else {
        return;
    };
    let header = frame_header(head, &frame[HEADER_BYTES..HEADER_BYTES + length]);
    frame[..HEADER_BYTES].copy_from_slice(&header);
    // SAFETY: writes live bytes. It was the last thing to try.
    unsafe { libc::write(events, frame.as_ptr().cast(), HEADER_BYTES + length) };
}

#[cfg(test)]
mod tests {
    use super::send;
    use crate::worker::Event;
    use record::FrameReader;
    use std::io::Seek;
    use std::os::fd::AsRawFd;

    #[test]
    fn last_words_are_an_event() {
        for call in [0, 319, libc::c_int::MAX, libc::c_int::MIN] {
            let mut file = tempfile::tempfile().unwrap();
            send(call, file.as_raw_fd());
            file.rewind().unwrap();
            let payload = FrameReader::new(file).next().unwrap().unwrap();
            let event: Event = serde_json::from_slice(&payload).unwrap();
            assert_eq!(event, Event::Forbidden { call: call.into() });
        }
    }
}
