use super::*;

/// A cache level: capacity in KiB and latency in ns.
struct Truth {
    levels: &'static [(f64, f64)],
    beyond_ns: f64,
    /// Sharp edges (a cyclic walk under LRU) or misses growing as
    /// 1 - capacity / working set (a random walk).
    sharp: bool,
}

impl Truth {
    fn latency(&self, kib: f64) -> f64 {
        let mut inner_miss = 1.0;
        let mut total = 0.0;
        for (capacity, ns) in self.levels {
            let miss = if kib <= *capacity {
                0.0
            } else if self.sharp {
                1.0
            } else {
                1.0 - capacity / kib
            };
            total += (inner_miss - f64::min(inner_miss, miss)) * ns;
            inner_miss = f64::min(inner_miss, miss);
        }
        total + inner_miss * self.beyond_ns
    }
}

fn curve(
    latency: impl Fn(f64) -> f64,
    per_octave: u32,
    octaves: u32,
    noise: f64,
    seed: u64,
) -> Vec<CurvePoint> {
    let mut rng = Rng::new(seed);
    (0..=per_octave * octaves)
        .map(|i| {
            let x = 2f64.powf(f64::from(i) / f64::from(per_octave));
            let median = latency(x) * (noise * rng.normal()).exp();
            let half = (1.96 * noise).exp();
            CurvePoint::new(x, median, median / half, median * half)
        })
        .collect()
}

fn found(points: &[CurvePoint]) -> Plateaus {
    plateaus(
        points,
        PlateauOptions {
            redraws: 40,
            ..PlateauOptions::default()
        },
    )
    .expect("valid curve")
}

/// Share of noisy curves in which number, capacities and latencies of the
/// levels come out right: capacities to `octaves`, latencies to 15 %.
fn success(truth: &Truth, noise: f64, octaves: f64) -> f64 {
    let trials = 40;
    let right = (0..trials).filter(|seed| {
        let points = curve(|x| truth.latency(x), 4, 17, noise, *seed);
        let levels = once(&points, PlateauOptions::default().smallest_ratio);
        levels.len() == truth.levels.len() + 1
            && truth
                .levels
                .iter()
                .zip(&levels)
                .all(|((capacity, ns), level)| {
                    let at = level.capacity.map_or(f64::NAN, |c| c.at.center);
                    (at / capacity).log2().abs() <= octaves
                        && (level.value.center / ns).ln().abs() < 0.15
                })
    });
    right.count() as f64 / trials as f64
}

const ONE: Truth = Truth {
    levels: &[(48.0, 1.0)],
    beyond_ns: 80.0,
    sharp: true,
};
const TWO: Truth = Truth {
    levels: &[(32.0, 1.0), (512.0, 4.0)],
    beyond_ns: 90.0,
    sharp: true,
};
const THREE: Truth = Truth {
    levels: &[(48.0, 1.0), (1024.0, 3.4), (16384.0, 12.0)],
    beyond_ns: 110.0,
    sharp: true,
};

#[test]
fn sharp_edges_are_found_at_once() {
    for truth in [&ONE, &TWO, &THREE] {
        for noise in [0.01, 0.05] {
            let rate = success(truth, noise, 0.26);
            assert!(
                rate >= 0.9,
                "{} levels, noise {noise}: {rate}",
                truth.levels.len()
            );
        }
    }
}

#[test]
fn gradual_transitions_are_tolerated() {
    let truth = Truth {
        sharp: false,
        ..TWO
    };
    for noise in [0.01, 0.03] {
        let points = curve(|x| truth.latency(x), 4, 17, noise, 3);
        let found = found(&points);
        assert_eq!(found.levels.len(), 3, "{found:?}");
        let edge = |i: usize| found.levels[i].capacity.expect("an inner level");
        assert!((edge(0).at.center / 32.0).log2().abs() <= 0.5, "{found:?}");
        assert!((edge(1).at.center / 512.0).log2().abs() <= 0.5, "{found:?}");
        assert!(edge(0).transition_end_x > edge(0).next_x, "{found:?}");
    }
}

#[test]
fn levels_that_a_random_walk_never_quite_reaches() {
    // Three octaves from 32 KiB to 256 KiB: 1/8 still hits at the end.
    let truth = Truth {
        levels: &[(32.0, 3.0), (256.0, 9.0), (8192.0, 30.0)],
        beyond_ns: 150.0,
        sharp: false,
    };
    for (noise, least) in [(0.01, 0.95), (0.03, 0.9)] {
        let rate = success(&truth, noise, 0.51);
        assert!(rate >= least, "noise {noise}: {rate}");
    }
}

#[test]
fn a_flat_curve_is_one_level() {
    for seed in 0..20 {
        let found = once(&curve(|_| 90.0, 4, 10, 0.05, seed), 1.3);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].capacity, None);
    }
}

#[test]
fn a_bump_of_the_tlb_is_no_level() {
    let bump = |x: f64| if x > 256.0 { 1.2 } else { 1.0 };
    for seed in 0..10 {
        let points = curve(
            |x| TWO.latency(x) * if x > 128.0 { bump(x) } else { 1.0 },
            4,
            17,
            0.02,
            seed,
        );
        let levels = once(&points, 1.3);
        assert_eq!(levels.len(), 3, "{levels:?}");
    }
}

#[test]
fn a_sloping_last_region_is_the_last_level() {
    let creeping = |x: f64| {
        TWO.latency(x)
            * if x > 4096.0 {
                (x / 4096.0).powf(0.3)
            } else {
                1.0
            }
    };
    let points = curve(creeping, 4, 17, 0.02, 1);
    let found = found(&points);
    assert_eq!(found.levels.len(), 3, "{found:?}");
    assert!(found.levels[2].value.center > 85.0 && found.levels[2].capacity.is_none());
}

#[test]
fn one_wild_point_makes_no_level() {
    let mut points = curve(|x| THREE.latency(x), 4, 17, 0.02, 2);
    for (at, factor) in [(8, 3.0), (30, 0.3), (44, 2.5)] {
        let p = &mut points[at];
        (p.y.center, p.y.low, p.y.high) =
            (p.y.center * factor, p.y.low * factor, p.y.high * factor);
    }
    assert_eq!(found(&points).levels.len(), 4);
}

#[test]
fn intervals_hold_their_values_and_confidence_is_high_on_clear_curves() {
    let found = found(&curve(|x| THREE.latency(x), 4, 17, 0.02, 9));
    assert!(found.confidence > 0.9, "{found:?}");
    for level in &found.levels {
        assert!(level.value.contains(level.value.center));
        if let Some(edge) = level.capacity {
            assert!(
                edge.at.low <= edge.at.center
                    && edge.at.center < edge.next_x
                    && edge.next_x <= edge.at.high
            );
            assert!(edge.confidence > 0.9, "{edge:?}");
        }
    }
}

#[test]
fn confidence_falls_when_the_points_know_less() {
    let vague = |half: f64| {
        let mut points = curve(|x| TWO.latency(x), 4, 17, 0.01, 4);
        for p in &mut points {
            (p.y.low, p.y.high) = (p.y.center / half, p.y.center * half);
        }
        found(&points).confidence
    };
    assert!(vague(3.0) < vague(1.02), "{} {}", vague(3.0), vague(1.02));
}

#[test]
fn unfit_curves_are_refused() {
    let good = curve(|_| 1.0, 1, 8, 0.01, 0);
    let with = |change: fn(&mut CurvePoint)| {
        let mut points = good.clone();
        change(&mut points[2]);
        plateaus(&points, PlateauOptions::default())
    };
    assert!(matches!(
        plateaus(&good[..5], PlateauOptions::default()),
        Err(StatsError::TooFew { .. })
    ));
    assert!(matches!(
        with(|p| p.y.center = f64::NAN),
        Err(StatsError::NotFinite { .. })
    ));
    assert!(matches!(
        with(|p| p.y.low = 0.0),
        Err(StatsError::OutOfRange { .. })
    ));
    assert!(
        matches!(with(|p| p.x = 1.0), Err(StatsError::OutOfRange { .. })),
        "x twice"
    );
    assert!(matches!(
        with(|p| p.y.low = p.y.high * 2.0),
        Err(StatsError::OutOfRange { .. })
    ));
}

#[test]
fn a_sharp_edge_has_arrived_at_the_next_point() {
    for (truth, noise) in [(&ONE, 0.0), (&TWO, 0.0), (&THREE, 0.02)] {
        let levels = found(&curve(|x| truth.latency(x), 4, 17, noise, 5)).levels;
        for edge in levels.iter().filter_map(|level| level.capacity) {
            assert_eq!(edge.transition_end_x, edge.next_x, "{edge:?}");
        }
        assert_eq!(levels.len(), truth.levels.len() + 1);
    }
}
