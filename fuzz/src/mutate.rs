//! Damaging inputs: bits, ranges, words, nesting, and pieces of other seeds.

use crate::random::Random;
use crate::reshape::reshape;

/// Inputs never grow beyond this many bytes, so that a run tries many of them.
const LONGEST: usize = 16 * 1024;

/// Levels that are put around an input at once.
const NESTING: usize = 300;

/// Numbers at the edges of what readers take.
const NUMBERS: [&str; 8] = [
    "-1",
    "0",
    "1e999",
    "-0.0",
    "9223372036854775808",
    "18446744073709551616",
    "0.1e-400",
    "00",
];

/// Makes a new input from the seeds; the same one for the same state of `random`.
pub(crate) fn mutate(seeds: &[Vec<u8>], words: &[&str], random: &mut Random) -> Vec<u8> {
    let mut input = random.pick(seeds).cloned().unwrap_or_default();
    if random.below(2) == 0
        && let Some(mut reshaped) = reshape(&input, words, random)
    {
        reshaped.truncate(LONGEST);
        return reshaped;
    }
    for _ in 0..=random.below(8) {
        change(&mut input, seeds, words, random);
    }
    input.truncate(LONGEST);
    input
}

fn change(input: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str], random: &mut Random) {
    let place = random.below(input.len() + 1);
    let end = (place + 1 + random.below(16)).min(input.len());
    match random.below(10) {
        0 => {
            if let Some(byte) = input.get_mut(place) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            if let Some(byte) = input.get_mut(place) {
                *byte = random.byte();
            }
        }
        2 => input.truncate(place),
        3 if place < end => drop(input.drain(place..end)),
        4 if place < end => {
            let piece = input[place..end].to_vec();
            insert(input, place, &piece);
        }
        5 | 6 => {
            let word = random.pick(words).copied().unwrap_or_default();
            let quoted = if random.below(2) == 0 {
                format!("\"{word}\"")
            } else {
                word.to_owned()
            };
            insert(input, place, quoted.as_bytes());
        }
        7 => {
            let number = random.pick(&NUMBERS).copied().unwrap_or_default();
            insert(input, place, number.as_bytes());
        }
        8 => {
            let other = random.pick(seeds).cloned().unwrap_or_default();
            let from = random.below(other.len() + 1);
            input.truncate(place);
            input.extend_from_slice(other.get(from..).unwrap_or_default());
        }
        _ => nest(input, place, random),
    }
}

fn nest(input: &mut Vec<u8>, place: usize, random: &mut Random) {
    let depth = 1 + random.below(NESTING);
    let (open, close) = if random.below(2) == 0 {
        ("[", "]")
    } else {
        ("{\"a\":", "}")
    };
    let tail = input.split_off(place);
    input.extend_from_slice(open.repeat(depth).as_bytes());
    input.extend_from_slice(&tail);
    input.extend_from_slice(close.repeat(depth).as_bytes());
}

fn insert(input: &mut Vec<u8>, place: usize, piece: &[u8]) {
    input.splice(place..place, piece.iter().copied());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seed: u64, seeds: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut random = Random::new(seed);
        (0..2000)
            .map(|_| mutate(seeds, &["decision"], &mut random))
            .collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_inputs() {
        let seeds = [b"{\"a\": 1}".to_vec(), b"[]".to_vec()];
        assert_eq!(run(7, &seeds), run(7, &seeds));
        assert_ne!(run(7, &seeds), run(8, &seeds));
    }

    #[test]
    fn inputs_stay_short_and_words_turn_up() {
        let inputs = run(1, &[vec![b' '; LONGEST]]);
        assert!(inputs.iter().all(|input| input.len() <= LONGEST));
        let word = b"decision";
        assert!(
            inputs
                .iter()
                .any(|input| input.windows(word.len()).any(|part| part == word))
        );
    }

    #[test]
    fn no_seeds_are_no_obstacle() {
        assert_eq!(run(3, &[]).len(), 2000);
    }
}
