//! What a script says about its interpreter, and whether it contains anything.

use std::path::Path;

use hookloop_hook::ProblemCode;
use hookloop_shell::Language;
use hookloop_text::shorten::excerpt;

use super::{Complaint, FileProbe, Probed};

/// Looks at a script that is started by its path.
pub(super) fn look(path: &Path, probe: &dyn FileProbe) -> Option<Complaint> {
    let text = probe.text(path)?;
    let line = text.split('\n').next().unwrap_or_default();
    if line.contains('\0') || line.starts_with("\u{7f}ELF") {
        return None;
    }
    let interpreter = match line.strip_prefix("#!") {
        Some(named) => look_at_interpreter(path, line, named, probe),
        None => look_at_script_of_the_shell(path, &text, line),
    };
    interpreter.or_else(|| look_at_content(path, &text))
}

/// Looks at a script that is passed to an interpreter.
pub(super) fn look_at_given(
    path: &Path,
    to_a_shell: bool,
    probe: &dyn FileProbe,
) -> Option<Complaint> {
    let text = probe.text(path)?;
    let line = text.split('\n').next().unwrap_or_default();
    let ends = to_a_shell.then(|| look_at_line_ends(path, line)).flatten();
    ends.or_else(|| look_at_content(path, &text))
}

/// Looks at what a script's first line says about who is to run it.
fn look_at_interpreter(
    path: &Path,
    line: &str,
    named: &str,
    probe: &dyn FileProbe,
) -> Option<Complaint> {
    let shown = path.display();
    let code = ProblemCode::InterpreterMissing;
    if line.ends_with('\r') {
        let message = format!(
            "the first line of {shown} ends with a carriage return, which counts as part of the \
             interpreter's name"
        );
        return Some(Complaint::new(code, message, unix_line_ends(path)));
    }
    let named = named.trim();
    if let Some(complaint) = only_checked(path, named) {
        return Some(complaint);
    }
    let (interpreter, argument) = named.split_once([' ', '\t']).unwrap_or((named, ""));
    let argument = argument.trim();
    if interpreter.is_empty() {
        let message = format!("the first line of {shown} names no interpreter");
        let help = "write one, such as \"#!/usr/bin/env bash\"";
        return Some(Complaint::new(code, message, help));
    }
    let is_path = interpreter.contains('/');
    match probe.probe(Path::new(interpreter)) {
        Probed::Folder => {
            let message = format!("the first line of {shown} names a folder, {interpreter}");
            let right = format!("#!{interpreter}{argument}").replace("//", "/");
            return Some(Complaint::new(code, message, format!("write \"{right}\"")));
        }
        Probed::Executable if is_path => {}
        Probed::NotExecutable | Probed::LinkLoop if is_path => {
            let message = format!("\"{interpreter}\", which {shown} names, can't be run");
            let help = "name an interpreter in the script's first line";
            return Some(Complaint::new(code, message, help));
        }
        _ if is_path && probe.probe(Path::new(interpreter)) == Probed::Unknown => {}
        _ => {
            let mut complaint = missing_interpreter(path, interpreter);
            let name = interpreter.rsplit('/').next().unwrap_or(interpreter);
            if probe.is_on_path(name, None) {
                complaint.help = format!("write \"#!/usr/bin/env {name}\" into its first line");
            }
            return Some(complaint);
        }
    }
    if interpreter.ends_with("/env") {
        look_at_env(path, argument, probe)
    } else {
        None
    }
}

/// Looks for a shell that only reads a script and runs nothing of it: `#!/bin/bash -n`.
fn only_checked(path: &Path, named: &str) -> Option<Complaint> {
    let mut words = named.split_whitespace();
    let is_shell = words.any(|word| {
        let name = word.rsplit('/').next().unwrap_or_default();
        matches!(name, "bash" | "sh" | "dash" | "ksh" | "zsh")
    });
    let is_set = |word: &str| {
        let flags = word.strip_prefix('-').filter(|it| !it.starts_with('-'));
        flags.is_some_and(|it| it.contains('n') && it.len() < 5)
    };
    (is_shell && words.next().is_some_and(is_set)).then(|| {
        let message = format!(
            "the first line of {} makes the shell only read it (-n): none of it is carried out",
            path.display()
        );
        let help = "remove -n from its first line";
        Complaint::new(ProblemCode::RefusalLost, message, help)
    })
}

/// Looks at what `env` gets: the kernel passes everything after it as one word.
fn look_at_env(path: &Path, argument: &str, probe: &dyn FileProbe) -> Option<Complaint> {
    let split = argument
        .strip_prefix("-S")
        .or_else(|| argument.strip_prefix("--split-string"));
    let mut words = split.unwrap_or(argument).split_whitespace();
    let program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    if !program.contains('/') && !probe.is_on_path(program, None) {
        return Some(missing_interpreter(path, program));
    }
    let has_more = words.next().is_some() || argument.starts_with('-');
    (split.is_none() && has_more && cfg!(target_os = "linux")).then(|| {
        let message = format!(
            "there is no program \"{}\", which {} names: everything after env is one word",
            excerpt(argument),
            path.display()
        );
        let help = format!("write \"#!/usr/bin/env -S {argument}\" into its first line");
        Complaint::new(ProblemCode::InterpreterMissing, message, help)
    })
}

/// Looks at a script without `#!`: the shell runs it, whatever it is written in.
fn look_at_script_of_the_shell(path: &Path, text: &str, line: &str) -> Option<Complaint> {
    let shown = path.display();
    let code = ProblemCode::ScriptWithoutInterpreter;
    if line.starts_with("\u{FEFF}#!") {
        let message = format!(
            "{shown} begins with a byte order mark: its #! line isn't recognised, so the shell \
             runs it"
        );
        return Some(Complaint::new(
            code,
            message,
            "save it without a byte order mark",
        ));
    }
    let ending = path
        .extension()
        .and_then(|it| it.to_str())
        .unwrap_or_default();
    let by_ending = Language::from_extension(ending).filter(|it| *it != Language::Shell);
    let interpreter = by_ending
        .map(Language::usual_program)
        .or_else(|| language_of(text))?;
    let message = format!("{shown} has no #! line, so the shell runs it");
    let help = format!("write \"#!/usr/bin/env {interpreter}\" into its first line");
    Some(Complaint::new(code, message, help))
}

/// Returns what its first lines show to be the language of a script, if no shell understands it.
fn language_of(text: &str) -> Option<&'static str> {
    let mut lines = text.lines().map(str::trim);
    let named = lines
        .clone()
        .find(|it| it.contains("#!") || it.contains("!#") || it.contains("# !"));
    let is_named = |word: &str| named.is_some_and(|it| it.contains("/env ") && it.contains(word));
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(['#', '!']))?;
    let is_python = first.strip_prefix("import ").is_some_and(is_module)
        || first.starts_with("from ") && first.contains(" import ")
        || is_named("python");
    let is_node = ["const ", "let ", "\"use strict\"", "'use strict'"]
        .iter()
        .any(|it| first.starts_with(it))
        && (first.contains("require(") || first.ends_with(';'))
        || first.starts_with("import ")
            && (first.contains(" from '") || first.contains(" from \""))
        || is_named("node");
    match (is_node, is_python) {
        (true, _) => Some("node"),
        (_, true) => Some("python3"),
        _ => None,
    }
}

/// Returns whether what follows `import` names modules.
fn is_module(text: &str) -> bool {
    text.split(',').all(|name| {
        let name = name.trim().split(" as ").next().unwrap_or_default();
        let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '.';
        !name.is_empty() && name.chars().all(is_part)
    })
}

/// Looks for a script that contains nothing: it lets everything pass.
fn look_at_content(path: &Path, text: &str) -> Option<Complaint> {
    let mut lines = text.lines().map(str::trim);
    let is_empty = lines.all(|line| line.is_empty() || line.starts_with('#'));
    is_empty.then(|| {
        let message = format!("{} contains no command, so it does nothing", path.display());
        let help = "write into it what the hook should do, or remove the hook";
        Complaint::new(ProblemCode::ScriptEmpty, message, help)
    })
}

/// Looks for line endings that a shell reads as part of its words.
fn look_at_line_ends(path: &Path, line: &str) -> Option<Complaint> {
    line.ends_with('\r').then(|| {
        let message = format!(
            "the lines of {} end with carriage returns, which the shell treats as part of the \
             words",
            path.display()
        );
        Complaint::new(ProblemCode::ScriptLineEnds, message, unix_line_ends(path))
    })
}

fn unix_line_ends(path: &Path) -> String {
    let shown = hookloop_shell::quote(&path.to_string_lossy()).into_owned();
    format!("save it with Unix line endings: sed -i 's/\\r$//' {shown}")
}

fn missing_interpreter(script: &Path, interpreter: &str) -> Complaint {
    let message = format!(
        "\"{}\", which {} needs, doesn't exist",
        excerpt(interpreter),
        script.display()
    );
    let help = "install it, or correct the script's first line";
    Complaint::new(ProblemCode::InterpreterMissing, message, help)
}
