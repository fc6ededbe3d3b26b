//! Determines how hooks changed the messages: which they kept, edited, removed and added.

use std::ops::Range;

use hookloop_events::llm::{LlmMessage, Role};
use similar::{Algorithm, DiffTag, capture_diff_slices};

/// What happened to messages, in the order of the new ones. Every old and every new message is part
/// of exactly one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The old message stayed as it was.
    Keep {
        /// Its index among the old messages.
        old: usize,
    },
    /// The old message got the new one's text.
    Edit {
        /// Its index among the old messages.
        old: usize,
        /// The index among the new messages.
        new: usize,
    },
    /// The old message is gone.
    Remove {
        /// Its index among the old messages.
        old: usize,
    },
    /// The new message was added.
    Insert {
        /// Its index among the new messages.
        new: usize,
    },
}

/// A stretch of old and one of new messages between the same two equal ones.
struct Stretch {
    old: Range<usize>,
    new: Range<usize>,
}

/// The largest number of pairs that are weighed individually; a larger stretch that was rewritten
/// completely is paired by position, so that the time stays bounded.
const MAX_WEIGHED_PAIRS: usize = 1 << 14;
/// The base weight of a pair, just above that of full likeness: one more pair counts more than one
/// pair that is alike.
const PAIR: u32 = LIKENESS + 1;
/// The weight of full likeness.
const LIKENESS: u32 = 1_000;

/// Aligns the messages that hooks saw with those they gave: equal ones first, then, between
/// two equal ones, those of one role by likeness and position.
pub(crate) fn align(old: &[&LlmMessage], new: &[&LlmMessage]) -> Vec<Step> {
    let old_keys: Vec<_> = old.iter().map(|message| key(message)).collect();
    let new_keys: Vec<_> = new.iter().map(|message| key(message)).collect();
    let mut steps = Vec::with_capacity(old.len().max(new.len()));
    let (mut old_end, mut new_end) = (0, 0);
    for operation in capture_diff_slices(Algorithm::Myers, &old_keys, &new_keys) {
        let (tag, old_range, new_range) = operation.as_tag_tuple();
        if tag == DiffTag::Equal {
            let stretch = Stretch {
                old: old_end..old_range.start,
                new: new_end..new_range.start,
            };
            between_equals(old, new, stretch, &mut steps);
            (old_end, new_end) = (old_range.end, new_range.end);
            steps.extend(old_range.map(|old| Step::Keep { old }));
        }
    }
    let stretch = Stretch {
        old: old_end..old.len(),
        new: new_end..new.len(),
    };
    between_equals(old, new, stretch, &mut steps);
    steps
}

fn key(message: &LlmMessage) -> (bool, &str) {
    (message.role == Role::Model, &message.content)
}

/// Writes the steps of a stretch without equal messages.
fn between_equals(
    old_messages: &[&LlmMessage],
    new_messages: &[&LlmMessage],
    stretch: Stretch,
    steps: &mut Vec<Step>,
) {
    let Stretch { mut old, mut new } = stretch;
    let (old_start, new_start) = (old.start, new.start);
    for (paired_old, paired_new) in pairs(&old_messages[old.clone()], &new_messages[new.clone()]) {
        let (paired_old, paired_new) = (paired_old + old_start, paired_new + new_start);
        steps.extend((old.start..paired_old).map(|old| Step::Remove { old }));
        steps.extend((new.start..paired_new).map(|new| Step::Insert { new }));
        steps.push(Step::Edit {
            old: paired_old,
            new: paired_new,
        });
        old.start = paired_old + 1;
        new.start = paired_new + 1;
    }
    steps.extend(old.map(|old| Step::Remove { old }));
    steps.extend(new.map(|new| Step::Insert { new }));
}

/// Pairs the messages of a stretch, rising on both sides, each pair of one role.
fn pairs(old: &[&LlmMessage], new: &[&LlmMessage]) -> Vec<(usize, usize)> {
    if old.len().saturating_mul(new.len()) > MAX_WEIGHED_PAIRS {
        return (0..old.len().min(new.len()))
            .filter(|&index| old[index].role == new[index].role)
            .map(|index| (index, index))
            .collect();
    }
    // best[i][j] is the weight of the best pairing of old[i..] with new[j..].
    let width = new.len() + 1;
    let mut best = vec![0_u32; (old.len() + 1) * width];
    let mut weights = vec![0_u32; old.len() * new.len()];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let weight = weight(old[i], new[j]);
            weights[i * new.len() + j] = weight;
            let skipping = best[(i + 1) * width + j].max(best[i * width + j + 1]);
            let pairing = if weight == 0 {
                0
            } else {
                weight + best[(i + 1) * width + j + 1]
            };
            best[i * width + j] = skipping.max(pairing);
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while i < old.len() && j < new.len() {
        let weight = weights[i * new.len() + j];
        let here = best[i * width + j];
        // Pairing comes first, so that among equals the position decides.
        if weight > 0 && here == weight + best[(i + 1) * width + j + 1] {
            pairs.push((i, j));
            i += 1;
            j += 1;
        } else if here == best[i * width + j + 1] {
            j += 1;
        } else {
            i += 1;
        }
    }
    pairs
}

/// Weighs the pair of an old and a new message; 0 if they can't be one.
fn weight(old: &LlmMessage, new: &LlmMessage) -> u32 {
    if old.role == new.role {
        PAIR + similarity(&old.content, &new.content)
    } else {
        0
    }
}

/// Measures how much of two texts agrees at their ends, up to [`LIKENESS`].
fn similarity(left: &str, right: &str) -> u32 {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let longest = left.len().max(right.len()).max(1);
    let start = common(left.iter(), right.iter());
    let end = common(left[start..].iter().rev(), right[start..].iter().rev());
    let scaled = (start + end) as u128 * u128::from(LIKENESS) / longest as u128;
    u32::try_from(scaled).unwrap_or(LIKENESS)
}

fn common<'a>(left: impl Iterator<Item = &'a u8>, right: impl Iterator<Item = &'a u8>) -> usize {
    left.zip(right).take_while(|(a, b)| a == b).count()
}
