//! Numbers that look random but repeat with the same seed.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Generates numbers. A test prints the seed, so that its numbers can be generated again.
#[derive(Debug, Clone)]
pub struct SeededRng(u64);

impl SeededRng {
    /// Builds dice that throw the same numbers for the same seed.
    pub const fn from_seed(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a random seed.
    pub fn fresh_seed() -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(1, |since| u64::from(since.subsec_nanos()) ^ since.as_secs())
    }

    /// Returns a number from 0 up to, but not including, `bound`; 0 if there is none.
    pub const fn below(&mut self, bound: u64) -> u64 {
        // SplitMix64: every seed is a good one.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        match bound {
            0 => 0,
            bound => mixed % bound,
        }
    }

    /// Throws a time below a bound.
    pub fn time_below(&mut self, bound: Duration) -> Duration {
        let micros = u64::try_from(bound.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(self.below(micros))
    }
}
