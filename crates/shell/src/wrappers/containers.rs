//! Programs that start others in a container, and which parts of this machine the container sees.

use super::table::started_by_image;
use super::{Unwrapped, after_options_by};
use crate::surroundings::{join_path, normalize_path};
use crate::understood::{Assignment, Command, Place, Word};

/// A container that a command starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contained {
    /// The folders and files of this machine that it sees.
    pub mounts: Vec<Mount>,
    /// Its working directory, if the command sets one.
    pub folder: Option<String>,
    /// The commands that may run in it, as words. Empty if the image decides.
    pub commands: Vec<Vec<String>>,
}

/// A folder or file of this machine that a container sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Its absolute path on this machine.
    pub here: String,
    /// Its path in the container.
    pub inside: String,
    /// Whether the container can change it.
    pub is_writable: bool,
}

/// Returns the container that a command starts (`docker run`), with the parts of this machine that
/// it sees.
///
/// ```
/// use hookloop_shell::{Surroundings, contained, understand};
///
/// let place = Surroundings { folder: Some("/srv/shop"), ..Surroundings::default() };
/// let run = understand("docker run -v ./src:/w:ro -w /w alpine rm x", place);
/// let container = contained(&run.commands[0]).unwrap_or_default();
/// assert_eq!(container.mounts[0].here, "/srv/shop/src");
/// assert!(!container.mounts[0].is_writable);
/// assert_eq!(container.commands, [["rm", "x"]]);
/// ```
pub fn contained(command: &Command) -> Option<Contained> {
    if !["docker", "podman", "nerdctl", "docker-compose"].contains(&command.program.as_str()) {
        return None;
    }
    let words = command.words.get(1..)?;
    let start = split(&command.program, words)?;
    if start.verb == "exec" {
        return None;
    }
    let here = command.folders.first().map_or("/", String::as_str);
    let mounts = start.values(&["-v", "--volume", "--mount"]);
    let mounts = mounts.iter().filter_map(|it| mount(&it.text));
    let mounts = mounts.filter(|it| it.here.starts_with(['/', '.', '~']));
    let mounts = mounts.map(|it| Mount {
        here: normalize_path(&join_path(here, &it.here)),
        ..it
    });
    let texts = |words: Vec<Word>| words.into_iter().map(|it| it.text).collect::<Vec<String>>();
    Some(Contained {
        mounts: mounts.collect(),
        folder: start.folder().map(|it| it.text),
        commands: start.commands().into_iter().map(texts).collect(),
    })
}

/// Reads `/here:/there:ro` and `type=bind,source=/here,target=/there,readonly`.
fn mount(text: &str) -> Option<Mount> {
    if text.contains("target=") || text.contains("dst=") || text.contains("destination=") {
        let value = |keys: &[&str]| {
            let mut parts = text.split(',').filter_map(|it| it.split_once('='));
            parts
                .find(|(key, _)| keys.contains(key))
                .map(|(_, it)| it.to_owned())
        };
        let is_read_only = text.split(',').any(|it| {
            [
                "readonly",
                "ro",
                "readonly=true",
                "ro=true",
                "readonly=1",
                "ro=1",
            ]
            .contains(&it)
        });
        return Some(Mount {
            here: value(&["source", "src"])?,
            inside: value(&["target", "dst", "destination"])?,
            is_writable: !is_read_only,
        });
    }
    let mut parts = text.split(':');
    let (here, inside) = (parts.next()?, parts.next()?);
    let is_read_only = parts.flat_map(|it| it.split(',')).any(|it| it == "ro");
    Some(Mount {
        here: here.to_owned(),
        inside: inside.to_owned(),
        is_writable: !is_read_only,
    })
}

/// Options that take a value.
const WITH_VALUE: &[&str] = &[
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
    "--ulimit",
    "--tmpfs",
    "--volumes-from",
    "--ipc",
    "--pid",
    "--userns",
    "--security-opt",
    "--device",
    "--dns",
    "--shm-size",
    "--cidfile",
    "--group-add",
    "--expose",
    "--link",
    "--memory-swap",
    "--log-driver",
    "--cap-drop",
];

/// Returns the option with a value that ends short options in one word, and the part of the value
/// in that word: `-itv`, `-v.:/w`.
fn option_in_cluster(cluster: &str) -> Option<(String, &str)> {
    let letters = cluster
        .strip_prefix('-')
        .filter(|it| !it.starts_with('-'))?;
    letters.char_indices().find_map(|(at, letter)| {
        let option = format!("-{letter}");
        let rest = &letters[at + letter.len_utf8()..];
        WITH_VALUE
            .contains(&option.as_str())
            .then_some((option, rest))
    })
}

fn takes_next(option: &str) -> bool {
    WITH_VALUE.contains(&option)
        || option_in_cluster(option).is_some_and(|(_, rest)| rest.is_empty())
}

/// A command that starts something in a container, split into its parts.
struct Start<'w> {
    verb: &'w str,
    /// What precedes the image.
    options: &'w [Word],
    image: Option<&'w Word>,
    command: &'w [Word],
}

fn split<'w>(program: &str, words: &'w [Word]) -> Option<Start<'w>> {
    let rest = after_options_by(words, takes_next)?;
    let mut rest = rest;
    if rest.first()?.text == "compose" || rest.first()?.text == "container" {
        rest = after_options_by(&rest[1..], takes_next)?;
    }
    let verb = rest.first()?.text.as_str();
    if !["exec", "run", "create"].contains(&verb) {
        return None;
    }
    let behind = after_options_by(&rest[1..], takes_next)?;
    let command = match behind.iter().position(|it| it.text == "--") {
        Some(at) => behind.get(at + 1..)?,
        None if program == "kubectl" && verb == "run" => return None,
        None => behind.get(1..)?,
    };
    // Words before the image belong to `run`; words after it, to the command.
    Some(Start {
        verb,
        options: &words[..words.len() - behind.len()],
        image: behind.first(),
        command,
    })
}

impl Start<'_> {
    /// Returns the values of an option that is known under several names.
    fn values(&self, names: &[&str]) -> Vec<Word> {
        let options = self.options.iter().enumerate();
        let found = options.filter_map(|(at, word)| {
            let next = || self.options.get(at + 1).cloned();
            let attached = |text: &str| {
                let text = text.to_owned();
                Some(Word {
                    text,
                    ..word.clone()
                })
            };
            if names.contains(&word.text.as_str()) {
                return next();
            }
            if let Some((option, rest)) = option_in_cluster(&word.text) {
                let is_meant = names.contains(&option.as_str());
                let value = match rest {
                    "" => next(),
                    rest => attached(rest.trim_start_matches('=')),
                };
                return value.filter(|_| is_meant);
            }
            let (name, value) = word.text.split_once('=')?;
            names.contains(&name).then(|| attached(value))?
        });
        found.collect()
    }

    /// Returns the working directory that an option sets.
    fn folder(&self) -> Option<Word> {
        self.values(&["-w", "--workdir"]).pop()
    }

    /// Returns the variables that options set for the command.
    fn env(&self) -> Vec<Assignment> {
        let values = self.values(&["-e", "--env"]).into_iter();
        let pairs = values.filter_map(|word| {
            let (name, value) = word.text.split_once('=')?;
            let name = name.to_owned();
            let text = value.to_owned();
            let value = Word { text, ..word };
            Some(Assignment { name, value })
        });
        pairs.collect()
    }

    fn commands(&self) -> Vec<Vec<Word>> {
        let starts_image = ["run", "create"].contains(&self.verb);
        let entry = entrypoint(self.options).filter(|_| starts_image);
        let image = self.image.filter(|_| starts_image && entry.is_none());
        let guessed = image
            .and_then(|it| started_by_image(&it.text))
            .map(Word::plain);
        let led_by = |first: Word| [&[first], self.command].concat();
        let commands: Vec<Vec<Word>> = match (entry, guessed) {
            (Some(entry), _) => vec![led_by(entry)],
            // An image with that name may start something else, or nothing.
            (None, Some(program)) => vec![led_by(program), self.command.to_vec()],
            (None, None) => vec![self.command.to_vec()],
        };
        commands.into_iter().filter(|it| !it.is_empty()).collect()
    }
}

/// Returns what a container program starts in a container.
pub(super) fn container(program: &str, words: &[Word]) -> Option<Unwrapped> {
    let start = split(program, words)?;
    let commands = start.commands();
    (!commands.is_empty()).then(|| Unwrapped {
        commands,
        place: Some(Place::Container),
        folder: start.folder(),
        env: start.env(),
        ..Unwrapped::default()
    })
}

/// Returns the program that `--entrypoint` names instead of the image's own.
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
