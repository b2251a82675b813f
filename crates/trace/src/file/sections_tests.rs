//! Files of version 7, compressed and not, with an instance; made here.

use super::tests::{head, pages};
use super::{open, open_instance};
use crate::bytes::Order;
use proptest::prelude::*;
use std::io::Write;

/// How bytes are packed; as `trace-cmd record --compression` names it.
fn packed(method: &str, bytes: &[u8]) -> Vec<u8> {
    match method {
        "zlib" => {
            let level = flate2::Compression::fast();
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        _ => {
            let level = ruzstd::encoding::CompressionLevel::Fastest;
            ruzstd::encoding::compress_to_vec(bytes, level)
        }
    }
}

/// Both sizes, and what is packed.
fn chunk(method: &str, bytes: &[u8]) -> Vec<u8> {
    let packed = packed(method, bytes);
    let mut chunk = (packed.len() as u32).to_le_bytes().to_vec();
    chunk.extend((bytes.len() as u32).to_le_bytes());
    chunk.extend(packed);
    chunk
}

pub(super) struct File {
    method: &'static str,
    pub bytes: Vec<u8>,
    options: Vec<u8>,
}

impl File {
    pub fn new(method: &'static str) -> File {
        let mut bytes = b"\x17\x08\x44tracing7\0\0\x08\0\x10\0\0".to_vec();
        bytes.extend(method.as_bytes());
        bytes.extend(b"\0one\0");
        bytes.extend([0; 8]);
        File {
            method,
            bytes,
            options: Vec::new(),
        }
    }

    pub fn option(&mut self, id: u16, bytes: &[u8]) {
        self.options.extend(id.to_le_bytes());
        self.options.extend((bytes.len() as u32).to_le_bytes());
        self.options.extend(bytes);
    }

    /// Returns where it begins.
    fn section(&mut self, id: u16, compressed: bool, contents: &[u8]) -> u64 {
        let contents = match compressed {
            true => chunk(self.method, contents),
            false => contents.to_vec(),
        };
        let at = self.bytes.len() as u64;
        self.bytes.extend(id.to_le_bytes());
        self.bytes.extend(u16::from(compressed).to_le_bytes());
        self.bytes.extend([0; 4]);
        self.bytes.extend((contents.len() as u64).to_le_bytes());
        self.bytes.extend(contents);
        at
    }

    /// A ring with one CPU; its pages in chunks of three.
    fn ring(&mut self, name: &str, pages: &[u8]) {
        let compressed = self.method != "none";
        let section = self.bytes.len() as u64;
        self.bytes.extend(3u16.to_le_bytes());
        self.bytes.extend(u16::from(compressed).to_le_bytes());
        self.bytes.extend([0; 12]);
        let at = self.bytes.len() as u64;
        match compressed {
            false => self.bytes.extend(pages),
            true => {
                let chunks: Vec<&[u8]> = pages.chunks(3 * 4096).collect();
                self.bytes.extend((chunks.len() as u32).to_le_bytes());
                for bytes in chunks {
                    self.bytes.extend(chunk(self.method, bytes));
                }
            }
        }
        let size = self.bytes.len() as u64 - at;
        let mut option = section.to_le_bytes().to_vec();
        option.extend(name.as_bytes());
        option.extend(b"\0mono\0");
        for number in [4096u32, 1, 2] {
            option.extend(number.to_le_bytes());
        }
        option.extend(at.to_le_bytes());
        option.extend(size.to_le_bytes());
        self.option(3, &option);
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.option(0, &[0; 8]);
        let options = std::mem::take(&mut self.options);
        let compressed = self.method != "none";
        let at = self.section(0, compressed, &options);
        let place = 18 + self.method.len() + 5;
        self.bytes[place..place + 8].copy_from_slice(&at.to_le_bytes());
        self.bytes
    }
}

fn whole(method: &'static str, ring: &str) -> Vec<u8> {
    let mut file = File::new(method);
    let text = head(Order::Little);
    let compressed = method != "none";
    let mut symbols = (text.kallsyms.len() as u32).to_le_bytes().to_vec();
    symbols.extend(text.kallsyms.as_bytes());
    let at = file.section(19, compressed, &symbols);
    file.option(19, &at.to_le_bytes());
    if !ring.is_empty() {
        // The machine's own ring, where nothing is in it.
        file.ring("", &[]);
    }
    file.ring(ring, &pages(Order::Little));
    file.finish()
}

fn opened(bytes: &[u8]) -> crate::Result<crate::Capture> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dat");
    std::fs::write(&path, bytes).unwrap();
    open(&path)
}

#[test]
fn compressed_or_not_the_events_are_the_same() {
    for method in ["none", "zlib", "zstd"] {
        for ring in ["", "instance"] {
            let capture = opened(&whole(method, ring)).unwrap();
            assert_eq!(capture.cpus.len(), 1, "{method}");
            assert_eq!(capture.cpus[0].cpu, 2);
            assert!(
                capture.cpus[0].to_vec().unwrap() == pages(Order::Little),
                "{method}"
            );
            assert_eq!(capture.merged().count(), 1000);
            assert_eq!(capture.head.kallsyms, head(Order::Little).kallsyms);
        }
    }
}

#[test]
fn an_instance_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dat");
    std::fs::write(&path, whole("zstd", "net")).unwrap();
    let count = |name| open_instance(&path, Some(name)).map(|c| c.merged().count());
    assert_eq!((count("net").unwrap(), count("top").unwrap()), (1000, 0));
    // The machine's own ring has no events.
    assert!(open(&path).unwrap().other_rings.is_empty());
    assert_eq!(
        open_instance(&path, Some("top")).unwrap().other_rings,
        ["net"]
    );
    let error = count("nett").unwrap_err().to_string();
    assert!(error.ends_with("it has top, net"), "{error}");
}

#[test]
fn what_cannot_be_decompressed_is_refused() {
    let mut other = whole("zstd", "");
    let at = other.windows(4).position(|w| w == b"zstd").unwrap();
    other[at..at + 4].copy_from_slice(b"lz44");
    let error = opened(&other).unwrap_err().to_string();
    assert!(
        error.contains("compressed by lz44; to convert: trace-cmd convert"),
        "{error}"
    );
    // A size that the bytes do not have.
    let mut wrong = whole("zlib", "");
    let first = 18 + 4 + 5 + 8;
    wrong[first + 20] ^= 1;
    let error = opened(&wrong).unwrap_err().to_string();
    assert!(error.contains("come out of it"), "{error}");
}

proptest! {
    #[test]
    fn a_file_with_wrong_bytes_is_read_or_refused(
        zstd in any::<bool>(), wrong in prop::collection::vec((0usize..3000, any::<u8>()), 1..6),
    ) {
        let mut bytes = whole(if zstd { "zstd" } else { "zlib" }, "");
        for (at, byte) in wrong {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        if let Ok(capture) = opened(&bytes) {
            let _ = capture.merged().count();
        }
    }
}
