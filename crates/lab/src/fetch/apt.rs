//! apt with a state of its own: other architectures and suites than the host's,
//! and nothing of the host is changed. The host's settings for fetching (a
//! proxy, say) and its keys are used.

use super::sources;
use crate::command::{self, find};
use crate::data::Architecture;
use crate::stop::{Stop, cannot};
use crate::workshop::Workshop;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// How old the lists of packages may be.
const FRESH: Duration = Duration::from_secs(24 * 3600);

/// A private apt for one suite.
pub struct Apt<'a> {
    folder: PathBuf,
    downloads: PathBuf,
    shop: Workshop<'a>,
}

/// A file that an archive offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub file: String,
    pub bytes: u64,
}

impl<'a> Apt<'a> {
    /// Prepares the state for `suite` in the cache, and fetches lists of
    /// packages that are missing or old.
    ///
    /// # Errors
    /// Skips where there is no apt or the host knows no archive of Debian;
    /// fails where lists are missing and cannot be fetched.
    pub fn open(shop: Workshop<'a>, suite: &str) -> Result<Apt<'a>, Stop> {
        if find("apt-get").is_none() || find("dpkg").is_none() {
            return Err(Stop::skip(
                "kernels come as Debian packages, and apt-get is missing",
                "run on Debian, or in a Debian container",
            ));
        }
        let apt = Apt {
            folder: shop.cache.path("apt").join(suite),
            downloads: shop.cache.path("packages"),
            shop,
        };
        apt.write_configuration(suite)?;
        apt.update(suite)?;
        Ok(apt)
    }

    fn write_configuration(&self, suite: &str) -> Result<(), Stop> {
        let root = Path::new("/");
        let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
        let host = os_release(&release, "VERSION_CODENAME").unwrap_or_default();
        let archives = match os_release(&release, "ID").as_deref() {
            Some("debian") => sources::of_suite(&sources::read(root), &host, suite),
            _ => Vec::new(),
        };
        if archives.is_empty() {
            return Err(Stop::skip(
                format!("the host's package sources name no archive with Debian's {suite}"),
                "run on Debian with its own archive in /etc/apt/sources.list",
            ));
        }
        for below in [
            "state/lists/partial",
            "cache/archives/partial",
            "log",
            "parts",
        ] {
            let folder = self.folder.join(below);
            fs::create_dir_all(&folder).map_err(cannot("make", &folder))?;
        }
        fs::create_dir_all(&self.downloads).map_err(cannot("make", &self.downloads))?;
        self.write("state/status", "")?;
        let listed = sources::written(&archives, &["amd64", "arm64"]);
        self.write("lab.sources", &listed)?;
        self.write("apt.conf", &self.configuration()?)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Stop> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(cannot("write", &path))
    }

    fn configuration(&self) -> Result<String, Stop> {
        // How the host fetches; nothing else of its settings, hooks least of all.
        let mut dump = command::tied("apt-config");
        dump.args(["dump", "Acquire"]);
        let mut text = self.shop.run(&mut dump, "read apt's settings")?;
        let architecture = Architecture::of_host().map_or("amd64", Architecture::debian);
        let at = |below: &str| self.folder.join(below).display().to_string();
        let _ = write!(
            text,
            "Dir::State \"{}\";\nDir::State::status \"{}\";\nDir::Cache \"{}\";\nDir::Log \"{}\";\n\
             Dir::Etc::sourcelist \"{}\";\nDir::Etc::sourceparts \"-\";\n\
             Dir::Etc::main \"/dev/null\";\nDir::Etc::parts \"{}\";\n\
             APT::Architecture \"{architecture}\";\nAPT::Architectures {{ \"amd64\"; \"arm64\"; }};\n\
             APT::Sandbox::User \"root\";\nAcquire::Languages \"none\";\n",
            at("state"),
            at("state/status"),
            at("cache"),
            at("log"),
            at("lab.sources"),
            at("parts"),
        );
        Ok(text)
    }

    fn apt(&self, program: &str, words: &[&str]) -> Command {
        let mut command = command::tied(program);
        command.env("APT_CONFIG", self.folder.join("apt.conf"));
        command.args(words);
        command
    }

    fn update(&self, suite: &str) -> Result<(), Stop> {
        let say = self.shop.say;
        let stamp = self.folder.join("updated");
        let age = fs::metadata(&stamp)
            .and_then(|m| m.modified())
            .ok()
            .and_then(|at| SystemTime::now().duration_since(at).ok());
        if age.is_some_and(|age| age < FRESH) {
            return Ok(());
        }
        say(&format!("fetching the package lists of {suite}"));
        let words = ["-q", "-o", "APT::Update::Error-Mode=any", "update"];
        let mut update = self.apt("apt-get", &words);
        match self.shop.run(&mut update, "fetch the package lists") {
            Ok(_) => self.write("updated", ""),
            // Without a network yesterday's lists serve as well.
            Err(Stop::Failed { .. }) if age.is_some() => {
                say("could not fetch new package lists: using the old ones");
                self.write("updated", "")
            }
            Err(Stop::Failed { message, .. }) => {
                let error = message.lines().find(|line| line.starts_with("E: "));
                let error = error.unwrap_or("apt-get failed");
                Err(Stop::skip(
                    format!("cannot fetch the package lists of {suite}: {error}"),
                    "connect to a network; to test it: apt-get update",
                ))
            }
            Err(stop) => Err(stop),
        }
    }

    /// Names of packages that match a regular expression as a whole.
    ///
    /// # Errors
    /// As apt-cache.
    pub fn names(&self, pattern: &str) -> Result<Vec<String>, Stop> {
        let words = ["search", "--names-only", &format!("^{pattern}$")];
        let mut search = self.apt("apt-cache", &words);
        let found = self.shop.run(&mut search, "search the package lists")?;
        let first_word = |line: &str| line.split_whitespace().next().map(str::to_owned);
        Ok(found.lines().filter_map(first_word).collect())
    }

    /// The files that hold the newest of `packages` (`NAME:ARCHITECTURE`).
    ///
    /// # Errors
    /// When the archive has one of them not.
    pub fn offers(&self, packages: &[String]) -> Result<Vec<Offer>, Stop> {
        let mut list = self.apt("apt-get", &["download", "--print-uris"]);
        let doing = format!("find {}", packages.join(" "));
        let listed = self.shop.run(list.args(packages), &doing)?;
        Ok(listed.lines().filter_map(offer).collect())
    }

    /// Name and version of the newest `package`, fit for the name of a folder
    /// that make is to work in.
    ///
    /// # Errors
    /// As `offers`.
    pub fn newest(&self, package: &str) -> Result<String, Stop> {
        let offer = self.offers(&[package.to_owned()])?.pop();
        let file = offer.map_or(String::new(), |offer| offer.file);
        Ok(file.trim_end_matches(".deb").replace('%', ""))
    }

    /// Fetches `packages` and says where each file is; what is there already is
    /// only checked.
    ///
    /// # Errors
    /// As apt-get.
    pub fn fetch(&self, packages: &[String]) -> Result<Vec<PathBuf>, Stop> {
        let offers = self.offers(packages)?;
        let names = packages.join(" ");
        let missing = |o: &&Offer| {
            let there = fs::metadata(self.downloads.join(&o.file));
            !there.is_ok_and(|m| m.len() == o.bytes)
        };
        let bytes: u64 = offers.iter().filter(missing).map(|o| o.bytes).sum();
        if bytes > 0 {
            let megabytes = bytes.div_ceil(1_000_000);
            (self.shop.say)(&format!("fetching {names}, {megabytes} MB"));
        }
        let mut fetch = self.apt("apt-get", &["-q", "download"]);
        fetch.args(packages).current_dir(&self.downloads);
        if let Err(stop) = self.shop.run(&mut fetch, &format!("fetch {names}")) {
            // Lists of yesterday name files that may be gone today.
            let _ = fs::remove_file(self.folder.join("updated"));
            return Err(stop.hint("run it again: the package lists are then fetched again"));
        }
        Ok(offers
            .iter()
            .map(|o| self.downloads.join(&o.file))
            .collect())
    }
}

/// `'ADDRESS' FILE BYTES HASH`
fn offer(line: &str) -> Option<Offer> {
    let mut words = line.strip_prefix('\'')?.split_whitespace().skip(1);
    Some(Offer {
        file: words.next()?.to_owned(),
        bytes: words.next()?.parse().ok()?,
    })
}

fn os_release(text: &str, name: &str) -> Option<String> {
    let value = |line: &'_ str| {
        line.strip_prefix(name)?
            .strip_prefix('=')
            .map(str::to_owned)
    };
    Some(text.lines().find_map(value)?.trim_matches('"').to_owned())
}

/// Orders names that contain versions: numbers by value, the rest by letters.
pub fn by_version(name: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let letters = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (word, behind) = rest.split_at(letters);
        let digits = behind
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(behind.len());
        let (number, behind) = behind.split_at(digits);
        parts.push((word.to_owned(), number.parse().unwrap_or(0)));
        rest = behind;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{Offer, by_version, offer, os_release};

    #[test]
    fn a_hundred_and_seventeen_is_newer_than_ninety_five() {
        let mut names = [
            "linux-image-6.12.95+deb12-amd64",
            "linux-image-6.12.117+deb12-amd64",
        ];
        names.sort_by_key(|n| by_version(n));
        assert_eq!(names[1], "linux-image-6.12.117+deb12-amd64");
    }

    #[test]
    fn apts_answers_are_understood() {
        assert_eq!(
            offer("'http://a.example/x_1%3a2_all.deb' x_1%3a2_all.deb 1234 SHA256:00"),
            Some(Offer {
                file: "x_1%3a2_all.deb".to_owned(),
                bytes: 1234
            })
        );
        assert_eq!(offer("Get:1 http://a.example"), None);
        let text = "PRETTY_NAME=\"x\"\nVERSION_CODENAME=bookworm\nID=debian\n";
        assert_eq!(os_release(text, "ID").as_deref(), Some("debian"));
        assert_eq!(os_release(text, "VERSION"), None);
    }
}
