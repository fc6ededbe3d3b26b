//! Whole folders that are copied, moved, unpacked or restored over files that guards depend on.

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, PathUse, Timing, Word};

use super::before::Before;
use super::operands::{absolute, expand, targets};
use super::{archives, reading};
use crate::lazy_protected::LazyProtected;
use crate::protected::Touch;

/// Programs that copy or move their first operands below the last one.
const COPIERS: [&str; 9] = [
    "cp", "gcp", "mv", "gmv", "rsync", "install", "ginstall", "ditto", "scp",
];

/// Programs that put something over the folder in their last operand.
const MOUNTERS: [&str; 9] = [
    "mount",
    "bindfs",
    "sshfs",
    "fuse-overlayfs",
    "unionfs",
    "unionfs-fuse",
    "mergerfs",
    "encfs",
    "gocryptfs",
];

/// Returns the protected file that a command would cover, as part of a folder.
pub(super) fn covered_file(
    protected: &LazyProtected,
    command: &Command,
    before: &Before,
) -> Option<PathBuf> {
    let written_before = &before.written;
    match command.program.as_str() {
        program if COPIERS.contains(&program) => copied_file(protected, command, written_before),
        "ln" | "gln" | "link" => linked_file(protected, command, written_before),
        program if program.starts_with("mount.") || MOUNTERS.contains(&program) => {
            mounted_file(protected, command)
                .or_else(|| linked_file(protected, command, written_before))
        }
        "tar" | "bsdtar" | "gtar" | "unzip" | "7z" | "7za" | "7zr" | "unrar" | "cpio" | "pax"
        | "jar" | "unar" => unpacked(protected, command, before),
        "patch" => patched_file(protected, command),
        program if program.starts_with("python") => unpacked(protected, command, before),
        _ => None,
    }
}

/// `cp -r evil/. .`, `mv evil/.gemini .`, `rsync -a evil/ .`: what is in a source gets to the same
/// place below the target.
fn copied_file(
    protected: &LazyProtected,
    command: &Command,
    written: &[PathBuf],
) -> Option<PathBuf> {
    let (sources, target) = targets(command)?;
    if let Some(hit) = given_names(protected, command, &sources) {
        return Some(hit);
    }
    let keeps_path = ["cp", "gcp", "rsync"].contains(&command.program.as_str())
        && command.has_option(&["--parents", "-R", "--relative"]);
    if command.program == "rsync" && command.flags.iter().any(|it| it.starts_with("--del")) {
        let mut all = absolute(command, &target).into_iter();
        if let Some(hit) = all.find_map(|it| protected.affected(Touch::Remove, &it)) {
            return Some(hit);
        }
    }
    for target in absolute(command, &target) {
        // A folder that doesn't exist yet, but from which settings would be read.
        if !target.exists()
            && let Some(hit) = protected.affected(Touch::Remove, &target)
        {
            return Some(hit);
        }
        let below = protected.below(&target);
        for source in &sources {
            for source_path in expand(command, source) {
                let name = source_path.file_name().map(|it| target.join(it));
                let gives_contents = source.text.ends_with("/.")
                    || command.program == "rsync" && source.text.ends_with('/');
                let keeps_name = name.filter(|_| !gives_contents);
                // `cp --parents a/b c`, `rsync -R x/./a/b c`: at `c/a/b`.
                let (_, kept) = source.text.rsplit_once("/./").unwrap_or(("", &source.text));
                let kept = keeps_path.then(|| target.join(kept.trim_start_matches('/')));
                if let Some(hit) = kept
                    .as_ref()
                    .and_then(|it| protected.affected(Touch::Replace, it))
                {
                    return Some(hit);
                }
                // Into the target, or replacing it.
                let roots = [Some(target.clone()), keeps_name, kept];
                for root in roots.into_iter().flatten() {
                    if let Some(hit) = protected.list_brought(&source_path, &root, written) {
                        return Some(hit);
                    }
                    let mut inside = below
                        .iter()
                        .filter_map(|hit| Some((hit, hit.strip_prefix(&root).ok()?)));
                    let brings = |rest: &Path| {
                        let path = source_path.join(rest);
                        !rest.as_os_str().is_empty()
                            && (path.symlink_metadata().is_ok()
                                || written.iter().any(|it| it.starts_with(&path)))
                    };
                    if let Some((hit, _)) = inside.find(|(_, rest)| brings(rest)) {
                        return Some(hit.clone());
                    }
                }
            }
        }
    }
    None
}

/// `cp -l`, `cp -s`, `rsync --link-dest`: further names of what is in the sources.
fn given_names(protected: &LazyProtected, command: &Command, sources: &[Word]) -> Option<PathBuf> {
    let links = match command.program.as_str() {
        "cp" | "gcp" => {
            command.has_option(&["-l", "--link", "-s", "--symbolic-link"])
                && !command.has_option(&["--sparse", "--suffix", "--strip-trailing-slashes"])
        }
        "rsync" => false,
        _ => return None,
    };
    let mut named: Vec<PathBuf> = Vec::new();
    if links {
        named.extend(sources.iter().flat_map(|it| absolute(command, it)));
    }
    if command.program == "rsync" {
        // Relative to its target.
        let target = command.operands().last();
        let target = target.map_or("", |it| it.text.trim_end_matches('/'));
        for compared in command.values_of(&["--link-dest"]) {
            let there = Word {
                text: hookloop_shell::join_path(target, &compared.text)[1..].to_owned(),
                ..compared.clone()
            };
            let there = (!target.starts_with('/')).then_some(&there);
            let all = std::iter::once(&compared).chain(there);
            named.extend(all.flat_map(|it| absolute(command, it)));
        }
    }
    let hits = |path: &PathBuf| {
        let own = protected.affected(Touch::Write, path);
        own.or_else(|| existing_below(protected, path))
    };
    named.iter().find_map(hits)
}

/// A link that a command creates: its path, and its target, relative to the link's folder.
pub(super) type Link = (PathBuf, PathBuf);

/// Returns the links that a command creates, and the folders that it mounts elsewhere.
pub(super) fn links_made(command: &Command, written_before: &[PathBuf]) -> Vec<Link> {
    let has = |options: &[&str]| command.has_option(options);
    let (is_link, from_here) = match command.program.as_str() {
        "ln" | "gln" => (has(&["-s", "--symbolic"]), has(&["-r", "--relative"])),
        "cp" | "gcp" => (has(&["-s", "--symbolic-link"]), true),
        "mount" => (
            has(&["-B", "--bind", "-R", "--rbind", "-M", "--move"]),
            true,
        ),
        "bindfs" => (true, true),
        _ => return Vec::new(),
    };
    let Some((mut sources, mut target)) = targets(command).filter(|_| is_link) else {
        return Vec::new();
    };
    let mut is_folder = command.target_folder().is_some() || sources.len() > 1;
    if sources.is_empty() {
        // `ln -s x`: in the current folder, under its own name.
        sources.push(target.clone());
        ".".clone_into(&mut target.text);
        is_folder = true;
    }
    let mut made = Vec::new();
    for folder in &command.folders {
        let place = PathBuf::from(hookloop_shell::join_path(folder, &target.text));
        let goes_in = is_folder
            || target.text.ends_with('/')
            || !has(&["-n", "-T", "--no-dereference", "--no-target-directory"])
                && ["ln", "gln", "cp", "gcp"].contains(&command.program.as_str())
                && (place.is_dir() || written_before.contains(&place));
        for source in &sources {
            let link = match Path::new(&source.text).file_name() {
                Some(name) if goes_in => place.join(name),
                None if goes_in => continue,
                _ => place.clone(),
            };
            let leads_to = if from_here {
                PathBuf::from(hookloop_shell::join_path(folder, &source.text))
            } else {
                PathBuf::from(&source.text)
            };
            made.push((link, leads_to));
        }
    }
    made
}

/// `mount --bind evil .`: what is mounted over a folder hides all that is in it.
fn mounted_file(protected: &LazyProtected, command: &Command) -> Option<PathBuf> {
    let over = command.operands().last()?;
    let mut places = absolute(command, over).into_iter();
    places.find_map(|it| protected.affected(Touch::Remove, &it))
}

/// `ln -s .gemini x`: another name for files that guards depend on, or a link in its place.
fn linked_file(
    protected: &LazyProtected,
    command: &Command,
    written: &[PathBuf],
) -> Option<PathBuf> {
    let operands: Vec<&Word> = command.operands().collect();
    let mut leads_to: Vec<PathBuf> = Vec::new();
    for (link, target) in links_made(command, written) {
        if let Some(hit) = protected.affected(Touch::Remove, &link)
            && !holds_all(command, &link)
        {
            return Some(hit);
        }
        let folder = link.parent().unwrap_or(&link);
        leads_to.push(folder.join(target));
    }
    for (number, word) in operands.iter().enumerate() {
        let is_target = number > 0 && number + 1 == operands.len();
        for path in absolute(command, word) {
            if is_target && path.is_dir() && !command.has_flag("-n") && !command.has_flag("-T") {
                continue;
            }
            leads_to.push(path);
        }
    }
    let mut named = leads_to.iter().filter(|it| !holds_all(command, it));
    named.find_map(|path| protected.affected(Touch::Remove, path))
}

/// Returns whether a path is a folder that contains the whole project.
pub(super) fn holds_all(command: &Command, path: &Path) -> bool {
    let real = hookloop_trust::real_path(path);
    let mut folders = command.folders.iter();
    folders.any(|it| {
        let folder = hookloop_trust::real_path(Path::new(it));
        folder
            .zip(real.as_ref())
            .is_some_and(|(folder, real)| folder.starts_with(real))
    })
}

/// `tar xf x.tar`: the content of an archive isn't known without reading it, so nothing may be
/// unpacked into a folder with files that guards depend on, unless all extracted files are named.
fn unpacked(protected: &LazyProtected, command: &Command, before: &Before) -> Option<PathBuf> {
    let program = command.program.as_str();
    let first = command.words.get(1).map_or("", |it| it.text.as_str());
    let has = |flag: &str| command.has_flag(flag);
    let is_tar = ["tar", "bsdtar", "gtar"].contains(&program);
    let unpacks = match program {
        _ if is_tar || program == "jar" => unpacks_tar(command),
        "cpio" => has("-i") || has("--extract") || has("-p"),
        "pax" => has("-r"),
        "unzip" => !(has("-l") || has("-p") || has("-t") || has("-Z") || has("-v")),
        _ => ["x", "e"].contains(&first),
    };
    let unpacks = unpacks || unpacks_by_module(command);
    if !unpacks {
        return None;
    }
    if is_tar && (has("-O") || has("--to-stdout")) {
        return None;
    }
    let mut given = match program {
        "unzip" => command.values_of(&["-d"]),
        "cpio" => command.values_of(&["-D", "--directory"]),
        "unar" => command.values_of(&["-o", "-output-directory"]),
        _ if is_tar => command.values_of(&["-C", "--directory", "--cd", "--one-top-level"]),
        _ if program.starts_with('7') => command.values_of(&["-o"]),
        _ => Vec::new(),
    };
    given.extend(folder_of_letters(command).filter(|_| is_tar || program == "jar"));
    if program == "cpio" && has("-p")
        || program == "pax" && has("-w")
        || program.starts_with("python")
    {
        given.extend(command.operands().last().cloned());
    }
    let folders: Vec<PathBuf> = if given.is_empty() {
        command.folders.iter().map(PathBuf::from).collect()
    } else {
        given.iter().flat_map(|it| absolute(command, it)).collect()
    };
    // An earlier command in the same text may replace the archive.
    let is_seen = before.is_begin && command.timing == Timing::InOrder;
    if is_seen && archives::is_harmless(protected, command, &folders) {
        return None;
    }
    folders.iter().find_map(|folder| {
        let hit = inside_or_below(protected, folder);
        hit.or_else(|| protected.lists_below(folder).into_iter().next())
            .or_else(|| link_target(protected, folder))
    })
}

/// What is extracted from an archive may go through a link that exists or was created before:
/// `src/up` leads to `..`.
fn link_target(protected: &LazyProtected, folder: &Path) -> Option<PathBuf> {
    /// The maximum number of examined entries, and the maximum depth.
    const MAX_ENTRIES: usize = 4096;
    const MAX_DEPTH: usize = 4;
    let mut left = MAX_ENTRIES;
    let mut links: Vec<PathBuf> = protected.links_below(folder).collect();
    let mut folders = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .flatten()
            .take(left)
        {
            left = left.saturating_sub(1);
            match entry.file_type() {
                Ok(kind) if kind.is_symlink() => links.push(entry.path()),
                Ok(kind) if kind.is_dir() && depth < MAX_DEPTH => {
                    folders.push((entry.path(), depth + 1));
                }
                _ => {}
            }
        }
    }
    let mut real = links.iter().filter_map(|it| hookloop_trust::real_path(it));
    real.find_map(|it| inside_or_below(protected, &it))
}

/// `python3 -m tarfile -e x.tar FOLDER`
fn unpacks_by_module(command: &Command) -> bool {
    let mut modules = command.words.windows(2);
    command.program.starts_with("python")
        && modules
            .any(|it| it[0].text == "-m" && ["tarfile", "zipfile"].contains(&it[1].text.as_str()))
        && command.has_option(&["-e", "--extract"])
}

fn unpacks_tar(command: &Command) -> bool {
    let first = command.words.get(1).map_or("", |it| it.text.as_str());
    command.has_option(&["-x", "--extract", "--get"])
        || !first.starts_with('-') && first.contains('x')
}

/// `tar xCf FOLDER FILE`: letters without a dash have their values after them, in order.
fn folder_of_letters(command: &Command) -> Option<Word> {
    const WITH_VALUE: &str = "fCbTXgHIKNV";
    let letters = &command.words.get(1)?.text;
    if letters.starts_with('-') {
        return None;
    }
    let mut valued = letters.chars().filter(|it| WITH_VALUE.contains(*it));
    let place = valued.position(|it| it == 'C')?;
    command.words.get(2 + place).cloned()
}

/// Returns the option that lets an archive put files outside the named folder.
fn placed_anywhere(command: &Command) -> Option<String> {
    let program = command.program.as_str();
    let is_tar = ["tar", "bsdtar", "gtar"].contains(&program) && unpacks_tar(command);
    let anywhere = match program {
        _ if is_tar => {
            let options = ["-P", "--absolute-names", "--transform", "--xform"];
            command.has_flag("-P") || command.has_option(&options)
        }
        "unzip" => command.has_flag("-:"),
        "cpio" => command.has_option(&["--absolute-filenames", "-r", "--rename"]),
        _ => false,
    };
    anywhere.then(|| format!("{program} with names of its own"))
}

pub(super) fn inside_or_below(protected: &LazyProtected, folder: &Path) -> Option<PathBuf> {
    protected
        .affected(Touch::Write, folder)
        .or_else(|| protected.below(folder).into_iter().next())
}

/// `patch -p1 < x.diff`: the names are in the text.
pub(super) fn patched_file(protected: &LazyProtected, command: &Command) -> Option<PathBuf> {
    use hookloop_shell::Input;
    let mut texts: Vec<String> = Vec::new();
    if let Input::Text(text) = &command.input {
        texts.push(text.clone());
    }
    texts.extend(command.reads.iter().filter_map(text_of));
    if let Input::File(file) = &command.input {
        texts.extend(
            command
                .folders
                .iter()
                .filter_map(|it| reading::text_of(&Path::new(it).join(file))),
        );
    }
    named_in_patches(protected, command, &texts)
}

/// Returns a command's patch or list that can't be read beforehand, so that its effects aren't
/// known.
pub(super) fn unreadable_input(command: &Command, written_before: &[PathBuf]) -> Option<String> {
    use hookloop_shell::Input;
    if let Some(what) = placed_anywhere(command) {
        return Some(what);
    }
    if !hookloop_shell::applies_patch(command) {
        return None;
    }
    let unseen = |path: &str| {
        written_before.iter().any(|it| it == Path::new(path))
            || reading::text_of(Path::new(path)).is_none()
    };
    let named = command
        .reads
        .iter()
        .find(|it| it.paths.iter().any(|path| unseen(path)) || !it.known);
    if let Some(named) = named {
        return Some(named.written.clone());
    }
    match &command.input {
        Input::Output(_) | Input::Names(_) => Some(format!("{} of what is piped", command.program)),
        Input::File(file) => {
            let mut folders = command.folders.iter();
            let path = |folder: &String| hookloop_shell::join_path(folder, file);
            folders.any(|it| unseen(&path(it))).then(|| file.clone())
        }
        Input::Inherited | Input::Text(_) => None,
    }
}

fn named_in_patches(
    protected: &LazyProtected,
    command: &Command,
    texts: &[String],
) -> Option<PathBuf> {
    const MARKS: [&str; 8] = [
        "+++ ",
        "--- ",
        "rename to ",
        "rename from ",
        "copy to ",
        "Index: ",
        "*** ",
        "diff --git ",
    ];
    let mut folders: Vec<PathBuf> = command.folders.iter().map(PathBuf::from).collect();
    let moved = command.values_of(&["-d", "--directory"]);
    folders.extend(moved.iter().flat_map(|it| absolute(command, it)));
    for line in texts.iter().flat_map(|it| it.lines()) {
        let Some(rest) = MARKS.iter().find_map(|mark| line.strip_prefix(mark)) else {
            continue;
        };
        let quoted = unquoted(rest);
        let names = rest.split_whitespace().map(|it| it.trim_matches('"'));
        for name in names.chain(quoted.iter().map(String::as_str)) {
            // `-p0`, `-p1`, …: any number of leading folders may be removed.
            let parts: Vec<&str> = name.split('/').collect();
            for from in 0..parts.len() {
                let name = parts[from..].join("/");
                let mut paths = folders.iter().map(|it| it.join(&name));
                if let Some(hit) = paths.find_map(|it| protected.affected(Touch::Replace, &it)) {
                    return Some(hit);
                }
            }
        }
    }
    None
}

fn text_of(used: &PathUse) -> Option<String> {
    used.paths
        .iter()
        .find_map(|path| reading::text_of(Path::new(path)))
}

/// Returns the quoted names in a line of a patch: `"a/\056gemini/x"` stands for `a/.gemini/x`.
fn unquoted(line: &str) -> Vec<String> {
    let quoted = line.split('"').skip(1).step_by(2);
    let escaped = quoted.filter(|it| it.contains('\\'));
    escaped.map(unescaped).collect()
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let digits = behind
            .iter()
            .take(3)
            .take_while(|it| (b'0'..=b'7').contains(it));
        let digits = if *first == b'\\' { digits.count() } else { 0 };
        if digits == 3 {
            let value = behind[..3]
                .iter()
                .fold(0_u8, |all, it| all.wrapping_mul(8).wrapping_add(it - b'0'));
            bytes.push(value);
            rest = &behind[3..];
        } else {
            bytes.push(*first);
            rest = behind;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn existing_below(protected: &LazyProtected, folder: &Path) -> Option<PathBuf> {
    let below = protected.below(folder);
    below.into_iter().find(|it| it.exists())
}
