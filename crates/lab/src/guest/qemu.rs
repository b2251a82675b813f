//! The command line of QEMU for one guest.

use super::storage::Storage;
use crate::command;
use crate::data::{Machine, Share};
use std::path::{Path, PathBuf};
use std::process::Command;

/// One boot.
#[derive(Debug)]
pub struct Boot<'a> {
    pub machine: &'a Machine,
    pub image: PathBuf,
    pub initramfs: PathBuf,
    /// The run's folder: logs, and `out`.
    pub folder: &'a Path,
    pub shares: &'a [Share],
    pub append: &'a str,
    pub storage: &'a Storage,
    /// Which boot of several this is, from 1 on; None where there is one only.
    pub number: Option<u32>,
    /// Plugins by name, built.
    pub plugins: &'a [(String, PathBuf)],
    /// A person sits at the console.
    pub shell: bool,
}

/// The console's log in the run's folder, and the output of the tests.
pub const CONSOLE: &str = "console.log";
/// Log of the tests' output in the run's folder.
pub const TESTS: &str = "tests.log";
/// Folder for files that the guest writes.
pub const OUT: &str = "out";

/// What a plugin counted, in the run's folder.
pub fn table(plugin: &str) -> String {
    format!("{plugin}.tsv")
}

impl Boot<'_> {
    /// QEMU, ready to be started; it dies with us.
    pub fn command(&self) -> Command {
        let machine = self.machine;
        let mut qemu = command::tied(&machine.qemu);
        qemu.args([
            "-accel",
            machine.threads.accelerator(),
            "-display",
            "none",
            "-no-reboot",
        ]);
        qemu.args(&machine.options);
        for (word, value) in [("-machine", &machine.machine), ("-cpu", &machine.cpu)] {
            if let Some(value) = value {
                qemu.args([word, value]);
            }
        }
        if let Some(smp) = machine.smp {
            qemu.args(["-smp", &smp.to_string()]);
        }
        self.memory(&mut qemu);
        self.disks(&mut qemu);
        qemu.arg("-kernel").arg(&self.image);
        qemu.arg("-initrd").arg(&self.initramfs);
        self.ports(&mut qemu);
        self.shares(&mut qemu);
        self.plugins(&mut qemu);
        qemu.args(["-append", &self.words()]);
        qemu
    }

    /// Memory, and the NVDIMM: its file is shared, so what the guest has stored is
    /// there when QEMU is not.
    fn memory(&self, qemu: &mut Command) {
        let own_mib = self.machine.memory_mib;
        let Some((file, mib)) = &self.storage.nvdimm else {
            qemu.args(["-m", &format!("{own_mib}M")]);
            return;
        };
        let most_mib = own_mib + 2 * mib;
        let file = escaped(file);
        qemu.args(["-machine", "nvdimm=on"]);
        qemu.args(["-m", &format!("{own_mib}M,slots=1,maxmem={most_mib}M")]);
        let backend = format!("memory-backend-file,id=pmem,share=on,mem-path={file},size={mib}M");
        qemu.args(["-object", &backend]);
        qemu.args(["-device", "nvdimm,id=nvdimm,memdev=pmem"]);
    }

    fn disks(&self, qemu: &mut Command) {
        let device = self.machine.bus.device("virtio-blk");
        for (index, file) in self.storage.disks.iter().enumerate() {
            let file = escaped(file);
            let drive = format!("file={file},format=raw,if=none,id=disk{index},cache=writeback");
            qemu.args(["-drive", &drive]);
            qemu.args(["-device", &format!("{device},drive=disk{index}")]);
        }
    }

    fn ports(&self, qemu: &mut Command) {
        let log = |name: &str| escaped(&self.folder.join(name));
        let console = log(CONSOLE);
        if self.shell {
            // Ctrl-A X ends it; Ctrl-C is the guest's.
            let chardev = format!("stdio,id=console,mux=on,signal=off,logfile={console}");
            qemu.args(["-chardev", &chardev, "-serial", "chardev:console"]);
            qemu.args(["-mon", "chardev=console"]);
            return;
        }
        qemu.args(["-monitor", "none"]);
        qemu.args(["-chardev", &format!("file,id=console,path={console}")]);
        qemu.args(["-serial", "chardev:console"]);
        if self.machine.tests_port.is_some() {
            qemu.args(["-chardev", &format!("file,id=tests,path={}", log(TESTS))]);
            qemu.args(["-serial", "chardev:tests"]);
        }
    }

    fn shares(&self, qemu: &mut Command) {
        for share in self.shares {
            let (path, mode) = match share {
                Share::Results => (escaped(&self.folder.join(OUT)), ""),
                Share::Host => ("/".to_owned(), ",readonly=on,multidevs=remap"),
            };
            let tag = share.tag();
            let backend = format!("local,id={tag},path={path},security_model=none{mode}");
            let device = self.machine.bus.device("virtio-9p");
            qemu.args(["-fsdev", &backend]);
            qemu.args(["-device", &format!("{device},fsdev={tag},mount_tag={tag}")]);
        }
    }

    /// Each with its arguments, and the file in the run's folder where it counts.
    fn plugins(&self, qemu: &mut Command) {
        for (name, object) in self.plugins {
            let table = self.folder.join(table(name));
            let mut words = format!("{},out={}", escaped(object), escaped(&table));
            for (key, value) in self.machine.plugins.get(name).into_iter().flatten() {
                words.push_str(&format!(",{key}={value}"));
            }
            qemu.args(["-plugin", &words]);
        }
    }

    /// The kernel's command line.
    fn words(&self) -> String {
        let tags: Vec<&str> = self.shares.iter().map(|share| share.tag()).collect();
        let mut words = vec![
            format!("console={}", self.machine.console),
            // A panic ends QEMU; our lines in the log are never thinned out.
            "rdinit=/init panic=-1 quiet loglevel=5 printk.devkmsg=on".to_owned(),
            // A busy host may keep a guest's processor waiting for many seconds: no
            // lockup and no stall. A real one meets the scenario's deadline.
            "watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=300".to_owned(),
            "pontage.emulated=1".to_owned(),
            self.machine.append.clone(),
            self.append.to_owned(),
        ];
        if let (Some(port), false) = (&self.machine.tests_port, self.shell) {
            words.push(format!("pontage.tests={port}"));
        }
        if let Some(number) = self.number {
            words.push(format!("pontage.boot={number}"));
        }
        if self.shell {
            words.push("pontage.shell=1".to_owned());
        }
        if !tags.is_empty() {
            words.push(format!("pontage.shares={}", tags.join(",")));
        }
        words.retain(|w| !w.is_empty());
        words.join(" ")
    }
}

/// A path as QEMU's lists of options take it.
fn escaped(path: &Path) -> String {
    path.to_string_lossy().replace(',', ",,")
}

#[cfg(test)]
mod tests {
    use super::{Boot, Storage};
    use crate::data::{Machine, Share};
    use std::path::Path;

    const PC: &str = "about = 'x'\narchitecture = 'amd64'\nqemu = 'qemu-system-x86_64'\n\
        package = 'p'\nmemory_mib = 512\nconsole = 'ttyS0'\ntests_port = 'ttyS1'\n\
        append = 'tsc=reliable'\nbus = 'pci'\nends = 'poweroff'\n\
        [plugins.cache]\nl2_ways = 16\nengine = 2\n";

    fn words(shell: bool) -> String {
        let machine: Machine = toml::from_str(PC).unwrap();
        let boot = Boot {
            machine: &machine,
            image: "vmlinuz".into(),
            initramfs: "i.cpio".into(),
            folder: Path::new("/a,b"),
            shares: &[Share::Results, Share::Host],
            append: "extra=1",
            storage: &Storage {
                nvdimm: Some(("/a,b/nvdimm.img".into(), 64)),
                disks: vec!["/a,b/disk0.img".into()],
            },
            number: Some(2),
            plugins: &[("cache".to_owned(), "/a,b/cache.so".into())],
            shell,
        };
        let command = boot.command();
        let all: Vec<_> = command.get_args().map(|a| a.to_string_lossy()).collect();
        all.join(" ")
    }

    #[test]
    fn a_guest_is_emulated_says_so_and_dies_with_us() {
        let words = words(false);
        assert!(words.starts_with("--pdeathsig KILL "), "{words}");
        assert!(words.contains("-accel tcg"));
        assert!(words.contains("path=/a,,b/console.log"));
        assert!(words.contains("pontage.emulated=1 tsc=reliable extra=1 pontage.tests=ttyS1"));
        assert!(words.contains("pontage.boot=2"));
        assert!(words.contains("pontage.shares=out,host"));
        assert!(words.contains("path=/,security_model=none,readonly=on"));
        assert!(!words.contains("chardev=console"));
        let plugin = "-plugin /a,,b/cache.so,out=/a,,b/cache.tsv,engine=2,l2_ways=16 ";
        assert!(words.contains(plugin), "{words}");
    }

    #[test]
    fn storage_is_files_that_stay() {
        let words = words(false);
        assert!(
            words.contains("-machine nvdimm=on -m 512M,slots=1,maxmem=640M"),
            "{words}"
        );
        assert!(words.contains("share=on,mem-path=/a,,b/nvdimm.img,size=64M"));
        assert!(words.contains("file=/a,,b/disk0.img,format=raw,if=none,id=disk0"));
        assert!(words.contains("-device virtio-blk-pci,drive=disk0"));
    }

    #[test]
    fn a_shell_has_the_console_and_leaves_a_log() {
        let words = words(true);
        assert!(words.contains("mux=on,signal=off,logfile=/a,,b/console.log"));
        assert!(words.contains("pontage.shell=1"));
        assert!(!words.contains("pontage.tests"));
    }
}
