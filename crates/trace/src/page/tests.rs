//! Pages made here are read here; pages of the kernel's making are fixtures.

use super::{CpuReader, Item, Lost, PageWriter, header_word};
use crate::bytes::Order;
use crate::format::PageLayout;
use crate::head::TimeScale;
use crate::merge::Merged;
use proptest::prelude::*;

fn reader(pages: &[u8], layout: PageLayout, order: Order) -> Merged<'_> {
    Merged::new(vec![CpuReader::new(3, pages, 4096, layout, order)])
}

fn stamps(pages: &[u8], layout: PageLayout, order: Order) -> Vec<u64> {
    reader(pages, layout, order)
        .map(|i| i.unwrap().at_ns())
        .collect()
}

#[test]
fn events_come_out_as_they_went_in_whatever_machine() {
    for order in [Order::Little, Order::Big] {
        for long_bytes in [4, 8] {
            let layout = PageLayout::usual(long_bytes);
            let mut writer = PageWriter::new(4096, layout, order);
            let sent: Vec<(u64, Vec<u8>)> = (0..500u64)
                .map(|n| (n * n * 40_000, vec![n as u8; 4 + (n as usize % 60) * 4]))
                .collect();
            for (stamp, payload) in &sent {
                assert!(writer.push(*stamp, payload));
            }
            let pages = writer.finish();
            assert_eq!(pages.len() % 4096, 0);
            let got: Vec<(u64, Vec<u8>)> = reader(&pages, layout, order)
                .map(|item| match item.unwrap() {
                    Item::Event(e) => (e.at_ns, e.payload.to_vec()),
                    Item::Lost(l) => panic!("{l:?}"),
                })
                .collect();
            assert_eq!(got, sent, "{order:?} {long_bytes}");
        }
    }
}

#[test]
fn a_gap_stands_before_the_event_behind_it() {
    let layout = PageLayout::usual(8);
    let mut writer = PageWriter::new(4096, layout, Order::Little);
    writer.push(10, &[0; 8]);
    writer.lose(Some(77));
    writer.push(500, &[0; 8]);
    writer.lose(None);
    writer.push(900, &[0; 8]);
    let pages = writer.finish();
    let gap = |item: crate::Result<Item<'_>>| match item.unwrap() {
        Item::Lost(lost) => Some(lost),
        Item::Event(_) => None,
    };
    let items = reader(&pages, layout, Order::Little).map(gap);
    let gaps: Vec<Lost> = items.flatten().collect();
    let lost = |until_ns, count| Lost {
        cpu: 3,
        until_ns,
        count,
    };
    assert_eq!(gaps, [lost(500, Some(77)), lost(900, None)]);
}

/// A page of raw words behind a stamp of 1000.
fn page_of(words: &[u32]) -> Vec<u8> {
    let mut page = vec![0; 16];
    page[..8].copy_from_slice(&1000u64.to_le_bytes());
    page[8..16].copy_from_slice(&(words.len() as u64 * 4).to_le_bytes());
    for word in words {
        page.extend(word.to_le_bytes());
    }
    page.resize(4096, 0);
    page
}

#[test]
fn entries_that_are_no_events_move_the_clock() {
    let word = |type_len, delta| header_word(type_len, delta, Order::Little);
    let layout = PageLayout::usual(8);
    // A discarded event of 12 bytes, then one event.
    let discarded = page_of(&[word(29, 5), 8, 0, word(1, 7), 0xaaaa]);
    assert_eq!(stamps(&discarded, layout, Order::Little), [1012]);
    let extended = page_of(&[word(30, 3), 2, word(1, 0), 0xaaaa]);
    assert_eq!(stamps(&extended, layout, Order::Little), [1003 + (2 << 27)]);
    let absolute = page_of(&[word(31, 9), 4, word(1, 1), 0xaaaa]);
    assert_eq!(stamps(&absolute, layout, Order::Little), [(4 << 27) + 10]);
    // Nothing behind padding without a time counts.
    let unused = page_of(&[word(1, 1), 0xaaaa, word(29, 0), word(1, 1), 0xaaaa]);
    assert_eq!(stamps(&unused, layout, Order::Little), [1001]);
}

#[test]
fn an_absolute_stamp_keeps_the_bits_that_it_has_no_room_for() {
    let mut page = page_of(&[header_word(31, 9, Order::Little), 4, 0b0010_0001, 0xaaaa]);
    let top = 0b10101u64 << 59;
    page[..8].copy_from_slice(&(top | 123).to_le_bytes());
    let got = stamps(&page, PageLayout::usual(8), Order::Little);
    assert_eq!(got, [(top | (4 << 27)) + 9 + 1]);
}

#[test]
fn a_damaged_page_is_reported_once_and_the_next_is_read() {
    let layout = PageLayout::usual(8);
    let good = page_of(&[header_word(1, 1, Order::Little), 0xaaaa]);
    // A length of 0 in a long event; more bytes in use than there are; half a page.
    let endless = page_of(&[header_word(0, 1, Order::Little), 0]);
    let mut overfull = good.clone();
    overfull[8..16].copy_from_slice(&5000u64.to_le_bytes());
    let pages = [
        endless,
        good.clone(),
        overfull,
        good.clone(),
        good[..100].to_vec(),
    ]
    .concat();
    let read: Vec<Result<u64, String>> = reader(&pages, layout, Order::Little)
        .map(|i| i.map(|i| i.at_ns()).map_err(|e| e.to_string()))
        .collect();
    assert_eq!(read.iter().filter(|t| **t == Ok(1001)).count(), 2);
    let causes: Vec<&String> = read.iter().filter_map(|t| t.as_ref().err()).collect();
    assert_eq!(causes.len(), 3, "{causes:?}");
    assert!(causes[0].contains("page 0 of CPU 3"), "{}", causes[0]);
    assert!(causes[1].contains("5000 bytes in use"), "{}", causes[1]);
    assert!(causes[2].contains("100 bytes of 4096"), "{}", causes[2]);
}

#[test]
fn stamps_are_scaled_and_shifted() {
    let layout = PageLayout::usual(8);
    let page = page_of(&[header_word(1, 24, Order::Little), 0xaaaa]);
    let scale = TimeScale {
        mult: 3,
        shift: 1,
        offset: 100,
    };
    // The scale's own offset is not added: trace-cmd does not either.
    let plain = CpuReader::new(3, &page, 4096, layout, Order::Little);
    let mut timed = plain.timed(Some(scale), -36);
    assert_eq!(timed.read().unwrap().unwrap().at_ns(), 1024 * 3 / 2 - 36);
}

proptest! {
    #[test]
    fn any_bytes_end(bytes in prop::collection::vec(any::<u8>(), 0..9000), big in any::<bool>(), long in any::<bool>()) {
        let order = if big { Order::Big } else { Order::Little };
        let layout = PageLayout::usual(if long { 8 } else { 4 });
        // At most an item for each word, an error and a gap for each page.
        prop_assert!(reader(&bytes, layout, order).count() <= bytes.len() / 4 + 9);
    }

    #[test]
    fn bytes_behind_a_sound_header_end(mut bytes in prop::collection::vec(any::<u8>(), 4096), used in 0u64..4080) {
        bytes[8..16].copy_from_slice(&used.to_le_bytes());
        prop_assert!(reader(&bytes, PageLayout::usual(8), Order::Little).count() <= 4096 / 4);
    }
}
