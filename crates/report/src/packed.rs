//! Bytes that a page carries for its script: deflated, in base64. `ui/src/unpack.ts` reads them.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

/// A zlib stream in base64.
pub fn packed(bytes: &[u8]) -> String {
    packed_parts([bytes])
}

/// The same of bytes that come in parts, each made when the one before it is packed.
pub fn packed_parts(parts: impl IntoIterator<Item: AsRef<[u8]>>) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(6));
    let mut parts = parts.into_iter();
    let written = parts.try_for_each(|part| encoder.write_all(part.as_ref()));
    let packed = written.and_then(|()| encoder.finish());
    base64(&packed.expect("writing into memory does not fail"))
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let byte = |at: usize| u32::from(part.get(at).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= part.len() { digit.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }
}
