//! Words of other agents in what a hook runs (CM-3).

use std::sync::Arc;

use hookloop_dialects::{ForeignWord, foreign_words};
use hookloop_hook::{Dialect, HookDeclaration, Position, Problem, ProblemCode, Source};

use super::Linter;
use super::read::Script;
use crate::report::shorten;

/// Looks into the text of a command and its scripts.
pub(super) fn in_scripts(
    linter: &Linter<'_>,
    hook: &HookDeclaration,
    text: &str,
    scripts: &[Script],
) -> Vec<Problem> {
    if hook.dialect != Dialect::Hookloop {
        return Vec::new();
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

fn problem(hook: &HookDeclaration, word: &ForeignWord, what: &str, source: Source) -> Problem {
    let message = format!(
        "hook \"{}\": {what} says \"{}\", a word of {} that means nothing here, so it may enforce \
         nothing",
        shorten(hook.label()),
        word.word,
        word.agent
    );
    let right = &word.right;
    let help = match word.dialect.filter(|it| hookloop_dialects::is_spoken(*it)) {
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
