//! Variables that are set but withheld from a hook of a project or an extension because they look
//! like secrets (ENV-3, CM-3): a guard that ignores that they are missing lets everything pass.

use hookloop_hook::{HookDeclaration, ProblemCode, Refusing};

use super::never_set::sets;
use super::read::Code;
use super::variables::Variables;
use super::{Complaint, FileProbe};

/// Forms in which a program reads a variable; its name is inserted in the middle.
const FORMS: [(&str, &str); 14] = [
    ("environ[\"", "\"]"),
    ("environ['", "']"),
    ("environ.get(\"", "\""),
    ("environ.get('", "'"),
    ("getenv(\"", "\""),
    ("getenv('", "'"),
    ("process.env.", ""),
    ("process.env[\"", "\"]"),
    ("process.env['", "']"),
    ("$ENV{", "}"),
    ("ENV[\"", "\"]"),
    ("ENV['", "']"),
    ("ENV.fetch(\"", "\""),
    ("$env:", ""),
];

/// Looks for such a variable in a guard's command and in its scripts.
pub(super) fn look(
    hook: &HookDeclaration,
    variables: &Variables<'_>,
    probe: &dyn FileProbe,
    texts: &[Code],
) -> Option<Complaint> {
    if hook.refusing() != Refusing::Always {
        return None;
    }
    let withheld = probe.withheld_variables(hook);
    let names = withheld.iter().filter(|it| !variables.is_given(it));
    let mut pairs = names.flat_map(|name| texts.iter().map(move |text| (name, text)));
    let (name, text) = pairs.find(|(name, text)| {
        let code = text.text.as_str();
        (expands(code, name) || asks(code, name)) && !sets(code, name)
    })?;
    let message = format!(
        "{} reads \"{name}\", which looks like a secret and is withheld from this hook: it is empty, so a decision \
         based on it refuses nothing",
        text.what
    );
    let help = format!(
        "if the hook may have it, name \"{name}\" in \"allowed\" of \"security\": \
         {{\"environmentVariableRedaction\": …}} of your own settings"
    );
    Some(Complaint::new(ProblemCode::RefusalLost, message, help))
}

/// Returns whether a shell expands a variable: not between single quotes, or after a backslash.
fn expands(code: &str, name: &str) -> bool {
    code.lines().any(|line| {
        line.match_indices(name).any(|(at, _)| {
            let (before, behind) = (&line[..at], &line[at + name.len()..]);
            let sign = before
                .strip_suffix("${")
                .or_else(|| before.strip_suffix('$'));
            let goes_on = behind.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '_');
            sign.is_some_and(|it| !it.ends_with('\\') && it.matches('\'').count() % 2 == 0)
                && !goes_on
        })
    })
}

/// Returns whether a program in another language reads a variable.
fn asks(code: &str, name: &str) -> bool {
    FORMS.iter().any(|(before, behind)| {
        let form = format!("{before}{name}{behind}");
        code.match_indices(&form).any(|(at, _)| {
            let rest = &code[at + form.len()..];
            !rest.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '_')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3, ENV-3: what reads a variable is distinguished from what only names it.
    #[test]
    fn what_asks_for_a_variable_is_told_from_what_names_it() {
        for text in [
            "[ -z \"$A_TOKEN\" ] && exit 0",
            "curl -H \"Bearer ${A_TOKEN}\" x",
            "x=${A_TOKEN:-none}",
            "if not os.environ.get('A_TOKEN'): x",
            "os.environ[\"A_TOKEN\"]",
            "if (!process.env.A_TOKEN) x()",
            "exit 0 unless $ENV{A_TOKEN};",
        ] {
            assert!(expands(text, "A_TOKEN") || asks(text, "A_TOKEN"), "{text}");
        }
        for text in [
            "grep -q 'echo $A_TOKEN' && exit 2",
            "grep -q \"\\$A_TOKEN\" && exit 2",
            "if 'A_TOKEN' in command: x",
            "x=$A_TOKEN_OF_MINE",
            "process.env.A_TOKENS",
        ] {
            assert!(
                !expands(text, "A_TOKEN") && !asks(text, "A_TOKEN"),
                "{text}"
            );
        }
    }
}
