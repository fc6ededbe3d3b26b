//! Effects for what can't be seen through.

use hookloop_shell::{OpaqueReason, Understood};

use super::hosts::HTTP_CLIENTS;
use super::{Effect, secret_files};

/// Variables that name a program on every machine.
const PROGRAM_VARIABLES: &[&str] = &[
    "$CC",
    "$CXX",
    "$LD",
    "$AR",
    "$EDITOR",
    "$VISUAL",
    "$PAGER",
    "$BROWSER",
    "$PYTHON",
    "$PYTHON3",
    "$NODE",
    "$NPM",
    "$MAKE",
    "$CARGO",
    "$GO",
    "$RUSTC",
    "$JAVA",
    "$PIP",
    "$DOCKER",
    "$KUBECTL",
    "$TERRAFORM",
    "$COMPOSE",
    "$GIT",
    "$CMAKE",
    "$JAVA_HOME/bin/java",
    "$VIRTUAL_ENV/bin/python",
    "$BIN",
    "$COMPILER",
    "$TIME",
    "$SUDO",
    "$PREFIX",
    "$TEST_CMD",
    "$BUILD_CMD",
];

/// Programs that print text for `eval`.
const PRINTS_SETTINGS: &[&str] = &[
    "ssh-agent",
    "brew",
    "direnv",
    "pyenv",
    "rbenv",
    "nodenv",
    "jenv",
    "starship",
    "zoxide",
    "fnm",
    "mise",
    "opam",
    "dircolors",
    "thefuck",
    "docker-machine",
    "minikube",
    "conda",
    "mamba",
    "npm",
    "register-python-argcomplete",
    "pip",
    "kubectl",
    "gh",
    "rustup",
    "poetry",
    "pipenv",
    "luarocks",
    "perl",
    "gpg-agent",
    "keychain",
    "hub",
    "navi",
    "atuin",
    "asdf",
    "sdk",
    "goenv",
    "tfenv",
    "dbus-launch",
    "resize",
    "lesspipe",
    "helm",
    "cargo",
    "uv",
    "hookloop",
    "op",
    "aws",
];

/// Finds the effects of what can't be seen through.
pub(super) fn opaque_parts(understood: &Understood, effects: &mut Vec<Effect>) {
    // `eval "$(ssh-agent)"`: `eval` receives nothing else.
    let from_settings = understood.commands.windows(2).any(|pair| {
        PRINTS_SETTINGS.contains(&pair[0].program.as_str())
            && ["eval", "source", "."].contains(&pair[1].program.as_str())
    });
    // A program name of look-alike characters is meant to deceive its reader.
    for command in &understood.commands {
        if command
            .program
            .chars()
            .any(|it| !it.is_ascii() && it.is_alphabetic())
        {
            effects.push(Effect {
                name: "run.unknown".to_owned(),
                line: command.line(),
                about: command.program.clone(),
            });
        }
    }
    for spot in &understood.opaque_parts {
        if spot.why == OpaqueReason::Unreadable {
            secret_files::in_unread(&spot.written, effects);
        }
        let name = match spot.why {
            OpaqueReason::PipedText if downloads(understood) => "run.downloaded",
            OpaqueReason::ComputedText | OpaqueReason::PipedText if from_settings => continue,
            OpaqueReason::ComputedProgram
                if PROGRAM_VARIABLES.iter().any(|it| spot.written == *it) =>
            {
                continue;
            }
            OpaqueReason::ComputedText if downloads(understood) => "run.downloaded",
            OpaqueReason::TooDeep if !spot.written.is_empty() => "process.bomb",
            OpaqueReason::Endless => "process.bomb",
            OpaqueReason::Unreadable => "unreadable",
            _ => "run.unknown",
        };
        effects.push(Effect {
            name: name.to_owned(),
            line: spot.written.clone(),
            about: spot.written.clone(),
        });
    }
}

fn downloads(understood: &Understood) -> bool {
    let loaders = [
        "fetch",
        "aria2c",
        "lynx",
        "nc",
        "ncat",
        "lwp-request",
        "GET",
        "axel",
    ];
    understood.commands.iter().any(|it| {
        loaders.contains(&it.program.as_str())
            || HTTP_CLIENTS.contains(&it.program.as_str())
            || it
                .code
                .as_deref()
                .is_some_and(|code| code.contains("http://") || code.contains("https://"))
    })
}
