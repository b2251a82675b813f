//! Which task runs on which CPU: the measured one and its neighbour as near to each
//! other as was asked, all others apart from them.

use super::task::Seat;
use crate::crew::body::Host;
use crate::placement::partner_cpu;
use harness::affinity::format_list;
use harness::{Context, SetupError};
use record::Placement;

/// Seats of so many tasks: first the measured one, second its neighbour, then the
/// others. On one CPU (`same_cpu`) two share each CPU, else each has its own.
///
/// # Errors
/// `Skip` where there are too few CPUs, or none of this placement.
pub fn seats(
    placement: &str,
    tasks: usize,
    host: Host,
    context: &Context,
) -> Result<Vec<Seat>, SetupError> {
    let (here, there) = (context.test_cpu, partner_cpu(placement, context)?);
    let shared = here == there;
    let mut cpus = vec![here, there];
    for cpu in others(here, there, context) {
        cpus.push(cpu);
        if shared {
            cpus.push(cpu);
        }
    }
    if cpus.len() < tasks {
        return Err(too_few(tasks, cpus.len(), shared, context));
    }
    let seat = |(number, cpu): (u32, &u32)| Seat {
        number,
        cpu: *cpu,
        host,
        shared,
    };
    Ok((0..).zip(&cpus[..tasks]).map(seat).collect())
}

/// CPUs for those who are not measured: cores of their own first, near ones before
/// far ones, so that all share the caches that they would share at work.
fn others(here: u32, there: u32, context: &Context) -> Vec<u32> {
    let places = &context.card.places;
    let mut free: Vec<u32> = context.cpus.clone();
    free.retain(|cpu| *cpu != here && *cpu != there);
    let mut taken = vec![here, there];
    let between = |a, b| Placement::between(places, a, b);
    let best = |free: &[u32], taken: &[u32]| {
        let sibling = Some(Placement::SmtSibling);
        let crowds = |cpu| taken.iter().any(|other| between(cpu, *other) == sibling);
        let numbered = free.iter().enumerate();
        let best = numbered.min_by_key(|(_, cpu)| (crowds(**cpu), between(here, **cpu), **cpu));
        best.map(|(at, _)| at)
    };
    while let Some(at) = best(&free, &taken) {
        taken.push(free.remove(at));
    }
    taken.split_off(2)
}

fn too_few(tasks: usize, seats: usize, shared: bool, context: &Context) -> SetupError {
    let have = format_list(&context.cpus);
    let (each, needed, other) = match shared {
        true => ("two to a CPU", tasks.div_ceil(2), ""),
        false => {
            let share = ", or put two on each CPU: --placement same_cpu";
            ("one per CPU", tasks, share)
        }
    };
    SetupError::skip(
        format!(
            "{tasks} tasks, {each}, need {needed} CPUs; this process may use CPUs {have}, which \
             have room for {seats}"
        ),
        format!("fewer tasks: --tasks 1+1{other}"),
    )
}

#[cfg(test)]
mod tests {
    use super::seats;
    use crate::crew::body::Host;
    use harness::{Context, SetupError};
    use record::CpuPlace;
    use testbed::context;

    /// Four cores of two threads: CPU n and n + 4.
    fn eight() -> Context {
        let (mut context, _keep) = context();
        context.test_cpu = 1;
        context.cpus = (0..8).collect();
        context.card.places = (0..8)
            .map(|cpu| CpuPlace {
                cpu,
                core: cpu % 4,
                cluster: None,
                last_level: Some(cpu % 4 / 2),
                socket: 0,
                node: None,
            })
            .collect();
        context
    }

    fn cpus(placement: &str, tasks: usize) -> Vec<u32> {
        let seats = seats(placement, tasks, Host::Process, &eight()).unwrap();
        seats.iter().map(|seat| seat.cpu).collect()
    }

    #[test]
    fn the_neighbour_is_where_it_was_asked_and_others_have_cores_of_their_own() {
        assert_eq!(cpus("smt_sibling", 4), [1, 5, 0, 2]);
        assert_eq!(cpus("same_cache", 4), [1, 0, 2, 3]);
        assert_eq!(cpus("same_socket", 3), [1, 2, 0]);
        // The siblings of threads in use come last.
        assert_eq!(cpus("smt_sibling", 8), [1, 5, 0, 2, 3, 4, 6, 7]);
    }

    #[test]
    fn on_one_cpu_two_share_each() {
        assert_eq!(cpus("same_cpu", 6), [1, 1, 0, 0, 2, 2]);
        let mut two = eight();
        two.cpus = vec![0, 1];
        let seated = seats("same_cpu", 4, Host::Process, &two).unwrap();
        assert!(seated.iter().all(|seat| seat.shared));
        let numbers: Vec<u32> = seated.iter().map(|seat| seat.number).collect();
        assert_eq!(numbers, [0, 1, 2, 3]);
    }

    #[test]
    fn a_placement_that_is_not_there_names_those_that_are() {
        let refused = seats("other_socket", 2, Host::Process, &eight()).unwrap_err();
        let SetupError::Skip { remedy, .. } = refused else {
            panic!("a skip");
        };
        let expected = "placement=same_cpu,smt_sibling,same_cache,same_socket,";
        assert!(remedy.contains(expected), "{remedy}");
    }

    #[test]
    fn too_few_cpus_are_refused_with_what_would_do() {
        let refused = seats("smt_sibling", 9, Host::Process, &eight()).unwrap_err();
        let SetupError::Skip { reason, remedy } = refused else {
            panic!("a skip");
        };
        assert!(
            reason.contains("9 tasks") && reason.contains("which have room for 8"),
            "{reason}"
        );
        assert!(
            remedy.contains("--tasks 1+1") && remedy.contains("same"),
            "{remedy}"
        );
    }
}
