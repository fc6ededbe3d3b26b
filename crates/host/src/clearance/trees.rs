//! Whole folders that are copied, moved, unpacked or brought back over what guards are made of.

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, PathUse, Word};

use crate::protected::{Protected, Touch};

/// Programs that put what their first operands name below their last one.
const COPIERS: [&str; 9] = [
    "cp", "gcp", "mv", "gmv", "rsync", "install", "ginstall", "ditto", "scp",
];

/// How much of a patch or list is read.
const MOST_BYTES: u64 = 4 << 20;

/// Returns the protected file that a command would bring something over, as a part of a folder.
pub(super) fn covered(
    protected: &Protected,
    command: &Command,
    written_before: &[PathBuf],
) -> Option<PathBuf> {
    match command.program.as_str() {
        program if COPIERS.contains(&program) => copied(protected, command, written_before),
        "ln" | "gln" | "link" => linked(protected, command),
        "tar" | "bsdtar" | "gtar" | "unzip" | "7z" | "7za" | "7zr" | "unrar" | "cpio" | "pax"
        | "jar" | "unar" => unpacked(protected, command),
        "patch" => patched(protected, command),
        "git" => restored(protected, command),
        _ => None,
    }
}

fn targets(command: &Command) -> Option<(Vec<&Word>, &Word)> {
    let option = command.words.windows(2).find_map(|pair| {
        ["-t", "--target-directory"]
            .contains(&pair[0].text.as_str())
            .then_some(&pair[1])
    });
    let operands: Vec<&Word> = command.operands().collect();
    if let Some(target) = option {
        return Some((operands, target));
    }
    let (target, sources) = operands.split_last()?;
    Some((sources.to_vec(), target))
}

fn absolute(command: &Command, word: &Word) -> Vec<PathBuf> {
    let folders = command.folders.iter();
    folders
        .map(|folder| PathBuf::from(hookloop_shell::join_path(folder, &word.text)))
        .collect()
}

/// `cp -r evil/. .`, `mv evil/.gemini .`, `rsync -a evil/ .`: what lies in a source comes to lie
/// at the same place below the target.
fn copied(protected: &Protected, command: &Command, written: &[PathBuf]) -> Option<PathBuf> {
    let (sources, target) = targets(command)?;
    if command.program == "rsync" && command.flags.iter().any(|it| it.starts_with("--del")) {
        let mut all = absolute(command, target).into_iter();
        if let Some(hit) = all.find_map(|it| protected.touched_by(Touch::Remove, &it)) {
            return Some(hit);
        }
    }
    for target in absolute(command, target) {
        // A folder that isn't there yet, and would be one that settings are read from.
        if !target.exists()
            && let Some(hit) = protected.touched_by(Touch::Remove, &target)
        {
            return Some(hit);
        }
        let below = protected.below(&target);
        for source in &sources {
            for source_path in absolute(command, source) {
                let name = source_path.file_name().map(|it| target.join(it));
                let gives_contents = source.text.ends_with("/.")
                    || command.program == "rsync" && source.text.ends_with('/');
                let keeps_name = name.filter(|_| !gives_contents);
                // Into the target, or in its place.
                let roots = [Some(target.clone()), keeps_name];
                for root in roots.into_iter().flatten() {
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

/// `ln -s .gemini x`: another name for what guards are made of, or a link in its place.
fn linked(protected: &Protected, command: &Command) -> Option<PathBuf> {
    let operands: Vec<&Word> = command.operands().collect();
    for (number, word) in operands.iter().enumerate() {
        let is_target = number > 0 && number + 1 == operands.len();
        for path in absolute(command, word) {
            if is_target && path.is_dir() && !command.has_flag("-n") && !command.has_flag("-T") {
                continue;
            }
            let holds_all = command
                .folders
                .iter()
                .any(|it| Path::new(it).starts_with(&path));
            if !holds_all && let Some(hit) = protected.touched_by(Touch::Remove, &path) {
                return Some(hit);
            }
        }
    }
    None
}

/// `tar xf x.tar`: what an archive holds isn't known without reading it, so a folder that holds
/// what guards are made of isn't a place to unpack into, unless all that comes out is named.
fn unpacked(protected: &Protected, command: &Command) -> Option<PathBuf> {
    let program = command.program.as_str();
    let first = command.words.get(1).map_or("", |it| it.text.as_str());
    let has = |flag: &str| command.has_flag(flag);
    let is_tar = ["tar", "bsdtar", "gtar"].contains(&program);
    let unpacks = match program {
        _ if is_tar || program == "jar" => {
            has("-x")
                || has("--extract")
                || has("--get")
                || !first.starts_with('-') && first.contains('x')
        }
        "cpio" => has("-i") || has("--extract") || has("-p"),
        "pax" => has("-r"),
        "unzip" => !(has("-l") || has("-p") || has("-t") || has("-Z") || has("-v")),
        _ => ["x", "e"].contains(&first),
    };
    if !unpacks {
        return None;
    }
    if is_tar && (has("-O") || has("--to-stdout")) {
        return None;
    }
    let option = command.words.windows(2).find_map(|pair| {
        let is_folder = match program {
            "unzip" => pair[0].text == "-d",
            _ => ["-C", "--directory", "--cd"].contains(&pair[0].text.as_str()),
        };
        is_folder.then_some(&pair[1])
    });
    let attached = command.words.iter().find_map(|word| {
        let text = ["--directory=", "-C", "-o"].iter().find_map(|option| {
            (*option != "-o" || program.starts_with('7'))
                .then(|| word.text.strip_prefix(option))
                .flatten()
        })?;
        (!text.is_empty()).then(|| Word {
            text: text.to_owned(),
            ..word.clone()
        })
    });
    let folders: Vec<PathBuf> = match option.or(attached.as_ref()) {
        Some(word) => absolute(command, word),
        None => command.folders.iter().map(PathBuf::from).collect(),
    };
    folders
        .iter()
        .find_map(|folder| inside_or_below(protected, folder))
}

fn inside_or_below(protected: &Protected, folder: &Path) -> Option<PathBuf> {
    protected
        .touched_by(Touch::Write, folder)
        .or_else(|| protected.below(folder).into_iter().next())
}

/// `patch -p1 < x.diff`: the names stand in the text.
fn patched(protected: &Protected, command: &Command) -> Option<PathBuf> {
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
                .filter_map(|it| read(&Path::new(it).join(file))),
        );
    }
    named_in_patches(protected, command, &texts)
}

/// Returns the patch or list of a command that can't be read beforehand: what it changes isn't known.
pub(super) fn unread(command: &Command, written_before: &[PathBuf]) -> Option<String> {
    use hookloop_shell::Input;
    let is_git =
        command.program == "git" && matches!(command.subcommand.as_deref(), Some("apply" | "am"));
    if !is_git && command.program != "patch" {
        return None;
    }
    let only_tells = [
        "--check",
        "--stat",
        "--numstat",
        "--summary",
        "--dry-run",
        "--abort",
    ];
    if only_tells.iter().any(|flag| command.has_flag(flag)) {
        return None;
    }
    let unseen = |path: &str| {
        written_before.iter().any(|it| it == Path::new(path)) || read(Path::new(path)).is_none()
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

fn named_in_patches(protected: &Protected, command: &Command, texts: &[String]) -> Option<PathBuf> {
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
    for line in texts.iter().flat_map(|it| it.lines()) {
        let Some(rest) = MARKS.iter().find_map(|mark| line.strip_prefix(mark)) else {
            continue;
        };
        for name in rest.split_whitespace() {
            let name = name.trim_matches('"');
            // `-p0`, `-p1`, …: as many folders as are there may be taken off.
            let parts: Vec<&str> = name.split('/').collect();
            for from in 0..parts.len() {
                let name = parts[from..].join("/");
                for folder in &command.folders {
                    let path = Path::new(folder).join(&name);
                    if let Some(hit) = protected.touched_by(Touch::Write, &path) {
                        return Some(hit);
                    }
                }
            }
        }
    }
    None
}

fn text_of(used: &PathUse) -> Option<String> {
    used.paths.iter().find_map(|path| read(Path::new(path)))
}

/// Reads a text file, if it is a regular one of a sensible size.
pub(super) fn read(path: &Path) -> Option<String> {
    let metadata = path.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return None;
    }
    Some(String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned())
}

/// `git checkout -- .`, `git clean -fdx`, `git stash -u`, `git reset --hard`, `git apply x.diff`.
fn restored(protected: &Protected, command: &Command) -> Option<PathBuf> {
    let has = |flags: &[&str]| flags.iter().any(|flag| command.has_flag(flag));
    let operands: Vec<&Word> = command.operands().collect();
    let below = |words: &[&Word]| {
        let mut paths = words.iter().flat_map(|word| absolute(command, word));
        paths.find_map(|path| {
            let path = if path.is_absolute() && path.ends_with(":") {
                path.parent().map(Path::to_path_buf).unwrap_or_default()
            } else {
                path
            };
            existing_below(protected, &path)
        })
    };
    let everywhere = || {
        let mut folders = command.folders.iter();
        folders.find_map(|folder| existing_below(protected, &top_of(Path::new(folder))))
    };
    let forces = has(&["-f", "--force", "--discard-changes"]);
    match command.subcommand.as_deref()? {
        // What isn't committed is thrown away.
        "checkout" | "switch" if forces => everywhere(),
        "checkout" | "restore" => {
            if operands.iter().any(|it| it.text.starts_with(':')) || has(&["--pathspec-from-file"])
            {
                return everywhere();
            }
            below(&operands)
        }
        "rm" | "mv" => below(&operands),
        "clean" if has(&["-f", "--force"]) && !has(&["-n", "--dry-run"]) => {
            if operands.is_empty() {
                let mut folders = command.folders.iter();
                folders.find_map(|folder| existing_below(protected, Path::new(folder)))
            } else {
                below(&operands)
            }
        }
        "stash" | "stash push" | "stash save" => {
            let takes = has(&["-u", "--include-untracked", "-a", "--all"]);
            if takes { everywhere() } else { None }
        }
        "reset" if has(&["--hard"]) => everywhere(),
        "read-tree" if has(&["-u"]) => everywhere(),
        "checkout-index" => everywhere(),
        "apply" | "am" => patched(protected, command),
        _ => None,
    }
}

/// Returns the root of the repository that a folder lies in.
pub(super) fn top_of(folder: &Path) -> PathBuf {
    let mut above = folder.ancestors();
    above
        .find(|it| it.join(".git").exists())
        .unwrap_or(folder)
        .to_path_buf()
}

fn existing_below(protected: &Protected, folder: &Path) -> Option<PathBuf> {
    let below = protected.below(folder);
    below.into_iter().find(|it| it.exists())
}
