//! Which vector instructions this processor has, of those that programs are built
//! for. What they compute is the same with each.

/// A set of vector instructions. Only `sets` hands them out, so that one in hand
/// means that the processor has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    /// F, BW and VL.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// With FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// What every processor of the architecture has.
    Base,
}

impl Set {
    /// The field's name.
    pub fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "AVX2",
            Set::Base if cfg!(target_arch = "x86_64") => "SSE2",
            Set::Base if cfg!(target_arch = "aarch64") => "NEON",
            Set::Base => "plain",
        }
    }
}

/// Those of this processor, the widest first.
pub(crate) fn sets() -> impl Iterator<Item = Set> {
    #[cfg(target_arch = "x86_64")]
    let wide = [
        (has_avx512(), Set::Avx512),
        (
            is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            Set::Avx2,
        ),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let wide: [(bool, Set); 0] = [];
    wide.into_iter()
        .filter_map(|(had, set)| had.then_some(set))
        .chain([Set::Base])
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
}

pub(crate) fn widest() -> Set {
    sets().next().unwrap_or(Set::Base)
}
