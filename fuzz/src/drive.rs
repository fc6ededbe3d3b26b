//! Running a target on many inputs, and keeping the input that breaks it.

use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use hookloop_fuzz::targets::Target;

use crate::mutate::mutate;
use crate::random::Random;

/// A reader that hasn't come back from one input by then never will.
const HANG: Duration = Duration::from_secs(30);

/// How long to run, from which state, and what to keep.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) duration: Duration,
    pub(crate) seed: u64,
    pub(crate) record: Record,
    /// The folder of this crate, which contains `seeds/` and gets `artifacts/`.
    pub(crate) folder: PathBuf,
}

/// Which inputs are written to disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Record {
    /// Only one that breaks the target.
    Broken,
    /// Each one before it runs: finds an input that ends the whole process.
    Every,
}

/// How a run of one target ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Nothing broke; so many inputs were tried.
    Passed(u64),
    /// This input made the target panic.
    Panicked(Vec<u8>),
    /// The target didn't come back from this input.
    Hung(Vec<u8>),
}

/// What the worker tells the one who watches it.
enum Report {
    Begins(Vec<u8>),
    Ends(Ending),
}

/// Runs the target on its seeds and then on damaged ones until the time is over.
///
/// The target runs on a thread of its own, so that a hang is noticed and named.
pub(crate) fn drive(target: Target, plan: &Plan) -> io::Result<Ending> {
    let seeds = read_seeds(&plan.folder.join("seeds").join(target.name))?;
    let record = (plan.record == Record::Every)
        .then(|| artifact(&plan.folder, target.name, "last"))
        .transpose()?;
    let (sender, receiver) = mpsc::channel();
    let (duration, seed) = (plan.duration, plan.seed);
    thread::spawn(move || {
        let mut feeder = Feeder {
            target,
            record,
            sender,
        };
        let ending = feeder.run(&seeds, Random::new(seed), duration);
        // Nobody listens any more only after a hang, which has been reported.
        let _ = feeder.sender.send(Report::Ends(ending));
    });
    let mut current = Vec::new();
    loop {
        match receiver.recv_timeout(HANG) {
            Ok(Report::Begins(input)) => current = input,
            Ok(Report::Ends(ending)) => return Ok(ending),
            Err(RecvTimeoutError::Timeout) => return Ok(Ending::Hung(current)),
            Err(RecvTimeoutError::Disconnected) => return Ok(Ending::Panicked(current)),
        }
    }
}

/// Runs the target once, on the input in a file.
pub(crate) fn replay(target: Target, file: &Path) -> io::Result<Ending> {
    let input = fs::read(file)?;
    Ok(if survives(target, &input) {
        Ending::Passed(1)
    } else {
        Ending::Panicked(input)
    })
}

/// Writes an input that broke a target, and says where.
pub(crate) fn keep(folder: &Path, target: &str, input: &[u8]) -> io::Result<PathBuf> {
    // FNV-1a: the same input always gets the same name.
    let hash = input.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let path = artifact(folder, target, &format!("{hash:016x}"))?;
    fs::write(&path, input)?;
    Ok(path)
}

struct Feeder {
    target: Target,
    record: Option<PathBuf>,
    sender: Sender<Report>,
}

impl Feeder {
    fn run(&mut self, seeds: &[Vec<u8>], mut random: Random, duration: Duration) -> Ending {
        let begin = Instant::now();
        let mut tried = 0;
        for seed in seeds {
            if !self.feed(seed) {
                return Ending::Panicked(seed.clone());
            }
            tried += 1;
        }
        while begin.elapsed() < duration {
            let input = mutate(seeds, self.target.words, &mut random);
            if !self.feed(&input) {
                return Ending::Panicked(input);
            }
            tried += 1;
        }
        Ending::Passed(tried)
    }

    fn feed(&mut self, input: &[u8]) -> bool {
        if let Some(path) = &self.record {
            // A record that can't be written makes the search useless, not wrong.
            let _ = fs::write(path, input);
        }
        let _ = self.sender.send(Report::Begins(input.to_owned()));
        survives(self.target, input)
    }
}

fn survives(target: Target, input: &[u8]) -> bool {
    panic::catch_unwind(AssertUnwindSafe(|| (target.run)(input))).is_ok()
}

fn read_seeds(folder: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    paths.iter().map(fs::read).collect()
}

fn artifact(folder: &Path, target: &str, name: &str) -> io::Result<PathBuf> {
    let folder = folder.join("artifacts").join(target);
    fs::create_dir_all(&folder)?;
    Ok(folder.join(name))
}

#[cfg(test)]
mod tests;
