//! Measures two things in turn, so that whatever slows the machine down slows both.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::Outcome;

/// Nanoseconds, with fractions: some figures are a few of them.
pub(crate) type Nanoseconds = f64;

/// The minimum number of measurements, however long it takes.
const LEAST_ROUNDS: usize = 7;
/// The maximum number of measurements.
const MOST_ROUNDS: usize = 1_000;

/// The cost of two things that were measured in turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pairs {
    /// The median of what is judged.
    pub(crate) measured: Nanoseconds,
    /// The median of what it is compared with.
    pub(crate) beside: Nanoseconds,
    /// The median of the ratios, each taken inside one pair.
    pub(crate) ratio: f64,
}

impl Pairs {
    /// Uses measurements from elsewhere, taken in turn like these.
    pub(crate) fn of(pairs: &[(Nanoseconds, Nanoseconds)]) -> Self {
        Self {
            measured: median(pairs.iter().map(|it| it.0).collect()),
            beside: median(pairs.iter().map(|it| it.1).collect()),
            ratio: median(pairs.iter().map(|it| it.0 / it.1).collect()),
        }
    }
}

/// Measures two things in turn for about `limit`, each of them first in every other pair.
pub(crate) fn interleaved(
    limit: Duration,
    mut measured: impl FnMut() -> Outcome<Nanoseconds>,
    mut beside: impl FnMut() -> Outcome<Nanoseconds>,
) -> Outcome<Pairs> {
    // The first of each is slower: files aren't in the cache, branches not learned.
    measured()?;
    beside()?;
    let started = Instant::now();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    while ours.len() < LEAST_ROUNDS || (ours.len() < MOST_ROUNDS && started.elapsed() < limit) {
        let (one, other) = if ours.len() % 2 == 0 {
            let one = measured()?;
            (one, beside()?)
        } else {
            let other = beside()?;
            (measured()?, other)
        };
        ours.push(one);
        theirs.push(other);
    }
    let pairs: Vec<_> = ours.into_iter().zip(theirs).collect();
    Ok(Pairs::of(&pairs))
}

/// Returns the value in the middle.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns how long something takes.
pub(crate) fn time<T>(action: impl FnOnce() -> Outcome<T>) -> Outcome<Nanoseconds> {
    let started = Instant::now();
    black_box(action()?);
    Ok(nanoseconds(started.elapsed()))
}

/// Returns how long one of many repetitions takes.
pub(crate) fn time_each(times: u32, mut action: impl FnMut()) -> Nanoseconds {
    let started = Instant::now();
    for _ in 0..times {
        action();
    }
    nanoseconds(started.elapsed()) / f64::from(times)
}

/// Returns a duration in nanoseconds.
pub(crate) fn nanoseconds(duration: Duration) -> Nanoseconds {
    duration.as_secs_f64() * 1e9
}
