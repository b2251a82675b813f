//! What is written is decoded again, by the same field numbers; those are pinned
//! by bytes that were put together by hand.

use super::event::{Ftrace, GenericValue, IrqEntry, SchedSwitch, What};
use super::messages::{Bundle, Data, Packet, Process, Trace};
use super::write;
use crate::export::sample_tests::capture;
use crate::select::Selection;
use prost::Message;

fn decoded() -> Vec<Packet> {
    let mut out = Vec::new();
    write(&capture(), &Selection::all(), &mut out, |e| panic!("{e}")).unwrap();
    Trace::decode(out.as_slice()).unwrap().packet
}

fn bundles() -> Vec<Bundle> {
    let bundle = |packet: Packet| match packet.data {
        Some(Data::Bundle(bundle)) => Some(bundle),
        _ => None,
    };
    decoded().into_iter().filter_map(bundle).collect()
}

#[test]
fn every_event_is_there_and_the_gap_before_its_bundle() {
    let bundles = bundles();
    assert_eq!(bundles.len(), 2);
    assert!(bundles.iter().all(|b| b.cpu == Some(1)));
    assert_eq!((bundles[0].lost_events, bundles[0].event.len()), (None, 9));
    assert_eq!(
        (bundles[1].lost_events, bundles[1].event.len()),
        (Some(true), 3)
    );
    let stamps: Vec<u64> = bundles
        .iter()
        .flat_map(|b| b.event.iter().filter_map(|e| e.timestamp))
        .collect();
    let stamp = |item: crate::Result<crate::Item<'_>>| match item.unwrap() {
        crate::Item::Event(event) => Some(event.at_ns),
        crate::Item::Lost(_) => None,
    };
    let capture = capture();
    let wanted: Vec<Option<u64>> = capture.merged().map(stamp).collect();
    let wanted: Vec<u64> = wanted.into_iter().flatten().collect();
    assert_eq!(stamps, wanted);
}

#[test]
fn fields_are_the_kernels() {
    let events: Vec<Ftrace> = bundles().into_iter().flat_map(|b| b.event).collect();
    assert_eq!(events[7].pid, Some(4));
    let Some(What::SchedSwitch(switch)) = &events[7].what else {
        panic!("{:?}", events[7]);
    };
    assert_eq!(
        *switch,
        SchedSwitch {
            prev_comm: Some("cat \"1\"".into()),
            prev_pid: Some(4),
            prev_prio: Some(120),
            prev_state: Some(256),
            next_comm: Some("dog".into()),
            next_pid: Some(5),
            next_prio: Some(90),
        }
    );
    let irq = IrqEntry {
        irq: Some(34),
        name: Some("timer".into()),
    };
    assert_eq!(events[1].what, Some(What::IrqHandlerEntry(irq)));
    let Some(What::TimerCancel(timer)) = &events[3].what else {
        panic!("{:?}", events[3]);
    };
    assert_eq!(timer.timer, Some(4096u64.wrapping_neg()));
    let Some(What::SchedWaking(waking)) = &events[6].what else {
        panic!("{:?}", events[6]);
    };
    // This kernel's event has no field of that name.
    assert_eq!((waking.pid, waking.success), (Some(5), None));
    let Some(What::Generic(odd)) = &events[8].what else {
        panic!("{:?}", events[8]);
    };
    assert_eq!(odd.event_name.as_deref(), Some("odd_event"));
    // There is no format for it.
    let Some(What::Generic(unknown)) = &events[11].what else {
        panic!("{:?}", events[11]);
    };
    assert_eq!(unknown.event_name.as_deref(), Some("event 99"));
    let values: Vec<_> = odd.field.iter().map(|f| f.value.clone().unwrap()).collect();
    assert_eq!(
        values,
        [
            GenericValue::Text("me".into()),
            GenericValue::Signed(-7),
            GenericValue::Text("1,2,3,4".into()),
        ]
    );
}

#[test]
fn names_clock_kernel_and_losses_stand_with_the_events() {
    let packets = decoded();
    let Some(Data::ClockSnapshot(clock)) = &packets[0].data else {
        panic!("{:?}", packets[0]);
    };
    assert_eq!(clock.primary, Some(6));
    assert!(clock.clocks.iter().all(|c| c.timestamp == Some(1_000_000)));
    let Some(Data::SystemInfo(info)) = &packets[1].data else {
        panic!("{:?}", packets[1]);
    };
    let release = info.utsname.as_ref().unwrap().release.as_deref();
    assert_eq!(release, Some("6.12.1-x"));
    let Some(Data::ProcessTree(tree)) = &packets[2].data else {
        panic!("{:?}", packets[2]);
    };
    let process = |pid, name: &str| Process {
        pid: Some(pid),
        cmdline: vec![name.to_owned()],
        cmdline_is_comm: Some(true),
    };
    assert_eq!(tree.processes, [process(4, "cat \"1\""), process(5, "dog")]);
    let Some(Data::FtraceStats(stats)) = &packets.last().unwrap().data else {
        panic!("{:?}", packets.last());
    };
    assert_eq!(
        (stats.cpus[0].cpu, stats.cpus[0].overrun),
        (Some(1), Some(12))
    );
}

#[test]
fn field_numbers_are_perfettos() {
    let event = Ftrace {
        timestamp: Some(3),
        pid: Some(4),
        common_flags: Some(1),
        what: Some(What::SchedSwitch(SchedSwitch {
            prev_pid: Some(5),
            prev_state: Some(1),
            ..SchedSwitch::default()
        })),
    };
    // timestamp 1, pid 2, sched_switch 4 { prev_pid 2, prev_state 4 }, common_flags
    // 5, in the order of their declaration.
    assert_eq!(
        event.encode_to_vec(),
        [0x08, 3, 0x10, 4, 0x22, 4, 0x10, 5, 0x20, 1, 0x28, 1]
    );
    let packet = Packet {
        timestamp: None,
        sequence: Some(1),
        data: Some(Data::Bundle(Bundle {
            cpu: Some(7),
            event: Vec::new(),
            lost_events: Some(true),
        })),
    };
    // ftrace_events 1 { cpu 1, lost_events 3 }, trusted_packet_sequence_id 10.
    assert_eq!(packet.encode_to_vec(), [0x0a, 4, 0x08, 7, 0x18, 1, 0x50, 1]);
}
