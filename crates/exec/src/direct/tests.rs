use std::path::Path;

use super::command;
use crate::child_environment::Prepared;

fn runs_directly(text: &str, variables: &[(&str, &str)]) -> bool {
    let mut all = vec![("PATH", "/usr/bin:/bin"), ("GEMINI_CWD", "/tmp")];
    all.extend(variables);
    command(text, &Prepared::of(&all).as_child(), Path::new("/")).is_some()
}

/// IO-35: plain words run without a shell.
#[test]
fn plain_words_run_directly() {
    for text in [
        "env",
        "  env\t-i  ",
        "/usr/bin/env a=b",
        "usr/bin/env",
        "env $GEMINI_CWD/x ${GEMINI_CWD}",
        "env --x=1,2 a@b:3 50%",
    ] {
        assert!(runs_directly(text, &[]), "{text}");
    }
}

/// IO-35: everything that means something to the shell is left to it.
#[test]
fn shell_syntax_is_left_to_the_shell() {
    for text in [
        "",
        "env;",
        "env&",
        "env|env",
        "env>x",
        "env <x",
        "env 'x'",
        "env \"x\"",
        "env \\x",
        "env *",
        "env a?",
        "env [a]",
        "env {a,b}",
        "env ~",
        "env a=~/x",
        "env #x",
        "env !",
        "env $HOME",
        "env $GEMINI_CWD_X",
        "env ${GEMINI_CWD:-x}",
        "env `env`",
        "env $(env)",
        "env\nenv",
        "a=b",
        "a=b env",
        "echo x",
        "exec env",
        "time env",
        "! env",
        "[ a ]",
        "test",
        "env é",
        "no-such-program",
        "./no/such/program",
        "/etc/hostname",
        "/tmp",
        "%1",
    ] {
        assert!(!runs_directly(text, &[]), "{text}");
    }
}

/// IO-35: so is a command in an environment that changes what bash does.
#[test]
fn a_changed_bash_runs_itself() {
    for name in [
        "BASH_ENV",
        "ENV",
        "SHELLOPTS",
        "BASH_FUNC_env%%",
        "IFS",
        "PS1",
        "UID",
    ] {
        assert!(!runs_directly("env", &[(name, "x")]), "{name}");
    }
    assert!(!runs_directly("env", &[("PATH", "relative:/usr/bin")]));
    assert!(!runs_directly("env", &[("PATH", "")]));
    assert!(!runs_directly("env", &[("SHLVL", "x")]));
    assert!(runs_directly("env", &[("HOME", "x"), ("SHLVL", "1")]));
}
