//! Names of the system calls that experiments make and sandboxes forbid.

macro_rules! names {
    ($($(#[$where:meta])* $name:ident $number:ident,)*) => {
        const NAMES: &[(i64, &str)] = &[$($(#[$where])* (libc::$number as i64, stringify!($name)),)*];
    };
}

names! {
    bind SYS_bind,
    clone SYS_clone,
    clone3 SYS_clone3,
    connect SYS_connect,
    copy_file_range SYS_copy_file_range,
    eventfd2 SYS_eventfd2,
    execve SYS_execve,
    fallocate SYS_fallocate,
    prctl SYS_prctl,
    futex SYS_futex,
    io_uring_enter SYS_io_uring_enter,
    io_uring_register SYS_io_uring_register,
    io_uring_setup SYS_io_uring_setup,
    ioctl SYS_ioctl,
    kill SYS_kill,
    listen SYS_listen,
    madvise SYS_madvise,
    memfd_create SYS_memfd_create,
    mlock SYS_mlock,
    mlockall SYS_mlockall,
    #[cfg(target_pointer_width = "64")]
    mmap SYS_mmap,
    #[cfg(target_pointer_width = "32")]
    mmap2 SYS_mmap2,
    mprotect SYS_mprotect,
    mq_open SYS_mq_open,
    msgget SYS_msgget,
    openat SYS_openat,
    perf_event_open SYS_perf_event_open,
    pipe2 SYS_pipe2,
    process_vm_readv SYS_process_vm_readv,
    process_vm_writev SYS_process_vm_writev,
    sched_setaffinity SYS_sched_setaffinity,
    sched_setattr SYS_sched_setattr,
    sched_setscheduler SYS_sched_setscheduler,
    sendfile SYS_sendfile,
    setsockopt SYS_setsockopt,
    socket SYS_socket,
    socketpair SYS_socketpair,
    splice SYS_splice,
    timerfd_create SYS_timerfd_create,
    userfaultfd SYS_userfaultfd,
    vmsplice SYS_vmsplice,
}

/// `memfd_create`, or `451` where it has no name here.
pub fn described(call: i64) -> String {
    let known = NAMES.iter().find(|(number, _)| *number == call);
    known.map_or_else(|| call.to_string(), |(_, name)| (*name).to_owned())
}
