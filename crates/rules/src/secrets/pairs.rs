//! Names with values in the words of commands: as stores of secrets accept them, and as `printf`
//! joins them.

use hookloop_shell::{Command, Input};

use super::argument_secrets::is_written_out;
use super::picked::looks_picked;
use super::{Secret, is_dense, looks_chosen_at_random, note, tells_of_something_else};

/// Returns what a command assigns to a name, as a text.
pub(super) fn assignments(command: &Command) -> impl Iterator<Item = String> {
    formatted(command).into_iter().chain(read_into(command))
}

/// Returns what `printf` prints, with its values in the places that its format has for them.
fn formatted(command: &Command) -> Option<String> {
    if command.program != "printf" {
        return None;
    }
    let words = command.words_after_program();
    // `printf -v NAME %s VALUE`
    if let [option, name, _, values @ ..] = words
        && option.text == "-v"
    {
        let values = values.iter().filter(|it| it.known);
        let values: String = values.map(|it| it.text.as_str()).collect();
        return Some(format!("{}='{values}'", name.text));
    }
    let (format, values) = words.split_first()?;
    if !format.text.contains("%s") || !format.text.contains(['=', ':']) {
        return None;
    }
    let mut values = values.iter().filter(|it| it.known);
    let mut parts = format.text.split("%s");
    let mut printed = parts.next()?.to_owned();
    for part in parts {
        printed.push_str(values.next().map_or("", |it| it.text.as_str()));
        printed.push_str(part);
    }
    Some(printed.replace("\\n", "\n"))
}

/// Returns the assignment that `read` makes of its input: `read TOKEN <<< …`.
fn read_into(command: &Command) -> Option<String> {
    let Input::Text(text) = &command.input else {
        return None;
    };
    let name = &command.operands().last()?.text;
    let value = text.lines().next()?.trim();
    (command.program == "read").then(|| format!("{name}='{value}'"))
}

/// Finds what is stored as a secret under a name that doesn't indicate one:
/// `fly secrets set JWT=…`, `kubectl create secret generic a --from-literal=jwt=…`.
pub(super) fn by_pairs(command: &Command, found: &mut Vec<Secret>) {
    let args = command.words_after_program();
    let says = |words: &[&str]| args.iter().any(|it| words.contains(&it.text.as_str()));
    let sets = [
        "set", "put", "create", "write", "patch", "add", "import", "upload", "bulk",
    ];
    let keeps = says(&["secret", "secrets", "user-secrets"]) && says(&sets)
        || command.program == "travis" && says(&["encrypt"])
        || ["vault", "teller"].contains(&command.program.as_str()) && says(&sets);
    if !keeps {
        return;
    }
    for word in args.iter().filter(|it| is_written_out(it)) {
        let text = word
            .text
            .strip_prefix("--from-literal=")
            .unwrap_or(&word.text);
        let pair = text
            .split_once('=')
            .filter(|(name, _)| !name.starts_with('-'));
        let Some((name, value)) = pair else { continue };
        let is_random = looks_chosen_at_random(value, 4) && is_dense(value);
        if value.len() >= 8
            && !tells_of_something_else(name)
            && !value.contains("://")
            && (is_random || looks_picked(value))
        {
            note(found, name, false, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use hookloop_shell::{Surroundings, understand};

    use super::super::in_command;

    /// HT-40: what is stored as a secret is one whatever its name is, and so is what `printf`
    /// composes.
    #[test]
    fn secrets_are_given_as_pairs() {
        let found = |text: &str| {
            let understood = understand(text, Surroundings::default());
            in_command(&understood).len()
        };
        for given in [
            "fly secrets set JWT=q7Rk2Vx9LmT4/bWz8NcJfPp3",
            "kubectl create secret generic a --from-literal=mail=q7Rk2Vx9LmT4bWz8NcJf",
            "vault kv put secret/a jwt=q7Rk2Vx9LmT4bWz8NcJf",
            "printf 'token=%s\\n' q7Rk2Vx9LmT4bWz8NcJf",
            "gh variable set NPM_TOKEN -b q7Rk2Vx9LmT4bWz8NcJf",
            "aws ssm put-parameter --value q7Rk2Vx9LmT4bWz8NcJf --type SecureString",
            "read -r TOKEN <<< q7Rk2Vx9LmT4bWz8NcJf",
            "printf -v TOKEN %s q7Rk2Vx9LmT4bWz8NcJf",
            "npm config set _auth q7Rk2Vx9LmT4bWz8NcJf",
            "sshfs u@h:/ m -o password_stdin <<< q7Rk2Vx9LmT4bWz8NcJf",
            "caddy hash-password --plaintext q7Rk2Vx9LmT4bWz8NcJf",
            "b2 authorize-account 0055b463662901 q7Rk2Vx9LmT4bWz8NcJf",
        ] {
            assert!(found(given) > 0, "{given}");
        }
        for plain in [
            "fly secrets set NODE_ENV=production",
            "kubectl create secret generic a --from-literal=mail=$MAIL",
            "kubectl get secret a -o jsonpath=q7Rk2Vx9LmT4bWz8NcJf",
            "printf 'version=%s\\n' 1.2.3",
            "gh variable set NODE_VERSION -b 20.11.1",
            "read -r TOKEN <<< $TOKEN",
            "read -r LINE <<< q7Rk2Vx9LmT4bWz8NcJf",
            "npm config set registry q7Rk2Vx9LmT4bWz8NcJf",
        ] {
            assert_eq!(found(plain), 0, "{plain}");
        }
    }
}
