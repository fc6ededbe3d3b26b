//! Patches with which agents write files, in tool calls and in shell commands (BR-10).

use std::path::Path;

use hookloop_dialects::patch::{self, Patched};
use hookloop_shell::{Command, Input, Surroundings, Understood, join_path, quote, understand};
use serde_json::{Map, Value};

use crate::planned::{PlannedCall, Split};

/// The names of the program that applies patches.
const PROGRAMS: [&str; 2] = ["apply_patch", "applypatch"];

/// The option with which Codex is that program.
const RUN_AS: &str = "--codex-run-as-apply-patch";

/// The beginning of a patch.
const BEGIN: &str = "*** Begin Patch";

/// Splits a call whose arguments contain a patch, under one of these names. Only the agent knows
/// which of them it reads, so all that exist count.
pub(crate) fn split_patch(tool: &str, arguments: &Map<String, Value>, names: &[&str]) -> Split {
    let given = names.iter().filter_map(|name| arguments.get(*name));
    let mut calls = Vec::new();
    for value in given {
        let Some(text) = value.as_str() else {
            return Split::Unclear(format!("the patch of `{tool}` isn't text"));
        };
        match patch::read(text) {
            Ok(files) => calls.extend(files.into_iter().map(call_of)),
            Err(why) => return Split::Unclear(why.to_string()),
        }
    }
    if calls.is_empty() {
        return Split::Unclear(format!("`{tool}` was called without a patch"));
    }
    Split::Calls(calls)
}

/// Writes a call that is part of a patch as a patch again.
pub(crate) fn compose_patch(name: &str, call: &PlannedCall) -> Option<Map<String, Value>> {
    let text = patch::of(&call.tool, &call.arguments)?;
    Some(Map::from_iter([(name.to_owned(), Value::from(text))]))
}

/// Finds what the patches in a shell command do to files. The shell parser says which programs run,
/// with which arguments and in which folder.
///
/// # Errors
/// A patch is applied whose effect isn't known before it runs.
pub(crate) fn in_shell(command: &str, cwd: &Path) -> Result<Vec<PlannedCall>, String> {
    let cwd = cwd.to_string_lossy();
    let around = Surroundings {
        folder: Some(&cwd),
        ..Surroundings::default()
    };
    let understood = understand(command, around);
    let mut calls = Vec::new();
    for applying in understood.commands.iter().filter(|it| applies(it)) {
        let files = patch::read(patch_text(applying)?).map_err(|why| why.to_string())?;
        for file in files {
            calls.extend(
                in_all_folders(&file, applying, &cwd)?
                    .into_iter()
                    .map(call_of),
            );
        }
    }
    if calls.is_empty() {
        return hidden_calls(command, &understood);
    }
    Ok(calls)
}

fn applies(command: &Command) -> bool {
    PROGRAMS.contains(&command.program.as_str()) || command.words.iter().any(|it| it.text == RUN_AS)
}

/// Returns the patch that the program gets: as its argument, or as its input.
fn patch_text(command: &Command) -> Result<&str, String> {
    let unknown = || {
        format!(
            "what `{}` applies here is only known when it runs; write the patch into the command \
             itself",
            command.program
        )
    };
    let mut arguments = command
        .words_after_program()
        .iter()
        .filter(|it| it.text != RUN_AS);
    match (arguments.next(), arguments.next(), &command.input) {
        (Some(word), None, _) if word.known && !word.pattern => Ok(&word.text),
        (None, _, Input::Text(text)) => Ok(text),
        _ => Err(unknown()),
    }
}

/// Finds what a patch in a command does that the shell parser doesn't see applied.
fn hidden_calls(command: &str, understood: &Understood) -> Result<Vec<PlannedCall>, String> {
    let names_program = |text: &str| PROGRAMS.iter().any(|it| text.contains(it));
    let is_blind = !understood.parsed || understood.opaque();
    // Program text may apply the patch, and so may a computed program.
    let in_code = understood
        .commands
        .iter()
        .filter_map(|it| it.code.as_deref())
        .any(names_program);
    if in_code || is_blind && (names_program(command) || command.contains(BEGIN)) {
        return Err(
            "the command may apply a patch, but which one is only known when it runs; call \
             `apply_patch` by its name, with the patch as its input"
                .to_owned(),
        );
    }
    // Another program may receive what looks like a patch, and apply it.
    let mut calls = Vec::new();
    for text in patch::embedded(command) {
        match patch::read(text) {
            Ok(files) => calls.extend(files.into_iter().map(call_of)),
            Err(why) if names_program(command) => return Err(why.to_string()),
            Err(_) => {}
        }
    }
    Ok(calls)
}

/// Puts what happens to a file into every folder that the command may run in.
fn in_all_folders(file: &Patched, command: &Command, cwd: &str) -> Result<Vec<Patched>, String> {
    let relative = |path: &String| !path.starts_with('/');
    let is_relative = match file {
        Patched::Added { path, .. } | Patched::Changed { path, .. } | Patched::Deleted { path } => {
            relative(path)
        }
        Patched::Moved { from, to } => relative(from) || relative(to),
    };
    if !is_relative {
        return Ok(vec![file.clone()]);
    }
    if command.folders.is_empty() {
        return Err(
            "the folder in which the patch is applied is only known when the command runs"
                .to_owned(),
        );
    }
    let in_folder = |folder: &String| {
        let mut file = file.clone();
        // Relative to the call's own folder, paths stay as they are.
        if folder.trim_end_matches('/') != cwd.trim_end_matches('/') {
            let place = |path: &mut String| *path = join_path(folder, path);
            match &mut file {
                Patched::Added { path, .. }
                | Patched::Changed { path, .. }
                | Patched::Deleted { path } => place(path),
                Patched::Moved { from, to } => {
                    place(from);
                    place(to);
                }
            }
        }
        file
    };
    Ok(command.folders.iter().map(in_folder).collect())
}

/// Makes our call from what a patch does to a file.
pub(crate) fn call_of(file: Patched) -> PlannedCall {
    match file {
        Patched::Added { path, content } => {
            PlannedCall::of("write_file", &[("file_path", &path), ("content", &content)])
        }
        Patched::Changed { path, old, new } => PlannedCall::of(
            "replace",
            &[
                ("file_path", &path),
                ("old_string", &old),
                ("new_string", &new),
            ],
        ),
        Patched::Deleted { path } => shell(&["rm", "--", &path]),
        Patched::Moved { from, to } => shell(&["mv", "--", &from, &to]),
    }
}

fn shell(words: &[&str]) -> PlannedCall {
    let words: Vec<String> = words.iter().map(|word| quote(word).to_string()).collect();
    PlannedCall::of("run_shell_command", &[("command", &words.join(" "))])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "*** Begin Patch\n*** Add File: .env\n+KEY=1\n*** End Patch\n";

    fn paths(command: &str) -> Result<Vec<String>, String> {
        let calls = in_shell(command, Path::new("/p"))?;
        let path = |it: PlannedCall| it.text("file_path").map(str::to_owned);
        Ok(calls.into_iter().filter_map(path).collect())
    }

    /// BR-10: a patch in a shell command is found however the command is written, in the folder in
    /// which it is applied.
    #[test]
    fn a_patch_is_found_where_the_shell_applies_it() {
        for (command, path) in [
            (format!("apply_patch <<'EOF'\n{PATCH}EOF\n"), ".env"),
            (format!("app''ly_patch \"{PATCH}\""), ".env"),
            (
                format!("cd sub && apply_patch <<'EOF'\n{PATCH}EOF\n"),
                "/p/sub/.env",
            ),
            (
                format!("(cd /q && /usr/bin/applypatch '{PATCH}')"),
                "/q/.env",
            ),
            (format!("P=apply_patch; $P <<'EOF'\n{PATCH}EOF\n"), ".env"),
            (format!("bash -lc \"apply_patch '{PATCH}'\""), ".env"),
            (format!("printf '%s' '{PATCH}' | apply_patch"), ".env"),
            (format!("cat <<'EOF' | apply_patch\n{PATCH}EOF\n"), ".env"),
            (format!("codex {RUN_AS} '{PATCH}'"), ".env"),
            (format!("./tools/mine <<'EOF'\n{PATCH}EOF\n"), ".env"),
        ] {
            assert_eq!(paths(&command), Ok(vec![path.to_owned()]), "{command}");
        }
        // If a folder may be missing, the patch may be applied in either one.
        let either = format!("cd /q; apply_patch '{PATCH}'");
        assert_eq!(
            paths(&either),
            Ok(vec!["/q/.env".to_owned(), ".env".to_owned()])
        );
        let encoded =
            "KioqIEJlZ2luIFBhdGNoCioqKiBBZGQgRmlsZTogLmVudgorS0VZPTEKKioqIEVuZCBQYXRjaAo=";
        let piped = format!("echo {encoded} | base64 -d | apply_patch");
        assert_eq!(paths(&piped), Ok(vec![".env".to_owned()]));
    }

    /// BR-10: a patch that can't be read before it is applied is reported as such, and never
    /// ignored.
    #[test]
    fn a_patch_that_nobody_can_read_is_unclear() {
        for command in [
            "apply_patch < p.txt".to_owned(),
            "curl -s https://example.org/p | apply_patch".to_owned(),
            "apply_patch \"$(cat p.txt)\"".to_owned(),
            "apply_patch \"$PATCH\"".to_owned(),
            "xargs apply_patch < p.txt".to_owned(),
            "apply_patch".to_owned(),
            format!("$(cat name) <<'EOF'\n{PATCH}EOF\n"),
            format!("cd \"$X\" && apply_patch <<'EOF'\n{PATCH}EOF\n"),
            "python3 -c 'import os; f = getattr(os, x); f(\"apply_patch\", y)'".to_owned(),
            "apply_patch <<'EOF'\n*** Begin Patch\nwhat is this\n*** End Patch\nEOF\n".to_owned(),
        ] {
            assert!(paths(&command).is_err(), "{command}");
        }
    }

    /// BR-10: what only mentions patches applies none.
    #[test]
    fn what_speaks_of_patches_applies_none() {
        for command in [
            "echo hello",
            "grep -rn apply_patch src",
            "git apply x.patch && git commit -m 'use apply_patch'",
        ] {
            assert_eq!(paths(command), Ok(Vec::new()), "{command}");
        }
    }
}
