//! Waiting for another side: a spin, then sleeps; after each it is checked whether the
//! other side still lives and whether the wait takes too long.

use harness::long_wait::LongWait;

/// Why a wait ended without what was waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missed<L> {
    /// The other side is lost, as this says.
    Lost(L),
    /// It is there, and takes too long.
    Late,
}

/// Looks so many times without a rest. Whether it is there.
#[inline]
pub fn spin(looks: u32, there: impl Fn() -> bool) -> bool {
    for _ in 0..looks {
        if there() {
            return true;
        }
        std::hint::spin_loop();
    }
    false
}

/// Rests by `rest` until `there`; `lost` says how the other side was lost.
///
/// # Errors
/// It is lost, or `patience` is over.
pub fn asleep<L>(
    mut patience: LongWait,
    there: impl Fn() -> bool,
    mut lost: impl FnMut() -> Option<L>,
    mut rest: impl FnMut(),
) -> Result<(), Missed<L>> {
    while !there() {
        if let Some(how) = lost() {
            return Err(Missed::Lost(how));
        }
        if patience.is_over() {
            return Err(Missed::Late);
        }
        rest();
    }
    Ok(())
}
