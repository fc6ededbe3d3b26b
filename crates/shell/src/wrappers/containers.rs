//! Programs that start others in a container.

use super::table::started_by_image;
use super::{Unwrapped, behind_options};
use crate::understood::{Place, Word};

/// Returns what a program of containers starts in one.
pub(super) fn container(program: &str, words: &[Word]) -> Option<Unwrapped> {
    const VALUED: &[&str] = &[
        "-e",
        "--env",
        "-u",
        "--user",
        "-w",
        "--workdir",
        "-n",
        "--namespace",
        "-c",
        "--container",
        "-v",
        "--volume",
        "--name",
        "-p",
        "--publish",
        "--entrypoint",
        "--network",
        "--volumes-from",
        "--mount",
        "-f",
        "--file",
        "--env-file",
        "-l",
        "--label",
        "-h",
        "--hostname",
        "--platform",
        "--context",
        "-m",
        "--memory",
        "--cpus",
        "--add-host",
        "--restart",
        "--pull",
        "--gpus",
        "--cap-add",
        "--image",
    ];
    let rest = behind_options(words, VALUED)?;
    let mut rest = rest;
    if rest.first()?.text == "compose" || rest.first()?.text == "container" {
        rest = behind_options(&rest[1..], VALUED)?;
    }
    let verb = rest.first()?.text.as_str();
    if !["exec", "run", "create"].contains(&verb) {
        return None;
    }
    let behind = behind_options(&rest[1..], VALUED)?;
    let command = match behind.iter().position(|it| it.text == "--") {
        Some(at) => behind.get(at + 1..)?,
        None if program == "kubectl" && verb == "run" => return None,
        None => behind.get(1..)?,
    };
    // What stands before the image belongs to `run`; what stands behind it, to what it starts.
    let options = &words[..words.len() - behind.len()];
    let starts_image = ["run", "create"].contains(&verb);
    let entry = entrypoint(options).filter(|_| starts_image);
    let image = behind.first().filter(|_| starts_image && entry.is_none());
    let guessed = image
        .and_then(|it| started_by_image(&it.text))
        .map(Word::plain);
    let led_by = |first: Word| [&[first], command].concat();
    let commands: Vec<Vec<Word>> = match (entry, guessed) {
        (Some(entry), _) => vec![led_by(entry)],
        // An image of that name may start something else, or nothing by itself.
        (None, Some(program)) => vec![led_by(program), command.to_vec()],
        (None, None) => vec![command.to_vec()],
    };
    let commands: Vec<Vec<Word>> = commands.into_iter().filter(|it| !it.is_empty()).collect();
    (!commands.is_empty()).then(|| Unwrapped {
        commands,
        place: Some(Place::Container),
        ..Unwrapped::default()
    })
}

/// Returns the program that `--entrypoint` names in place of the image's own.
fn entrypoint(options: &[Word]) -> Option<Word> {
    options.iter().enumerate().find_map(|(at, word)| {
        let rest = word.text.strip_prefix("--entrypoint")?;
        if rest.is_empty() {
            return options.get(at + 1).cloned();
        }
        let text = rest.strip_prefix('=')?.to_owned();
        Some(Word {
            text,
            ..word.clone()
        })
    })
}
