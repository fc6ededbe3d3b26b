//! Other agents' words in what a hook runs (CM-3).

use std::sync::Arc;

use hookloop_dialects::{
    ForeignWord, HookDialect, absent_field, foreign_tool_names, foreign_words,
};
use hookloop_events::tool_name;
use hookloop_hook::{Dialect, HookDeclaration, Position, Problem, ProblemCode, Source};
use hookloop_text::shorten::excerpt;

use super::Linter;
use super::read::Script;

/// Looks into the text of a command and its scripts.
pub(super) fn in_scripts(
    linter: &Linter<'_>,
    hook: &HookDeclaration,
    text: &str,
    scripts: &[Script],
) -> Vec<Problem> {
    if hook.dialect != Dialect::Hookloop {
        let ours = ours_elsewhere(linter, hook, text, scripts);
        return ours
            .into_iter()
            .chain(read_elsewhere(linter, hook, text, scripts))
            .collect();
    }
    let own = foreign_words(hook.event, text).into_iter();
    let place = hook.source_of(hook.places.command);
    let mut problems: Vec<Problem> = own
        .filter(|word| !hook.env.contains_key(word.word))
        .map(|word| {
            let mut problem = problem(hook, &word, "its command", place.clone());
            problem.snippet = linter.settings.documents.snippet(&problem.source);
            problem
        })
        .collect();
    for Script { path, text } in scripts {
        let source = Source {
            file: Arc::from(path.as_path()),
            position: None,
            ..hook.source.clone()
        };
        let words = foreign_words(hook.event, text).into_iter();
        problems.extend(
            words
                .filter(|it| !hook.env.contains_key(it.word))
                .map(|word| {
                    let place = source.at(Position {
                        line: word.line,
                        column: word.column,
                    });
                    let mut problem = problem(hook, &word, "its script", place);
                    problem.snippet = Some(word.text.clone());
                    problem
                }),
        );
    }
    problems
}

/// Looks for one of our tool names in a hook of another dialect, which reads the dialect's names
/// (FD-10): a comparison with it never matches.
fn ours_elsewhere(
    linter: &Linter<'_>,
    hook: &HookDeclaration,
    command: &str,
    scripts: &[Script],
) -> Option<Problem> {
    let texts = std::iter::once(command).chain(scripts.iter().map(|it| it.text.as_str()));
    let texts: Vec<&str> = texts.collect();
    let all = texts.join("\n");
    let (ours, theirs) = tool_name::built_in().find_map(|tool| {
        let names = foreign_tool_names(hook.dialect, tool);
        let is_other = !names.is_empty() && !names.iter().any(|it| it == tool);
        let is_theirs = |it: &str| names_word(&all, it);
        let is_compared = COMPARED
            .iter()
            .any(|(before, behind)| all.contains(&format!("{before}{tool}{behind}")));
        let is_it = is_other && is_compared && !names.iter().any(|it| is_theirs(it));
        is_it.then(|| (tool, names[0].clone().into_owned()))
    })?;
    let message = format!(
        "hook \"{}\": what it runs compares with \"{ours}\", which the dialect \"{}\" calls \
         \"{theirs}\", so it never matches",
        excerpt(hook.label()),
        hook.dialect.as_str()
    );
    let help = if hook.in_their_file {
        format!("write \"{theirs}\"")
    } else {
        format!("write \"{theirs}\", or remove \"dialect\": then the hook reads our names")
    };
    let place = hook.source_of(hook.places.command);
    let mut problem = Problem::new(ProblemCode::ForeignWords, place.clone(), message, help);
    problem.snippet = linter.settings.documents.snippet(&place);
    problem.event = Some(hook.event);
    problem.hook_id = Some(hook.id.clone());
    Some(problem)
}

/// Looks for a field that the hook's dialect doesn't have, in a hook that reads none of those that
/// are there instead.
fn read_elsewhere(
    linter: &Linter<'_>,
    hook: &HookDeclaration,
    command: &str,
    scripts: &[Script],
) -> Option<Problem> {
    let voice = HookDialect::of(hook);
    let texts = scripts.iter().map(|it| it.text.as_str());
    let all = std::iter::once(command)
        .chain(texts)
        .collect::<Vec<_>>()
        .join("\n");
    let found = absent_field(voice, hook.event, &all)?;
    let given: Vec<String> = found.given.iter().map(|it| format!("\"{it}\"")).collect();
    let message = format!(
        "hook \"{}\": what it runs reads \"{}\", which the dialect \"{}\" doesn't have at {}, so \
         it finds nothing there",
        excerpt(hook.label()),
        found.word,
        hook.dialect.as_str(),
        found.event,
    );
    let help = format!("read {}", given.join(" or "));
    let script = scripts.iter().find(|it| it.text.contains(&found.text));
    let place = match script {
        Some(Script { path, text }) => {
            let at = text.lines().position(|line| line == found.text);
            let line = at.and_then(|it| u32::try_from(it + 1).ok());
            let source = Source {
                file: Arc::from(path.as_path()),
                position: None,
                ..hook.source.clone()
            };
            line.map_or_else(
                || source.clone(),
                |line| {
                    source.at(Position {
                        line,
                        column: found.column,
                    })
                },
            )
        }
        None => hook.source_of(hook.places.command),
    };
    let mut problem = Problem::new(ProblemCode::ForeignWords, place.clone(), message, help);
    problem.snippet = match script {
        Some(_) => Some(found.text),
        None => linter.settings.documents.snippet(&place),
    };
    problem.event = Some(hook.event);
    problem.hook_id = Some(hook.id.clone());
    Some(problem)
}

/// What surrounds a name that something is compared with.
const COMPARED: [(&str, &str); 6] = [
    ("== \"", "\""),
    ("== '", "'"),
    ("==\"", "\""),
    ("= \"", "\""),
    ("= ", " ]"),
    ("== ", " ]"),
];

/// Returns whether a word is in a text by itself.
fn names_word(text: &str, word: &str) -> bool {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}

fn problem(hook: &HookDeclaration, word: &ForeignWord, what: &str, source: Source) -> Problem {
    let message = format!(
        "hook \"{}\": {what} uses \"{}\", a word of {} that means nothing here, so it may enforce \
         nothing",
        excerpt(hook.label()),
        word.word,
        word.agent
    );
    let right = &word.right;
    let help = match word
        .dialect
        .filter(|it| hookloop_dialects::is_supported(*it))
    {
        Some(dialect) => format!(
            "write {right}, or let the hook speak its own dialect: \"dialect\": \"{dialect}\""
        ),
        None => format!("write {right}"),
    };
    let mut problem = Problem::new(ProblemCode::ForeignWords, source, message, help);
    problem.event = Some(hook.event);
    problem.hook_id = Some(hook.id.clone());
    problem
}
