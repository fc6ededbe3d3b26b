//! Writes the programs of hooks: each records what it read before it answers.

use std::fmt::Write as _;

use serde_json::Value;

use crate::case::{Answering, HookScript};

/// Writes a hook's program. What it reads is recorded in `inputs/NAME.jsonl`, beside the project.
pub(crate) fn program(name: &str, hook: &HookScript) -> String {
    match hook {
        HookScript::Program(text) => text.text(),
        HookScript::Answering(answering) => answering_program(name, answering),
    }
}

fn answering_program(name: &str, hook: &Answering) -> String {
    let mut script = format!(
        "#!/usr/bin/env bash\n\
         notes=\"${{0%/*}}/../../inputs\"\n\
         printf '%s\\n' {name} >> \"$notes/order\"\n\
         INPUT=$(cat)\n\
         printf '%s\\n' \"$INPUT\" >> \"$notes/{name}.jsonl\"\n\
         RUN=$(wc -l < \"$notes/{name}.jsonl\")\n"
    );
    for line in &hook.before {
        let _ = writeln!(script, "{line}");
    }
    if let Some(reply) = &hook.reply {
        script.push_str(&print(&reply.to_string(), ""));
    }
    if let Some(replies) = &hook.replies {
        let cases = replies
            .iter()
            .enumerate()
            .filter(|(_, reply)| !reply.is_null());
        script.push_str("case $((RUN)) in\n");
        for (index, reply) in cases {
            let _ = write!(
                script,
                "{})\n{};;\n",
                index + 1,
                print(&reply.to_string(), "")
            );
        }
        script.push_str("esac\n");
    }
    let streams = [(&hook.stdout, ""), (&hook.stderr, " >&2")];
    for (text, stream) in streams {
        if let Some(text) = text {
            script.push_str(&print(&text.text(), stream));
        }
    }
    let _ = writeln!(script, "exit {}", hook.exit);
    script
}

fn print(text: &str, stream: &str) -> String {
    format!("cat <<'END_OF_TEXT'{stream}\n{text}\nEND_OF_TEXT\n")
}

/// Returns whether the text is a program.
#[cfg(unix)]
pub(crate) fn is_program(text: &str) -> bool {
    text.starts_with("#!")
}

/// Reads the records of a hook.
pub(crate) fn noted(text: &str) -> Result<Vec<Value>, String> {
    serde_json::Deserializer::from_str(text)
        .into_iter::<Value>()
        .collect::<Result<_, _>>()
        .map_err(|error| format!("what the hook read isn't JSON: {error}\n{text}"))
}
