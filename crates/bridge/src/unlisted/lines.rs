//! The commands that unlisted tools run.

use hookloop_shell::join;

use super::command_call;
use super::level::Level;
use super::roles::Role;
use super::tool::{Tool, is_language_of_shells};
use super::words::deeds_chosen;
use crate::planned::PlannedCall;

/// Returns the commands in an object.
pub(super) fn commands(tool: &Tool, level: &Level<'_>) -> Vec<PlannedCall> {
    let folder = level.texts(Role::Folder).into_iter().next();
    let lines = lines(tool, level).into_iter().chain(code(tool, level));
    lines
        .map(|it| command_call(&it, folder.as_deref()))
        .collect()
}

/// Returns what an object contains under names of commands and programs.
fn lines(tool: &Tool, level: &Level<'_>) -> Vec<String> {
    if tool.has_own_commands() {
        return Vec::new();
    }
    let words = level.command_words();
    let names_files = !level.paths().is_empty() || level.has(Role::Source);
    // An editor's word for its operation, beside the file.
    let chooses = |it: &String| {
        names_files && words.is_none() && !tool.is_shell() && !deeds_chosen(it).is_empty()
    };
    let mut commands = level.commands(Role::Command);
    commands.retain(|it| !chooses(it));
    commands.extend(level.commands(Role::Program));
    if let Some(words) = &words {
        let own = tool.program().map(|(program, _)| program.to_owned());
        let begins: Vec<String> = if commands.is_empty() {
            own.into_iter().collect()
        } else {
            std::mem::take(&mut commands)
        };
        commands = begins.iter().map(|it| format!("{it} {words}")).collect();
        if commands.is_empty() && tool.is_shell() {
            commands.push(words.clone());
        }
    }
    if let Some((program, _)) = tool.program() {
        let is_other = |it: &&String| it.split_whitespace().next() != Some(program);
        let own = commands
            .iter()
            .filter(is_other)
            .map(|it| format!("{program} {it}"));
        commands.extend(own.collect::<Vec<_>>());
    }
    commands
}

/// Returns the code in an object, as commands.
fn code(tool: &Tool, level: &Level<'_>) -> Vec<String> {
    let languages = level.texts(Role::Language);
    let mut all = Vec::new();
    if tool.has_own_commands() {
        return all;
    }
    if tool.is_shell() || is_told_to_type(tool, level) {
        all = level.commands(Role::Typed);
    } else if tool.carries_out_code(&languages) {
        all = level.commands_called_code();
    }
    let interpreter = tool.interpreter(&languages);
    let lines = all.into_iter().flat_map(|code| {
        let is_of_shell =
            interpreter.is_none() || is_language_of_shells(&languages) || tool.is_only_shell();
        let mut lines = shell_lines(&code);
        lines.extend(interpreter.map(|[program, option]| join([program, option, code.as_str()])));
        lines.extend(is_of_shell.then_some(code));
        lines
    });
    lines.collect()
}

/// Returns what the cell of a notebook passes to a shell.
fn shell_lines(code: &str) -> Vec<String> {
    let begins = ["%%bash", "%%sh", "%%script", "%%cmd", "%%system", "%%!"];
    if begins.iter().any(|it| code.trim_start().starts_with(it)) {
        let (_, rest) = code.trim_start().split_once('\n').unwrap_or_default();
        return vec![rest.to_owned()];
    }
    let marks = ["!!", "!", "%sx ", "%system "];
    let lines = code.lines().filter_map(|line| {
        let mut marks = marks.iter();
        marks.find_map(|it| line.trim_start().strip_prefix(it))
    });
    lines.map(|it| it.trim().to_owned()).collect()
}

/// Returns every text that is passed to a shell under an unknown name, if none of its arguments is
/// known to be what it runs, or only names what it does with the text.
pub(super) fn typed_texts(tool: &Tool, all: &[Level<'_>]) -> Vec<PlannedCall> {
    let is_told = all.iter().any(|it| is_told_to_type(tool, it));
    let is_shell = tool.is_shell() && !tool.looks_after_shells();
    if !is_shell && !is_told || tool.has_own_commands() {
        return Vec::new();
    }
    let known: Vec<String> = all.iter().flat_map(|it| lines(tool, it)).collect();
    let has_code = all.iter().any(|it| !code(tool, it).is_empty());
    let texts = |is_asked: &dyn Fn(Role) -> bool| {
        let texts = all.iter().flat_map(Level::all_texts);
        let texts = texts.filter(|(role, text)| is_asked(*role) && !text.trim().is_empty());
        texts.map(|(_, text)| text).collect::<Vec<_>>()
    };
    let is_written = |role| matches!(role, Role::Content | Role::FurtherContent);
    let is_unknown = |role| is_written(role) || role == Role::Other;
    let mut found = if known.is_empty() && !has_code || known.iter().any(|it| says_typing(it)) {
        texts(&is_unknown)
    } else if known.iter().all(|it| is_word(it)) {
        texts(&is_written)
    } else {
        Vec::new()
    };
    if found.is_empty() && known.is_empty() && !has_code && tool.is_typed_into() {
        found = texts(&|role| role == Role::Said);
    }
    let interpreter = tool.interpreter(&[]);
    let lines = found.into_iter().flat_map(|text| {
        let code = interpreter.map(|[program, option]| join([program, option, text.as_str()]));
        code.into_iter().chain([text])
    });
    lines.map(|it| command_call(&it, None)).collect()
}

/// Returns whether an argument says that something is typed into a running program.
fn is_told_to_type(tool: &Tool, level: &Level<'_>) -> bool {
    let descriptions = [Role::Choice, Role::Command].map(|it| level.texts(it));
    tool.is_about_running() && descriptions.iter().flatten().any(|it| says_typing(it))
}

/// Returns whether a command is a single word.
fn is_word(command: &str) -> bool {
    let is_in_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-');
    command.trim().chars().all(is_in_word)
}

/// Returns whether a command is a word for typing something.
fn says_typing(command: &str) -> bool {
    const TYPING: [&str; 18] = [
        "send", "write", "input", "type", "submit", "paste", "feed", "keys", "line", "enter",
        "run", "exec", "execute", "start", "spawn", "eval", "text", "stdin",
    ];
    let words = super::words::words_of(command);
    is_word(command) && words.iter().any(|it| TYPING.contains(&it.as_str()))
}

/// Returns the command of a program after which a tool is named, with what its name and its
/// arguments say.
pub(super) fn calls_from_name(tool: &Tool, all: &[Level<'_>]) -> Vec<PlannedCall> {
    let Some((program, rest)) = tool.program().filter(|(_, rest)| !rest.is_empty()) else {
        return Vec::new();
    };
    let words: Vec<&str> = std::iter::once(program)
        .chain(rest.iter().map(String::as_str))
        .collect();
    let mut calls = vec![command_call(&join(words.iter().copied()), None)];
    let Some(outer) = all.first() else {
        return calls;
    };
    let flags = outer.flags();
    let (mut folder, mut behind) = (None, Vec::new());
    if tool.is_git_command() {
        folder = outer.repository();
        behind = outer.words_of_git();
    }
    if !flags.is_empty() || !behind.is_empty() {
        let further = flags.iter().chain(&behind).map(String::as_str);
        let line = join(words.into_iter().chain(further));
        calls.push(command_call(&line, folder.as_deref()));
    }
    calls
}
