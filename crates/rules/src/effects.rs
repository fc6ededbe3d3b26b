//! The effects of a command, by name: `git.force-push`, `delete.outside` (HT-40).
//!
//! What programs do is data, in `guards/effects.toml`. This code compares it with what is known
//! about a command, and finds the effects that depend on paths.

mod arguments;
mod branches;
mod calls;
mod cmdlets;
mod containers;
mod disposable;
mod downloads;
mod elsewhere;
mod environment;
mod examples;
pub(crate) mod folder_contents;
mod followed;
mod found_secrets;
mod hosts;
pub(crate) mod links;
mod looked_up;
mod moved_files;
mod names;
mod opaque;
mod piped;
mod places;
mod runs;
mod scripts;
mod searched;
mod secret_addresses;
mod secret_code;
mod secret_files;
mod secret_names;
mod secret_patterns;
mod secret_settings;
mod secret_uses;
mod secret_words;
mod sent;
mod statements;
mod table;
mod texts;
mod verbs;
mod windows;
mod written;

use hookloop_shell::{Command, Input, PathUse, Place, RedirectKind, Understood, usual_name};

use places::PlaceKind;
pub use places::Places;
#[cfg(test)]
pub(crate) use table::expressions;
pub(crate) use table::is_known_program;

pub(crate) use arguments::{implied_files, is_foreign, looks_at_names_of};
pub(crate) use calls::call_effects;
pub use names::EFFECTS;
pub(crate) use runs::shell_text;

use downloads::Downloads;
use followed::Followed;
use found_secrets::Listing;
use moved_files::Carried;
use opaque::opaque_parts;
use piped::Piped;
use secret_files::{CommandContext, by_secrets, looks_at_names};
use statements::{is_taken_back, without_literals};

/// Something that a command does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// The name of the effect.
    pub name: String,
    /// The command in its normal form.
    pub line: String,
    /// The path, or what else the effect is about. Empty if there is nothing.
    pub about: String,
}

/// Finds the effects of a shell text.
pub fn effects_of(understood: &Understood, places: &Places) -> Vec<Effect> {
    effects_with_targets(&links::follow_links(understood, places), places)
}

/// Finds the effects of a shell text to which the targets of links have been added.
pub(crate) fn effects_with_targets(understood: &Understood, places: &Places) -> Vec<Effect> {
    effects_within(understood, places, &mut Followed::new(places))
}

/// Finds the effects of a text with the targets of links, and of what it makes others do.
fn effects_within(
    understood: &Understood,
    places: &Places,
    followed: &mut Followed<'_>,
) -> Vec<Effect> {
    let mut effects = Vec::new();
    let mut downloads = Downloads::default();
    let mut container = containers::LastContainer::default();
    let mut carried = Carried::default();
    let mut piped = Piped::default();
    let mut found = Listing::default();
    followed.writes(understood);
    for (at, command) in understood.commands.iter().enumerate() {
        let command = &*windows::with_text(command);
        by_table(command, &mut effects);
        verbs::by_verb(command, &mut effects);
        by_code(command, handed_by(understood, at), &mut effects);
        calls::written_by_code(command, places, &mut effects);
        if command.place == Place::Here {
            by_paths(command, places, &mut effects);
            carried.by_path(command, places, &mut effects);
            piped.by_pipe(command, places, &mut effects);
        } else {
            elsewhere::remote_effects(command, &understood.commands[..at], &mut effects);
            if let Some(mapped) = container.on_this_machine(command) {
                by_paths(&mapped, places, &mut effects);
            }
        }
        container.note(command, &mut effects);
        let next = understood.commands.get(at + 1);
        let hands_on = next.is_some_and(|it| it.input != Input::Inherited);
        let previous = at.checked_sub(1).and_then(|it| understood.commands.get(it));
        let beside = CommandContext { previous, hands_on };
        by_secrets(command, beside, places, &mut effects);
        sent::by_sending(understood, at, places, &mut effects);
        found.by_names(command, looks_at_names(command), &mut effects);
        downloads.by_download(command, &mut effects);
        let command = &*container.placed(command);
        followed.branches.by_force(command, &mut effects);
        followed.branches.by_branch(command, &mut effects);
        followed.follow(command, &mut effects);
    }
    environment::note_dumps(understood, &places.home, &mut effects);
    opaque_parts(understood, &mut effects);
    effects
}

fn note(effects: &mut Vec<Effect>, name: &str, command: &Command, about: &str) {
    let effect = Effect {
        name: name.to_owned(),
        line: command.line().chars().take(300).collect(),
        about: about.to_owned(),
    };
    if !effects.contains(&effect) {
        effects.push(effect);
    }
}

fn by_table(command: &Command, effects: &mut Vec<Effect>) {
    if command.program == "kill" && command.through.iter().any(|it| it == "xargs") {
        note(effects, "process", command, "");
    }
    // A program that prints its help or version does nothing else.
    let only_version = command.has_flag("--version") && command.words_after_program().len() == 1;
    let asks_help = command.program == "aws"
        && (command.words.last().is_some_and(|it| it.text == "help")
            || command.has_flag("--generate-cli-skeleton"));
    let only_tells = command.has_flag("--help") || only_version || asks_help;
    let is_dry =
        command.program == "aws" && (command.has_flag("--dry-run") || command.has_flag("--dryrun"));
    if only_tells || is_dry {
        return;
    }
    let is_script = ["/etc/init.d/", "/etc/rc.d/", "/usr/local/etc/rc.d/"]
        .iter()
        .any(|it| command.invoked.starts_with(it));
    let ends = ["stop", "restart", "force-reload", "kill"];
    if is_script
        && command
            .words_after_program()
            .iter()
            .any(|it| ends.contains(&it.text.as_str()))
    {
        note(effects, "process", command, "");
    }
    let tries = command.program == "rsync" && is_tried(command);
    if ["scp", "rsync", "rcp"].contains(&command.program.as_str())
        && !tries
        && let Some((_, path)) = command
            .operands()
            .last()
            .and_then(|it| it.text.split_once(":/"))
        && ["etc", "root", "usr", "lib", "boot", "var/spool"]
            .iter()
            .any(|it| path == *it || path.starts_with(&format!("{it}/")))
    {
        note(effects, "persist", command, "another machine");
    }
    let of_test = disposable::is_of_test(command);
    for entry in table::entries(&command.program) {
        if entry.effect == "database" && of_test {
            continue;
        }
        if entry.matches(command) {
            note(effects, entry.effect, command, "");
        }
    }
}

/// Returns the file that the preceding command pipes to one: `cat drop.sql | psql`.
fn handed_by(understood: &Understood, at: usize) -> Option<&str> {
    let takes = understood.commands[at].input != Input::Inherited;
    // The command that enters a container is between the two.
    let entered = usize::from(!understood.commands[at].through.is_empty());
    let previous = understood.commands.get(at.checked_sub(1 + entered)?)?;
    let hands = takes && previous.program == "cat";
    hands.then(|| previous.operands().last().map(|it| it.text.as_str()))?
}

/// Program text in other languages, and text that database clients read.
fn by_code(command: &Command, handed: Option<&str>, effects: &mut Vec<Effect>) {
    let mut texts: Vec<&str> = command.code.iter().map(String::as_str).collect();
    if let Input::Text(text) = &command.input {
        texts.push(text);
    }
    // These run the same programs as `node`.
    let program = match command.program.as_str() {
        "tsx" | "ts-node" => "node",
        other if windows::runs_text(other) => "pwsh",
        other => other,
    };
    for entry in table::codes() {
        if !entry
            .programs
            .iter()
            .any(|it| *it == "*" || program.starts_with(it))
        {
            continue;
        }
        let args = command.texts_after_program();
        let is_client = entry.reads_arguments;
        // A database in memory or in a temporary folder is short-lived anyway.
        let is_scratch = command
            .operands()
            .next()
            .is_some_and(|it| it.text == ":memory:" || it.text.starts_with("/tmp/"));
        if is_client && is_scratch && entry.effect == "database" {
            continue;
        }
        let args_of = || command.texts_after_program();
        if is_client && args_of().any(|it| ["--dry_run", "--dry-run"].contains(&it)) {
            continue;
        }
        let file = match &command.input {
            Input::File(path) if is_client => Some(path.as_str()),
            _ => handed.filter(|_| is_client),
        };
        let found = texts
            .iter()
            .copied()
            .chain(file)
            .chain(args.filter(|_| is_client))
            .any(|text| {
                // In a database query, quoted text is data.
                if is_client && !text.to_lowercase().contains("execute") {
                    let bare = without_literals(text);
                    !is_taken_back(&command.program, &bare)
                        && bare.split(';').any(|it| entry.matches(it))
                } else if entry.effect == "delete.code" {
                    let names = |it: &str| entry.matches(it);
                    // If this can't be decided, the text counts.
                    texts::without_mentions(text, &command.program, names)
                        .is_none_or(|it| entry.matches(&it))
                } else {
                    entry.matches(text)
                }
            });
        if found {
            note(effects, entry.effect, command, "");
        }
    }
}

fn by_paths(command: &Command, places: &Places, effects: &mut Vec<Effect>) {
    let recursive = ["-r", "-R", "--recursive", "-delete", "-d"]
        .iter()
        .any(|it| command.has_flag(it))
        || ["find", "rimraf", "rd", "mv", "rsync", "del-cli"]
            .contains(&usual_name(&command.program))
        || windows::is_deleted_with_folders(command)
        || command
            .through
            .iter()
            .any(|it| ["find", "xargs"].contains(&usual_name(it)));
    let is_dry = is_tried(command)
        && ["git", "rsync", "rimraf", "del-cli", "trash"].contains(&command.program.as_str());
    if !is_dry {
        let moves = command.program == "mv" || command.subcommand.as_deref() == Some("mv");
        let meant = |it: &&PathUse| {
            !windows::is_switch_of(command, &it.written) && !windows::is_temporary(&it.written)
        };
        for path in command.deletes.iter().filter(meant) {
            if moves {
                add_move(command, path, places, effects);
            } else {
                add_deletion(command, path, recursive, places, effects);
            }
        }
    }
    for path in &command.writes {
        if !(is_dry && command.program == "rsync") {
            written(command, path, places, effects);
        }
    }
    add_redirects(command, places, effects);
    let names_nothing = command
        .words_after_program()
        .iter()
        .any(|it| it.text == "/dev/zero" || is_nothing(&it.text));
    let reads_nothing = command
        .redirects
        .iter()
        .any(|it| it.kind == RedirectKind::Read && it.target.text == "/dev/null")
        || matches!(&command.input, Input::Text(text) if text.trim().is_empty());
    let forces = command.has_flag("-f") || command.has_flag("--force");
    let empties = ["sort", "install"].contains(&command.program.as_str()) && names_nothing
        || ["tee", "sponge"].contains(&command.program.as_str())
            && reads_nothing
            && !command.has_flag("-a")
        || command.program == "ln" && forces && names_nothing
        || ["cp", "copy", "xcopy"].contains(&command.program.as_str()) && names_nothing
        || command.program == "truncate"
            && ["-s 0", "-s0", "--size 0", "--size=0"]
                .iter()
                .any(|it| command.line().contains(it))
        || command.program == "dd"
            && command
                .words_after_program()
                .iter()
                .any(|it| ["if=/dev/zero", "if=/dev/null", "count=0"].contains(&it.text.as_str()))
            && !command
                .writes
                .iter()
                .all(|it| places::is_image(&it.written));
    if empties {
        for path in &command.writes {
            if places.is_worth_keeping(&path.written) {
                note(effects, "overwrite.project", command, &path.written);
            }
        }
    }
    permissions(command, places, effects);
}

/// Finds the files that a redirect empties, and the disks that it overwrites.
fn add_redirects(command: &Command, places: &Places, effects: &mut Vec<Effect>) {
    for redirect in &command.redirects {
        let truncates = redirect.kind == RedirectKind::Write
            && (command.program.is_empty()
                || [":", "true"].contains(&command.program.as_str())
                || prints_nothing(command));
        let empties = redirect.kind == RedirectKind::Write
            && ["cat", "type"].contains(&command.program.as_str())
            && command
                .words_after_program()
                .iter()
                .any(|it| is_nothing(&it.text));
        let endless = ["/dev/zero", "/dev/urandom", "/dev/random"];
        let reads_endless = || {
            command
                .words_after_program()
                .iter()
                .any(|it| endless.contains(&it.text.as_str()))
        };
        let is_huge = |it: &str| it.ends_with(['T', 'P']) || it.ends_with('G') && it.len() > 3;
        let fills = match command.program.as_str() {
            "yes" => true,
            "cat" | "pv" => reads_endless(),
            "head" => {
                reads_endless()
                    && command
                        .words_after_program()
                        .iter()
                        .any(|it| is_huge(&it.text))
            }
            _ => false,
        };
        let fills = fills && !redirect.target.text.starts_with("/dev/");
        if fills && redirect.kind == RedirectKind::Write {
            note(effects, "process.bomb", command, &redirect.target.text);
        }
        if (truncates || empties) && places.is_worth_keeping(&redirect.target.text) {
            note(effects, "overwrite.project", command, &redirect.target.text);
        }
    }
}

/// Returns whether a file is the null device, also under its name on Windows.
fn is_nothing(text: &str) -> bool {
    text == "/dev/null" || text.eq_ignore_ascii_case("nul")
}

/// Returns whether a command only shows what it would do.
fn is_tried(command: &Command) -> bool {
    ["--dry-run", "-n", "--simulate"]
        .iter()
        .any(|it| command.has_flag(it))
}

/// Returns whether a command prints an empty text, and so empties what it is redirected to.
fn prints_nothing(command: &Command) -> bool {
    ["echo", "printf"].contains(&command.program.as_str())
        && command
            .words_after_program()
            .iter()
            .all(|it| it.known && (it.text.is_empty() || it.text == "-n"))
}

fn add_deletion(
    command: &Command,
    path: &PathUse,
    recursive: bool,
    places: &Places,
    effects: &mut Vec<Effect>,
) {
    if !path.known {
        if (recursive || command.repeats) && places.unknown_is_dangerous(&path.written) {
            note(effects, "delete.unknown", command, &path.written);
        }
        return;
    }
    for absolute in &path.paths {
        let kind = places.kind(absolute, path.pattern);
        // A path beside the workspace isn't temporary, wherever the workspace is.
        let is_beside = kind == PlaceKind::Temporary && path.written.starts_with("..");
        if kind == PlaceKind::Inside && places::is_database(absolute) {
            note(effects, "database", command, absolute);
        }
        let name = match kind {
            _ if is_beside => "delete.outside",
            PlaceKind::Outside | PlaceKind::System | PlaceKind::Home => "delete.outside",
            PlaceKind::Root => "delete.root",
            PlaceKind::Repository => "delete.repository",
            PlaceKind::Whole => "delete.project",
            PlaceKind::Inside if recursive || path.pattern && Places::is_broad(absolute) => {
                "delete.project"
            }
            PlaceKind::Inside | PlaceKind::Temporary | PlaceKind::Disposable => continue,
        };
        note(effects, name, command, absolute);
    }
}

fn add_move(command: &Command, path: &PathUse, places: &Places, effects: &mut Vec<Effect>) {
    let to_nowhere = command
        .words
        .last()
        .is_some_and(|it| it.text == "/dev/null");
    for absolute in &path.paths {
        let kind = places.kind(absolute, path.pattern);
        let to_temporary = command.writes.iter().any(|it| {
            let paths = it.paths.iter();
            paths
                .map(|it| (it.as_str(), places.kind(it, false)))
                .any(|(path, kind)| kind == PlaceKind::Temporary || path == "/tmp")
        });
        let serious = to_temporary && kind == PlaceKind::Outside
            || matches!(
                kind,
                PlaceKind::Root
                    | PlaceKind::System
                    | PlaceKind::Home
                    | PlaceKind::Whole
                    | PlaceKind::Repository
            );
        if to_nowhere || serious {
            note(effects, "delete.outside", command, absolute);
        }
    }
}

fn written(command: &Command, path: &PathUse, places: &Places, effects: &mut Vec<Effect>) {
    // Python runs these files automatically.
    let name = path.written.rsplit('/').next().unwrap_or("");
    if ["usercustomize.py", "sitecustomize.py"].contains(&name) {
        note(effects, "persist", command, &path.written);
    }
    for absolute in &path.paths {
        let normalize_path = hookloop_shell::normalize_path(absolute);
        if places::is_device(&normalize_path) {
            note(effects, "disk.write", command, absolute);
        } else if places.is_start_file(&normalize_path) && closes_to_others(command) {
            // Restricting access makes nothing run.
        } else if places.is_start_file(&normalize_path) {
            note(effects, "persist", command, absolute);
            if normalize_path.contains("/.git/") && command.program != "chmod" {
                note(effects, "git.internals", command, absolute);
            }
        } else if places.kind(absolute, path.pattern) == PlaceKind::System {
            note(effects, "write.system", command, absolute);
        } else if let Some(about) = branches::internals(command, path, &normalize_path) {
            note(effects, "git.internals", command, &about);
        }
    }
}

fn permissions(command: &Command, places: &Places, effects: &mut Vec<Effect>) {
    if !["chmod", "chown", "chgrp", "chattr", "setfacl"].contains(&command.program.as_str()) {
        return;
    }
    let recursive = command.has_flag("-R")
        || command.has_flag("--recursive")
        || command
            .through
            .iter()
            .any(|it| ["find", "xargs"].contains(&usual_name(it)));
    let open = command.words_after_program().iter().any(|it| {
        let text = it.text.as_str();
        let mode = text.trim_start_matches('0');
        let changes = |part: &str| {
            [
                "a+w", "o+w", "ugo+rwx", "a+rwx", "+w", "a=rwx", "o+rw", "o+rwx", "go+w", "ugo+w",
                "u+s", "g+s", "+s", "o=rwx", "a+rw", "ug+s",
            ]
            .contains(&part)
        };
        mode.len() == 3 && mode.ends_with(['7', '6']) && mode.chars().all(|it| it.is_ascii_digit())
            || text.split(',').any(changes)
            || mode.len() == 4 && mode.starts_with(['4', '2', '6'])
    });
    if open {
        note(effects, "permissions.open", command, "");
    }
    for path in &command.writes {
        for absolute in &path.paths {
            let kind = places.kind(absolute, path.pattern);
            let outside = matches!(
                kind,
                PlaceKind::Root | PlaceKind::System | PlaceKind::Home | PlaceKind::Outside
            );
            let closes = command.words_after_program().iter().any(|it| {
                ["000", "0", "-rwx", "a-rwx", "u-rwx", "a-w"].contains(&it.text.as_str())
            });
            // Users who take ownership of files lose no access.
            let owner = command.operands().next().map_or("", |it| it.text.as_str());
            let to_self = ["$USER", "${USER}", "$(whoami)", "$(id -u)", "$UID"]
                .iter()
                .any(|it| owner.starts_with(it));
            let changes_all = recursive
                && (closes || command.program != "chmod" && kind == PlaceKind::Whole && !to_self);
            let system = kind == PlaceKind::System || kind == PlaceKind::Root;
            if outside && (recursive || system || closes) || changes_all {
                note(effects, "permissions.outside", command, absolute);
            }
        }
    }
}

/// Returns whether a command only keeps others from a file.
fn closes_to_others(command: &Command) -> bool {
    let modes = [
        "600", "400", "0600", "0400", "644", "0644", "go-rwx", "og-rwx", "go=", "go-w",
    ];
    command.program == "chmod"
        && command
            .operands()
            .next()
            .is_some_and(|it| modes.contains(&it.text.as_str()))
}

/// Finds the effects of a tool that reads or writes a file by its path.
pub(crate) fn path_effects(absolute: &str, what: &str, places: &Places) -> Vec<String> {
    let mut names = Vec::new();
    let opens = || (what == "write").then(|| secret_names::opens(absolute))?;
    let of_home = || secret_names::is_own_settings(absolute, &places.home).then_some("secret");
    // As Windows writes it.
    let slashed = absolute.contains('\\').then(|| absolute.replace('\\', "/"));
    let of_windows = || secret_names::by_glob(slashed.as_deref()?);
    let kind = secret_names::by_glob(absolute)
        .or_else(of_windows)
        .or_else(opens);
    if let Some(kind) = kind.or_else(of_home) {
        names.push(format!("{kind}.{what}"));
    } else if what == "read" && secret_settings::is_of_operation(absolute) {
        names.push("settings.read".to_owned());
    }
    // A pattern that may also match other files is left to the command that reads the names.
    if absolute.ends_with('*') {
        return names;
    }
    if what == "write" {
        let path = hookloop_shell::normalize_path(absolute);
        if path.contains("/.git/hooks/") {
            names.push("git.no-verify".to_owned());
        }
        if places.is_start_file(&path) {
            names.push("persist".to_owned());
            if path.contains("/.git/") {
                names.push("git.internals".to_owned());
            }
        } else if places.kind(&path, false) == PlaceKind::System {
            names.push("write.system".to_owned());
        } else if path.contains("/.git/") {
            names.push("git.internals".to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests;
