//! Guards whose programs can't refuse, whatever they are asked about (CM-3): the refusal gets lost,
//! or its condition is never true.

mod beforehand;
mod children;
mod compared;
mod events;
mod javascript;
mod outputs;
mod patterns;
mod perl;
mod python;
mod python_ends;
mod raw;
mod shell;
mod shell_compared;
mod source;
mod stdin;
mod tools;
mod variable_values;

use hookloop_hook::{Dialect, HookDeclaration, ProblemCode, Refusing};

use super::Complaint;
use super::read::Script;
use super::refusal::{Language, exits_with_two, refuses_by_reply};
use source::Source;
pub(super) use source::indentation;

/// What is wrong with a program, where, the consequence, and what to write.
#[derive(Debug)]
struct Flaw {
    line: usize,
    why: String,
    so: &'static str,
    help: String,
}

/// The consequence if every refusal is lost.
const REFUSES_NOTHING: &str = "it refuses nothing";

/// The consequence of a comparison: others in the program may well refuse.
const NEVER_FITS: &str = "this comparison is never true";

/// Names of programs that guards look for.
const COMMANDS: [&str; 30] = [
    "rm",
    "sudo",
    "git",
    "curl",
    "wget",
    "dd",
    "mkfs",
    "chmod",
    "chown",
    "kill",
    "pkill",
    "killall",
    "npm",
    "npx",
    "pip",
    "docker",
    "kubectl",
    "terraform",
    "aws",
    "ssh",
    "scp",
    "mv",
    "cp",
    "shutdown",
    "reboot",
    "eval",
    "cat",
    "psql",
    "nc",
    "rsync",
];

/// Returns whether a text begins with the name of a program.
pub(super) fn names_command(text: &str) -> bool {
    text.split(' ')
        .next()
        .is_some_and(|it| COMMANDS.contains(&it))
}

impl Flaw {
    /// Of a program that lets everything pass.
    fn new(line: usize, why: impl Into<String>, help: impl Into<String>) -> Self {
        Self::with(REFUSES_NOTHING, line, why, help)
    }

    /// Of a comparison that is never true.
    fn for_comparison(line: usize, why: impl Into<String>, help: impl Into<String>) -> Self {
        Self::with(NEVER_FITS, line, why, help)
    }

    /// Of something from which something else follows.
    fn with(
        so: &'static str,
        line: usize,
        why: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            line,
            why: why.into(),
            so,
            help: help.into(),
        }
    }
}

/// Looks into the scripts of a hook that may refuse.
pub(super) fn find(
    hook: &HookDeclaration,
    command: &str,
    scripts: &[Script],
    is_set: &dyn Fn(&str) -> bool,
) -> Option<Complaint> {
    if hook.refusing() != Refusing::Always || hook.asynchronous {
        return None;
    }
    let guards = scripts.iter().filter(|it| may_refuse(&it.text));
    let guards: Vec<&Script> = guards.collect();
    let of_command = shell::check_command(command, &guards).or_else(|| {
        stdin::check_command(command).filter(|_| {
            // If a shell reads its script from standard input, the command runs no script file.
            !scripts.is_empty() || command.contains('<') || command.starts_with("cat ")
        })
    });
    if let Some((why, help)) = of_command {
        let message = format!("the command: {why}, so it refuses nothing");
        return Some(Complaint::new(ProblemCode::RefusalLost, message, help));
    }
    if let Some(Flaw { why, so, help, .. }) =
        raw::check_shell(command).filter(|_| may_refuse(command))
    {
        let message = format!("the command: {why}, so {so}");
        return Some(Complaint::new(ProblemCode::RefusalLost, message, help));
    }
    let is_ours = hook.dialect == Dialect::Hookloop;
    scripts.iter().find_map(|script| {
        let flaw = if perl::is_perl(script) {
            perl::find(&script.text).or_else(|| outputs::check_branches(&script.text))
        } else {
            None
        };
        if let Some(flaw) = flaw {
            return Some(lost_complaint(script, flaw));
        }
        let language = Language::of(&script.name(), &script.text)?;
        let flaw = match language {
            Language::Shell => check_shell(&script.text, hook.dialect, is_set),
            _ => check_script(script, language, command)
                .or_else(|| check_event(script, language).filter(|_| is_ours)),
        }?;
        Some(lost_complaint(script, flaw))
    })
}

fn lost_complaint(script: &Script, flaw: Flaw) -> Complaint {
    let Flaw {
        line,
        why,
        so,
        help,
    } = flaw;
    let message = format!("{}:{line}: {why}, so {so}", script.display_path());
    Complaint::new(ProblemCode::RefusalLost, message, help)
}

/// Looks into a shell script, if it names a refusal or can't name one.
fn check_shell(text: &str, dialect: Dialect, is_set: &dyn Fn(&str) -> bool) -> Option<Flaw> {
    let is_page = text.trim_start().starts_with('<');
    let has_our_names = matches!(dialect, Dialect::Hookloop | Dialect::GeminiCli);
    let find = || {
        shell::find(text, is_set)
            .or_else(|| stdin::searched_in_a_text(text))
            .or_else(|| events::check_event_name(text).filter(|_| has_our_names))
            .or_else(|| beforehand::find(text, text, Language::Shell))
            .or_else(|| stdin::check_consumed_input(text))
            .or_else(|| stdin::check_unprinted_reply(text))
            .or_else(|| raw::check_shell(text))
            .or_else(|| outputs::check_branches(text))
    };
    let found = (is_page || may_refuse(text)).then(find).flatten();
    // A script that computes something without checking it may contain no refusal.
    let unasked = || beforehand::find(text, text, Language::Shell);
    found.or_else(|| unasked().filter(|it| it.so == REFUSES_NOTHING))
}

/// Searches a program in the hook's own words for what the event never contains.
fn check_event(script: &Script, language: Language) -> Option<Flaw> {
    let source = Source::read(&script.text, language);
    let found = raw::check_program(&source)
        .or_else(|| tools::find(&source))
        .or_else(|| events::check_event_name(&script.text));
    found.filter(|_| may_refuse(&script.text))
}

fn check_script(script: &Script, language: Language, command: &str) -> Option<Flaw> {
    let source = Source::read(&script.text, language);
    let found = match language {
        Language::Shell => return None,
        Language::Python => python::find(&source, command).or_else(|| python_ends::find(&source)),
        Language::JavaScript => javascript::find(&source, &script.name()),
    };
    let found = found
        .or_else(|| children::find(&source))
        .or_else(|| stdin::read_again(&source).filter(|_| may_refuse(&script.text)));
    let compared = || {
        compared::find(&source)
            .or_else(|| outputs::check_branches(&script.text))
            .or_else(|| outputs::as_it_comes(&source))
    };
    found
        .or_else(|| compared().filter(|_| may_refuse(&script.text)))
        .or_else(|| beforehand::check_program(&source))
}

/// Returns whether a program loads modules that aren't known, and that may read the event for it.
pub(super) fn loads_others(script: &Script) -> bool {
    let Some(language) = Language::of(&script.name(), &script.text) else {
        return true;
    };
    let source = Source::read(&script.text, language);
    match language {
        Language::Shell => false,
        Language::Python => python::imports_others(&source),
        Language::JavaScript => javascript::imports_others(&source),
    }
}

/// Returns whether a text names a refusal: by its exit code, or by a reply.
fn may_refuse(text: &str) -> bool {
    exits_with_two(text) || refuses_by_reply(text)
}

/// Returns whether a part of a program may refuse, or ends with a code that isn't known.
fn may_refuse_here(text: &str) -> bool {
    let ends_with_more = |word: &str| {
        text.match_indices(word).any(|(at, word)| {
            let rest = text[at + word.len()..].trim_start();
            !rest.starts_with(['0', ')'])
        })
    };
    may_refuse(text)
        || ["exit(", "exitCode = ", "exitCode=", "SystemExit("]
            .iter()
            .any(|it| ends_with_more(it))
}

/// Returns whether the words of a text, such as an exception's, say that something is refused.
fn says_no(text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "block",
        "deny",
        "denied",
        "forbid",
        "refus",
        "not allowed",
        "reject",
        "danger",
        "protect",
        "prohibit",
        "disallow",
        "veto",
    ];
    let text = text.to_ascii_lowercase();
    WORDS.iter().any(|it| text.contains(it))
}
