//! The values that a person gives to an extension's settings (EX-4).

use std::io::{IsTerminal, stdin};

use hookloop_extensions::{SettingDeclaration, Values};

use hookloop_manage::{CommandFailure, near_matches};

use super::ConsentArguments;
use super::consent::{answer_to, say};

/// Takes the values that were given, and asks for the rest where somebody is there. `known` are
/// those of the extension before an update.
pub(super) fn collect(
    declared: &[SettingDeclaration],
    arguments: &ConsentArguments,
    known: &[String],
) -> Result<Values, CommandFailure> {
    let mut values = given(declared, &arguments.settings)?;
    let is_asked = stdin().is_terminal() && !arguments.consent;
    for setting in declared.iter().filter(|_| is_asked) {
        if values.contains_key(&setting.variable) || known.contains(&setting.variable) {
            continue;
        }
        if let Some(value) = ask(setting)? {
            values.insert(setting.variable.clone(), value);
        }
    }
    Ok(values)
}

/// Understands `NAME=VALUE`, where the name is a setting's or its variable's.
fn given(declared: &[SettingDeclaration], texts: &[String]) -> Result<Values, CommandFailure> {
    let mut values = Values::new();
    for text in texts {
        let Some((name, value)) = text.split_once('=') else {
            let message = format!("\"{text}\" isn't a setting: write NAME=VALUE");
            return Err(CommandFailure::bad_input(message));
        };
        let setting = declared
            .iter()
            .find(|it| it.variable == name || it.name == name);
        let Some(setting) = setting else {
            let names: Vec<&str> = declared.iter().map(|it| it.variable.as_str()).collect();
            let message = format!("the extension has no setting named \"{name}\"");
            return Err(
                CommandFailure::bad_input(message).with_candidates(near_matches(name, &names))
            );
        };
        if value.contains('\0') {
            let message = format!("the value of \"{name}\" holds a NUL character");
            return Err(CommandFailure::bad_input(message));
        }
        values.insert(setting.variable.clone(), value.to_owned());
    }
    Ok(values)
}

fn ask(setting: &SettingDeclaration) -> Result<Option<String>, CommandFailure> {
    let name = hookloop_text::visible(&setting.name);
    let description = hookloop_text::visible(&setting.description);
    let secret = if setting.sensitive {
        "; what you type stays hidden"
    } else {
        ""
    };
    let question = format!("{name}: {description} (nothing leaves it unset{secret})\n> ");
    let line = if setting.sensitive {
        let line = {
            let _hidden = hidden_echo();
            answer_to(&question)
        };
        say("\n");
        line?
    } else {
        answer_to(&question)?
    };
    let value = line.map(|it| it.trim_end_matches(['\n', '\r']).to_owned());
    Ok(value.filter(|it| !it.is_empty()))
}

/// Keeps a terminal from showing what is typed, until the value is dropped.
#[cfg(unix)]
fn hidden_echo() -> Option<impl Drop> {
    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
    struct Shown(Termios);
    impl Drop for Shown {
        fn drop(&mut self) {
            // A terminal that is gone shows nothing any more.
            let _ = tcsetattr(stdin(), OptionalActions::Flush, &self.0);
        }
    }
    let before = tcgetattr(stdin()).ok()?;
    let mut hidden = before.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    tcsetattr(stdin(), OptionalActions::Flush, &hidden).ok()?;
    Some(Shown(before))
}

#[cfg(not(unix))]
fn hidden_echo() -> Option<std::io::Empty> {
    None
}
