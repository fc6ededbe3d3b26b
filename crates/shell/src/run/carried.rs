//! Where a text that nobody has seen goes: files that are copied, moved, unpacked or fetched, and
//! named pipes. Whatever carries out such a file carries out what nobody has seen.

use std::collections::BTreeSet;

use crate::flow::Stream;
use crate::normalize_path;
use crate::same_programs::usual_name;
use crate::scope::{Appends, Scope};
use crate::scripts::module_of;
use crate::simple::{Simple, base_name};
use crate::understood::{Place, Word};
use crate::walk::Walker;

/// Programs that give a file another name.
const COPIERS: [&str; 8] = ["cp", "mv", "ln", "link", "install", "rsync", "gcp", "ditto"];

/// Programs that fetch what their operands name, with the words by which one of these is known to
/// be elsewhere, and the verbs that they do it by.
const FETCHERS: [(&str, &[&str], &[&str]); 15] = [
    ("rsync", &[], &[":"]),
    (
        "rclone",
        &["copy", "copyto", "sync", "move", "moveto"],
        &[":"],
    ),
    ("aws", &["s3"], &["s3://"]),
    ("s3cmd", &["get", "sync"], &["s3://"]),
    ("mc", &["cp", "mirror", "get"], &["/"]),
    ("gsutil", &["cp", "rsync"], &["gs://"]),
    ("gcloud", &["cp", "rsync", "scp"], &["gs://", ":"]),
    ("azcopy", &["copy", "cp", "sync"], &["://"]),
    ("kubectl", &["cp"], &[":"]),
    ("oc", &["cp", "rsync"], &[":"]),
    ("docker", &["cp"], &[":"]),
    ("podman", &["cp"], &[":"]),
    ("lxc", &["file"], &["/"]),
    ("adb", &["pull"], &["/"]),
    ("sftp", &[], &[":"]),
];

/// Programs that unpack what they read or are given, and the options that name their folder.
const UNPACKERS: [(&str, &[&str]); 9] = [
    ("tar", &["-C", "--directory", "--cd"]),
    ("unzip", &["-d"]),
    ("7z", &["-o"]),
    ("7za", &["-o"]),
    ("unrar", &["-op"]),
    ("cpio", &["-D", "--directory"]),
    ("pax", &[]),
    ("patch", &["-d", "--directory"]),
    ("unar", &["-o", "-output-directory"]),
];

/// Programs that replace a file by what is packed in it, and how the names of such files end.
const DECOMPRESSORS: [(&str, &str); 8] = [
    ("gunzip", ".gz"),
    ("gzip", ".gz"),
    ("unxz", ".xz"),
    ("xz", ".xz"),
    ("bunzip2", ".bz2"),
    ("bzip2", ".bz2"),
    ("unzstd", ".zst"),
    ("zstd", ".zst"),
];

/// Words of program texts that fetch something.
const FETCHING_WORDS: [&str; 14] = [
    "urlretrieve",
    "urlopen",
    "requests.",
    "httpx.",
    "http.client",
    "wget.download",
    "getstore",
    "HTTP::Tiny",
    "LWP::",
    "Net::HTTP",
    "open-uri",
    "fetch(",
    "http.get",
    "://",
];

/// How many files are followed that a text writes or copies. Beyond that, nobody knows what is in
/// those to which they are copied.
const MAX_FILES: usize = 2_000;

/// How many beginnings of paths are followed behind which nobody knows what is in a file.
const MAX_UNSEEN: usize = 64;

/// How many files are compared with what one command copies.
const MAX_COMPARED: usize = 200_000;

impl Walker {
    /// Notes what files contain after a command that copies, moves, unpacks or fetches them.
    pub(super) fn carried(
        &self,
        program: &str,
        simple: &Simple,
        scope: &mut Scope<'_>,
        input: &Stream,
    ) {
        let words = &simple.words[1..];
        let operands: Vec<&Word> = words
            .iter()
            .filter(|it| it.known && !it.text.starts_with('-'))
            .collect();
        match usual_name(program) {
            "mkfifo" => operands.iter().for_each(|it| write_unseen(it, scope)),
            "mknod" => operands
                .iter()
                .take(1)
                .for_each(|it| write_unseen(it, scope)),
            "dd" => self.carried_by_dd(words, scope, input),
            "split" | "csplit" if matches!(input, Stream::Output(_)) => {
                let usual = if program.ends_with("csplit") {
                    "xx"
                } else {
                    "x"
                };
                let prefix = operands.get(1).map_or(usual, |it| it.text.as_str());
                scope.unseen_below(&Word::plain(prefix), "");
            }
            "git" => applied_by_git(&operands, scope, input),
            _ => {}
        }
        let names_files = |it: &Word| ["-i", "-r", "-m", "-x"].contains(&it.text.as_str());
        let fetches_some = match program {
            "wget" | "wget2" => words.iter().any(names_files),
            "gh" => ["release", "run"].iter().any(|group| {
                let has = |text: &str| operands.iter().any(|it| it.text == text);
                has(group) && has("download")
            }),
            _ => false,
        };
        if fetches_some {
            scope.unseen_below(&Word::plain("."), "/");
        }
        fetched(program, &operands, scope);
        unpacked(program, words, &operands, scope, input);
        if COPIERS.contains(&program) {
            self.copied(words, &operands, scope, input);
        }
    }

    /// Walks what a shell reads that a program opens here or on another machine: `su`, `ssh h`.
    pub(super) fn shell_opened_by(&mut self, program: &str, scope: &Scope<'_>, input: &Stream) {
        let place = self.place;
        let mut inner = scope.for_child();
        if ["ssh", "autossh", "adb", "machinectl", "systemd-nspawn"].contains(&program) {
            self.place = Place::Remote;
            inner = Scope::new(crate::Surroundings::default());
        }
        self.walk_input("sh", input, Vec::new(), &mut inner);
        self.place = place;
    }

    /// `cp SOURCE … TARGET`, `mv -t FOLDER SOURCE …`
    fn copied(&self, words: &[Word], operands: &[&Word], scope: &mut Scope<'_>, input: &Stream) {
        let folder = value_of(words, &["-t", "--target-directory"]);
        let (sources, target) = match (&folder, operands) {
            (Some(folder), _) => (operands, folder),
            (None, [only]) => return copied_here(only, self, scope, input),
            (None, [sources @ .., target]) => (sources, *target),
            (None, []) => return,
        };
        if sources.len().saturating_mul(scope.files.len()) > MAX_COMPARED {
            return scope.unseen_below(target, "/");
        }
        for source in sources {
            let inside = inside(target, source);
            for copy in [target, &inside] {
                carry(&self.stream_for(source, scope, input), copy, scope);
                scope.carry_folder(source, copy);
            }
        }
    }

    /// `dd if=SOURCE of=TARGET`
    fn carried_by_dd(&self, words: &[Word], scope: &mut Scope<'_>, input: &Stream) {
        let value = |name: &str| {
            let mut values = words.iter().filter_map(|it| it.text.strip_prefix(name));
            values.next().map(Word::plain)
        };
        let source =
            value("if=").map_or_else(|| input.clone(), |it| self.stream_for(&it, scope, input));
        if let Some(target) = value("of=") {
            carry(&source, &target, scope);
        }
    }
}

/// `git apply`, `git am`: a patch that nobody has seen may change any file.
fn applied_by_git(operands: &[&Word], scope: &mut Scope<'_>, input: &Stream) {
    let Some((verb, files)) = operands.split_first() else {
        return;
    };
    let applies = ["apply", "am", "fast-import"].contains(&verb.text.as_str());
    if applies && is_unseen(files, scope, input) {
        scope.unseen_below(&Word::plain("."), "/");
    }
}

/// Notes the files of programs that fetch what is elsewhere.
fn fetched(program: &str, operands: &[&Word], scope: &mut Scope<'_>) {
    let known = FETCHERS.iter().find(|(name, ..)| *name == program);
    let Some((_, verbs, marks)) = known else {
        return;
    };
    let has_verb = verbs.is_empty() || operands.iter().any(|it| verbs.contains(&it.text.as_str()));
    let [.., source, target] = operands else {
        return;
    };
    let is_elsewhere = |it: &Word| marks.iter().any(|mark| it.text.contains(mark));
    if has_verb && is_elsewhere(source) && (!is_elsewhere(target) || marks == &["/"]) {
        write_unseen(target, scope);
        write_unseen(&inside(target, source), scope);
        if !target.text.contains('.') || target.text.ends_with('.') {
            scope.unseen_below(target, "/");
        }
    }
}

/// Notes the files of an archive that nobody has seen.
fn unpacked(
    program: &str,
    words: &[Word],
    operands: &[&Word],
    scope: &mut Scope<'_>,
    input: &Stream,
) {
    for (_, ending) in DECOMPRESSORS.iter().filter(|it| it.0 == program) {
        for file in operands {
            let stem = file.text.strip_suffix(ending);
            let is_unseen = is_unseen(&[file], scope, &Stream::Inherited);
            if let Some(stem) = stem.filter(|_| is_unseen) {
                write_unseen(&Word::plain(stem), scope);
            }
        }
    }
    if let Some((module, arguments)) = module_of(program, words)
        && ["zipfile", "tarfile"].contains(&module)
        && let Some((archive, folder)) = arguments.get(1).zip(arguments.last())
        && is_unseen(&[archive], scope, input)
    {
        scope.unseen_below(folder, "/");
        scope.unseen_below(&Word::plain("."), "/");
    }
    let usual = usual_name(program);
    let Some((_, options)) = UNPACKERS.iter().find(|(name, _)| *name == usual) else {
        return;
    };
    // `tar xf x`, `tar -xzfx`, `tar --file=x`: any word may contain the name.
    let named: Vec<Word> = words
        .iter()
        .filter(|it| it.known)
        .flat_map(|it| {
            let value = it.text.rsplit('=').next().unwrap_or_default();
            let attached = it.text.split_once('f').map_or("", |it| it.1);
            [it.text.as_str(), value, attached].map(Word::plain)
        })
        .collect();
    let named: Vec<&Word> = named.iter().filter(|it| !it.text.is_empty()).collect();
    let reads = usual != "tar" || words.iter().any(|it| it.text.contains('x'));
    if !reads || !is_unseen(&named, scope, input) {
        return;
    }
    let folder = value_of(words, options).unwrap_or_else(|| Word::plain("."));
    scope.unseen_below(&folder, "/");
}

/// Returns whether nobody knows what one of these files, or else the input, contains.
pub(super) fn is_unseen(files: &[&Word], scope: &Scope<'_>, input: &Stream) -> bool {
    matches!(input, Stream::Output(_))
        || files
            .iter()
            .any(|it| matches!(scope.written_text(it), Some(None)))
}

/// Notes that nobody knows what is in the files that a program text names which fetches
/// something.
pub(super) fn fetched_by_text(text: &str, scope: &mut Scope<'_>) {
    if !FETCHING_WORDS.iter().any(|it| text.contains(it)) {
        return;
    }
    let mut quoted = text.split(['"', '\'']).skip(1).step_by(2);
    let is_name = |it: &&str| {
        let is_part = |it: char| it.is_alphanumeric() || "._-/+".contains(it);
        !it.is_empty() && it.len() < 200 && it.chars().all(is_part)
    };
    let names: Vec<&str> = quoted.by_ref().filter(is_name).take(64).collect();
    for name in names {
        write_unseen(&Word::plain(name), scope);
    }
}

/// Records a program under the name to which it is copied or linked: what is started by that name
/// later may be the program.
pub(super) fn copied_program(program: &str, words: &[Word], scope: &mut Scope<'_>) {
    if !["cp", "ln", "install", "mv", "link"].contains(&program) {
        return;
    }
    let operands = words[1..].iter().filter(|it| !it.text.starts_with('-'));
    let operands: Vec<&Word> = operands.collect();
    let [.., source, target] = operands[..] else {
        return;
    };
    let name = base_name(&source.text);
    // Other files have an extension, programs may have a version: `python3.11`.
    let (_, ending) = name.split_once('.').unwrap_or_default();
    let is_version = ending.chars().all(|it| it.is_ascii_digit() || it == '.');
    if source.known && target.known && !name.is_empty() && is_version {
        let copy = base_name(&target.text).to_owned();
        scope
            .copies
            .entry(copy)
            .or_default()
            .insert(name.to_owned());
    }
}

/// `ln -s d/x`, `install -D x`: the only operand is copied to the folder of the shell.
fn copied_here(source: &Word, walker: &Walker, scope: &mut Scope<'_>, input: &Stream) {
    let copy = Word::plain(base_name(&source.text));
    carry(&walker.stream_for(source, scope, input), &copy, scope);
}

/// Notes that a file contains what was read, if this text wrote that.
fn carry(from: &Stream, to: &Word, scope: &mut Scope<'_>) {
    match from {
        Stream::Text(text) => scope.write(to, Some(text), Appends::No),
        Stream::Output(_) => scope.write(to, None, Appends::No),
        Stream::Inherited | Stream::Names(_) | Stream::File(_) => {}
    }
}

/// Returns the name of a file in a folder to which it is copied.
fn inside(folder: &Word, file: &Word) -> Word {
    let folder = folder.text.trim_end_matches('/');
    Word::plain(format!("{folder}/{}", base_name(&file.text)))
}

fn write_unseen(file: &Word, scope: &mut Scope<'_>) {
    scope.write(file, None, Appends::No);
}

/// Returns the value of the first of these options: `-C x`, `-Cx`, `--directory=x`.
fn value_of(words: &[Word], options: &[&str]) -> Option<Word> {
    words.iter().enumerate().find_map(|(at, word)| {
        let option = options.iter().find(|it| word.text.starts_with(**it))?;
        let rest = &word.text[option.len()..];
        match rest.strip_prefix('=').unwrap_or(rest) {
            "" => words.get(at + 1).cloned(),
            value => Some(Word {
                text: value.to_owned(),
                ..word.clone()
            }),
        }
    })
}

impl Scope<'_> {
    /// Notes that nobody knows what is in the files whose paths begin with this one.
    pub(super) fn unseen_below(&mut self, start: &Word, behind: &str) {
        let paths = self.path_of(start).paths;
        let paths = paths.iter().map(|it| normalize_path(it));
        let prefixes: Vec<String> = paths
            .map(|it| format!("{}{behind}", it.trim_end_matches('/')))
            .collect();
        self.add_unseen(prefixes);
    }

    /// Adds beginnings of paths; if there are too many, nothing is known about any file.
    fn add_unseen(&mut self, beginnings: Vec<String>) {
        self.unseen.extend(beginnings);
        if self.unseen.len() > MAX_UNSEEN {
            self.unseen = BTreeSet::from([String::new()]);
        }
    }

    /// Returns what this text wrote to a file that is started; the inner one means that it can't be
    /// known. By its name alone it is found where the text says (`PATH=…`), or in a usual place for
    /// programs (`~/bin/NAME`).
    pub(super) fn started_text(&self, program: &Word) -> Option<&Option<String>> {
        let name = program.text.as_str();
        if name.contains('/') {
            return self.written_text(program);
        }
        if self.assigned_value("PATH").is_some()
            && let Some(text) = self.written_text(program)
        {
            return Some(text);
        }
        let is_it = |path: &str| {
            let folder = path.strip_suffix(name).and_then(|it| it.strip_suffix('/'));
            folder.is_some_and(|it| ["bin", "sbin"].contains(&base_name(it)))
        };
        let mut written = self.files.iter();
        let found = written.find(|(path, _)| !name.is_empty() && is_it(path));
        found.map(|(_, text)| text)
    }

    /// Notes that what this text wrote in a folder is in another one, too.
    fn carry_folder(&mut self, from: &Word, to: &Word) {
        let path = |it: &Word| self.path_of(it).paths.first().map(|it| normalize_path(it));
        let (Some(from), Some(to)) = (path(from), path(to)) else {
            return;
        };
        let inside = format!("{from}/");
        let copied = self.files.keys().filter(|it| it.starts_with(&inside));
        if self.files.len() + copied.count() > MAX_FILES {
            return self.add_unseen(vec![format!("{to}/")]);
        }
        let copied: Vec<(String, Option<String>)> = self
            .files
            .iter()
            .filter_map(|(path, text)| {
                let rest = path.strip_prefix(&inside)?;
                Some((format!("{to}/{rest}"), text.clone()))
            })
            .collect();
        self.files.extend(copied);
        let unseen: Vec<String> = self
            .unseen
            .iter()
            .filter_map(|it| Some(format!("{to}/{}", it.strip_prefix(&inside)?)))
            .collect();
        self.add_unseen(unseen);
    }
}

#[cfg(test)]
#[path = "carried/tests.rs"]
mod tests;
