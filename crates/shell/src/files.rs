//! Which files a command reads, writes and deletes, as far as its words show.

mod outlets;
mod text_only;

use crate::moved::moved_by_option;
use crate::same_programs::usual_name;
use crate::scope::Scope;
use crate::scripts::{changes_in_place, text_place};
use crate::sed;
use crate::understood::{Command, PathUse, RedirectKind, Word};
use crate::wrappers::found_by;

use text_only::TEXT_ONLY;

/// How a program uses its operands.
enum Use {
    /// The first operand is a pattern or a program text, the others are read.
    ReadsBehindFirst,
    Writes,
    Deletes,
    /// All but the last are read, the last is written.
    Copies,
    /// All but the last are deleted, the last is written.
    Moves,
    /// The first operand isn't a file, the others are written.
    WritesBehindFirst,
}

const USES: &[(&[&str], Use)] = &[
    (
        &[
            "rm",
            "rmdir",
            "unlink",
            "srm",
            "trash",
            "trash-put",
            "rimraf",
            "del",
            "rd",
            "erase",
            "wipe",
            "gio-trash",
            "del-cli",
        ],
        Use::Deletes,
    ),
    (&["shred", "scrub"], Use::Deletes),
    (
        &[
            "Copy-Item",
            "cpi",
            "cp",
            "gcp",
            "rsync",
            "scp",
            "install",
            "ginstall",
            "ditto",
            "rcp",
            "cpio",
            "ln",
            "gln",
            "link",
            "copy",
            "xcopy",
        ],
        Use::Copies,
    ),
    (&["mv", "gmv", "move", "Move-Item"], Use::Moves),
    (
        &[
            "touch",
            "truncate",
            "tee",
            "sponge",
            "mkdir",
            "mkfifo",
            "mktemp",
            "fallocate",
            "vim",
            "vi",
            "nvim",
            "nano",
            "emacs",
            "ed",
            "ex",
            "pico",
            "micro",
            "code",
            "subl",
        ],
        Use::Writes,
    ),
    (
        &["chmod", "chown", "chgrp", "chattr", "setfacl", "xattr"],
        Use::WritesBehindFirst,
    ),
    (
        &[
            "grep", "egrep", "fgrep", "rg", "ag", "ack", "ugrep", "sed", "gsed", "awk", "gawk",
            "mawk", "nawk", "jq", "yq", "perl", "look", "sift", "pcregrep", "zgrep",
        ],
        Use::ReadsBehindFirst,
    ),
];

/// Fills in what a command reads, writes and deletes.
pub(crate) fn analyse(command: &mut Command, scope: &Scope<'_>) {
    let moved = moved_by_option(command, scope);
    let mut uses = Uses {
        scope,
        reads: Vec::new(),
        writes: Vec::new(),
        deletes: Vec::new(),
        fills: Vec::new(),
    };
    for redirect in &command.redirects {
        match redirect.kind {
            RedirectKind::Read => uses.read(&redirect.target),
            RedirectKind::Write | RedirectKind::Append => uses.write(&redirect.target),
            RedirectKind::Descriptor | RedirectKind::Text => {}
        }
    }
    if let Some(moved) = &moved {
        command.folders.clone_from(&moved.folders);
        uses.scope = moved;
    }
    by_program(command, &mut uses);
    command.fills = uses.fills;
    (command.reads, command.writes, command.deletes) = (uses.reads, uses.writes, uses.deletes);
}

struct Uses<'s, 'a> {
    scope: &'s Scope<'a>,
    reads: Vec<PathUse>,
    writes: Vec<PathUse>,
    deletes: Vec<PathUse>,
    fills: Vec<PathUse>,
}

impl Uses<'_, '_> {
    fn read(&mut self, word: &Word) {
        self.reads.push(self.scope.path_of(word));
    }
    fn write(&mut self, word: &Word) {
        self.writes.push(self.scope.path_of(word));
    }
    fn delete(&mut self, word: &Word) {
        self.deletes.push(self.scope.path_of(word));
    }
    fn read_text(&mut self, text: &str, word: &Word) {
        self.read(&Word {
            text: text.to_owned(),
            ..word.clone()
        });
    }
    fn write_text(&mut self, text: &str, word: &Word) {
        self.write(&Word {
            text: text.to_owned(),
            ..word.clone()
        });
    }
}

fn by_program(command: &Command, uses: &mut Uses<'_, '_>) {
    let program = command.program.as_str();
    if program.is_empty() {
        return;
    }
    let operands: Vec<&Word> = command.operands().collect();
    values_of_options(command, uses);
    for file in outlets::files(command) {
        uses.write(&file);
    }
    for folder in outlets::folders(command) {
        uses.fills.push(uses.scope.path_of(&folder));
    }
    if program == "jsonlint" && command.has_option(&["-i", "--in-place"]) {
        for it in &operands {
            uses.write(it);
        }
    }
    match usual_name(program) {
        "find" => return find(command, uses),
        "dd" => return dd(command, uses),
        "tar" => return tar(command, uses),
        "git" => return git(command, &operands, uses),
        "source" | "." => {
            operands.first().into_iter().for_each(|it| uses.read(it));
            return;
        }
        "test" | "[" => {
            operands
                .iter()
                .filter(|it| it.text != "]")
                .for_each(|it| uses.read(it));
            return;
        }
        "curl" | "wget" | "http" | "https" | "xh" => return,
        _ => {}
    }
    in_place(command, &operands, uses);
    let known = USES.iter().find(|(names, _)| names.contains(&program));
    match known.map(|(_, known)| known) {
        Some(Use::Deletes) => {
            for it in &operands {
                uses.delete(it);
            }
        }
        Some(Use::Writes) => {
            for it in &operands {
                uses.write(it);
            }
        }
        Some(Use::WritesBehindFirst) => {
            let skip = usize::from(!crate::options::names_mode(command));
            operands.iter().skip(skip).for_each(|it| uses.write(it));
        }
        Some(Use::Copies) => copies(command, &operands, uses),
        Some(Use::Moves) => moves(command, &operands, uses),
        Some(Use::ReadsBehindFirst) => after_first(command, &operands, uses),
        None => {
            if !TEXT_ONLY.contains(&program) {
                for it in &operands {
                    uses.read(it);
                }
            }
        }
    }
}

/// Options whose value is a file that is read.
const READING_OPTIONS: &[&str] = &[
    "-in",
    "-inkey",
    "-K",
    "--config",
    "-T",
    "--upload-file",
    "--post-file",
    "--env-file",
    "-i",
    "--cert",
    "--key",
    "-F",
    "--file",
    "--body-file",
    "--from-file",
    "--password-file",
    "--passphrase-file",
];

/// Programs that read the file after `-f`.
const LISTS_IN_FILES: &[&str] = &[
    "date", "awk", "gawk", "mawk", "nawk", "sed", "gsed", "grep", "egrep", "fgrep", "rg", "jq",
    "psql", "file", "wc",
];

/// `-o x`, `-d @x`.
fn values_of_options(command: &Command, uses: &mut Uses<'_, '_>) {
    let program = command.program.as_str();
    for pair in command.words.windows(2) {
        let (option, value) = (pair[0].text.as_str(), &pair[1]);
        // For in-place changes, no value follows.
        let is_flag = option == "-i"
            && [
                "sed", "gsed", "perl", "yq", "grep", "egrep", "rg", "awk", "gawk",
            ]
            .contains(&program);
        if READING_OPTIONS.contains(&option) && !is_flag && !value.text.starts_with('-') {
            uses.read(value);
        }
        if option == "-f" && LISTS_IN_FILES.contains(&program) {
            uses.read(value);
        }
        if program == "curl" || program == "http" || program == "gh" {
            let text = value.text.trim_start_matches(|it| it != '@' && it != '<');
            if (value.text.starts_with('@')
                || value.text.contains("=@")
                || value.text.contains("=<")
                || option == "--data-urlencode")
                && text.len() > 1
            {
                uses.read_text(&text[1..], value);
            }
        }
    }
    attached_values(command, uses);
}

/// `--file=x`, `@x`.
fn attached_values(command: &Command, uses: &mut Uses<'_, '_>) {
    for word in command.words.iter().skip(1) {
        if let Some((name, value)) = word.text.split_once('=')
            && name.starts_with("--")
            && !value.is_empty()
        {
            if [
                "--output",
                "--out",
                "--output-document",
                "--outfile",
                "--log-file",
            ]
            .contains(&name)
            {
                uses.write_text(value, word);
            } else if ![
                "--message",
                "--format",
                "--pretty",
                "--author",
                "--date",
                "--grep",
                "--include",
                "--exclude",
                "--exclude-dir",
                "--glob",
                "--regexp",
                "--expression",
            ]
            .contains(&name)
            {
                uses.read_text(value, word);
            }
        }
        if let Some(path) = word.text.strip_prefix("file://") {
            uses.read_text(path, word);
        }
        if let Some(path) = word
            .text
            .strip_prefix('@')
            .filter(|it| it.contains(['/', '.']) && !it.starts_with("latest"))
        {
            uses.read_text(path, word);
        }
    }
}

fn copies(command: &Command, operands: &[&Word], uses: &mut Uses<'_, '_>) {
    if command.program == "rsync"
        && command.flags.iter().any(|it| it.starts_with("--del"))
        && let Some(last) = operands.last()
    {
        uses.delete(last);
    }
    if command.program == "rsync" && command.has_flag("--remove-source-files") {
        operands
            .iter()
            .take(operands.len().saturating_sub(1))
            .for_each(|it| uses.delete(it));
    }
    to_target(command, operands, uses);
}

/// Reads all operands except the target, and writes the target.
fn to_target(command: &Command, operands: &[&Word], uses: &mut Uses<'_, '_>) {
    if let Some(target) = command.target_folder() {
        uses.write(&target);
        for it in operands {
            uses.read(it);
        }
    } else if let [sources @ .., target] = operands {
        for it in sources {
            uses.read(it);
        }
        uses.write(target);
        // A file copied into a folder keeps its name.
        if target.known && (target.text.ends_with('/') || target.text == "." || target.text == "..")
        {
            for source in sources {
                let name = source
                    .text
                    .trim_end_matches('/')
                    .rsplit('/')
                    .next()
                    .unwrap_or("");
                uses.write_text(
                    &format!("{}/{name}", target.text.trim_end_matches('/')),
                    target,
                );
            }
        }
    }
}

fn moves(command: &Command, operands: &[&Word], uses: &mut Uses<'_, '_>) {
    if command.target_folder().is_some() {
        for it in operands {
            uses.delete(it);
        }
    } else if let [sources @ .., _] = operands {
        for it in sources {
            uses.delete(it);
        }
    }
    to_target(command, operands, uses);
}

fn after_first(command: &Command, operands: &[&Word], uses: &mut Uses<'_, '_>) {
    // The program's text isn't an operand: `perl -ne … FILE`.
    let has_text = if command.program == "perl" {
        has_program_text(command)
    } else {
        ["-e", "-f", "--regexp", "--expression", "--file"]
            .iter()
            .any(|flag| command.has_flag(flag))
    };
    let is_listing = command.has_flag("--files");
    // `yq eval '.a' f`
    let verbs = ["e", "eval", "ea", "eval-all"];
    let named = operands
        .first()
        .is_some_and(|it| verbs.contains(&it.text.as_str()));
    let by_verb = usize::from(command.program == "yq" && named && operands.len() > 1);
    let skip = by_verb + usize::from(!has_text && !is_listing);
    let changes = match command.program.as_str() {
        "sed" | "gsed" | "yq" => command.has_option(&["-i", "--in-place"]),
        "gawk" | "awk" => {
            let mut loaded = command.values_of(&["-i", "--include"]).into_iter();
            loaded.any(|it| it.text == "inplace")
        }
        _ => false,
    };
    for word in operands.iter().skip(skip) {
        uses.read(word);
        if changes {
            uses.write(word);
        }
    }
    if ["sed", "gsed"].contains(&command.program.as_str()) {
        for word in sed::scripts(command) {
            let script = sed::script(&word.text);
            for file in script.writes {
                uses.write_text(&file, &word);
            }
            for file in script.reads {
                uses.read_text(&file, &word);
            }
        }
    }
}

/// Notes the files that Perl or Ruby change in place: `perl -pi -e TEXT FILE`.
fn in_place(command: &Command, operands: &[&Word], uses: &mut Uses<'_, '_>) {
    if options_of(command).any(|it| changes_in_place(&command.program, it)) {
        let script = usize::from(!has_program_text(command));
        operands.iter().skip(script).for_each(|it| uses.write(it));
    }
}

/// Returns whether the text of the program is among the words: `perl -e TEXT`, `perl -we'TEXT'`.
fn has_program_text(command: &Command) -> bool {
    options_of(command).any(|it| text_place(&command.program, it).is_some())
}

/// Returns the words that may be options of Perl or Ruby. Values are among them: an option that
/// has something attached, as `-i` has a suffix, may look like one with a value in the next word.
fn options_of(command: &Command) -> impl Iterator<Item = &str> {
    let words = command.words_after_program().iter();
    words.map(|it| it.text.as_str())
}

fn find(command: &Command, uses: &mut Uses<'_, '_>) {
    let args: Vec<Word> = command.words_after_program().to_vec();
    let found = found_by(&command.program, &args).unwrap_or_default();
    let deletes = args.iter().any(|it| it.text == "-delete");
    for word in &found {
        if deletes {
            uses.delete(word);
        } else {
            uses.read(word);
        }
    }
}

fn dd(command: &Command, uses: &mut Uses<'_, '_>) {
    for word in command.words_after_program() {
        if let Some(path) = word.text.strip_prefix("of=") {
            uses.write_text(path, word);
        } else if let Some(path) = word.text.strip_prefix("if=") {
            uses.read_text(path, word);
        }
    }
}

fn tar(command: &Command, uses: &mut Uses<'_, '_>) {
    let has = |flag: &str| command.has_flag(flag);
    let pair = command.words.windows(2).find(|pair| {
        let text = pair[0].text.as_str();
        !text.starts_with("--") && text.ends_with('f') && text.len() < 8
    });
    let mut archives = command.values_of(&["-f", "--file"]);
    archives.extend(pair.map(|it| it[1].clone()));
    let changes = [
        "--create",
        "--append",
        "--update",
        "--concatenate",
        "--catenate",
        "--delete",
    ];
    let creates = has("-c") || has("-r") || has("-u") || has("-A") || command.has_option(&changes);
    for word in command.operands() {
        let is_archive = archives.iter().any(|it| it.text == word.text);
        let is_cluster = command.words.get(1).is_some_and(|it| it.text == word.text);
        if is_archive || is_cluster {
            continue;
        }
        if creates {
            uses.read(word);
            if has("--remove-files") {
                uses.delete(word);
            }
        }
    }
    archives.dedup();
    for archive in archives.iter().filter(|it| it.text != "-") {
        if creates {
            uses.write(archive);
        } else {
            uses.read(archive);
        }
    }
}

fn git(command: &Command, operands: &[&Word], uses: &mut Uses<'_, '_>) {
    match command.subcommand.as_deref() {
        Some("rm") => {
            if command.has_flag("--cached") {
                return;
            }
            for it in operands {
                uses.delete(it);
            }
        }
        Some("mv") => moves(command, operands, uses),
        Some("config") => {
            let named = command.values_of(&["-f", "--file"]);
            for it in &named {
                uses.write(it);
            }
            // `git config trace2.normalTarget FILE`: every later git command writes there.
            let is_target = |key: &str| {
                let key = key.to_ascii_lowercase();
                key.starts_with("trace2.") && key.ends_with("target")
            };
            if operands.iter().any(|it| is_target(&it.text)) {
                for it in operands {
                    uses.write(it);
                }
            }
        }
        Some(
            "add" | "stage" | "archive" | "diff" | "show" | "blame" | "cat-file" | "log"
            | "hash-object" | "grep" | "apply" | "am",
        ) => {
            for word in operands {
                uses.read(word);
                if let Some((_, path)) = word.text.split_once(':') {
                    uses.read_text(path, word);
                }
            }
        }
        Some("checkout" | "restore") => {
            for it in operands {
                uses.write(it);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
