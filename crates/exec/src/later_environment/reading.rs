//! Reads what a hook wrote for later commands, in the hook's own environment.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use hookloop_engine::StopSignal;
use hookloop_process::{Question, Reply, ask, find_program};
use hookloop_text::shell_word;

use super::LaterVariable;
use super::names::OF_THE_SHELL;

/// How long the shell that reads a file may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The marker after all variables: without it, something is missing.
const END: &str = "that is all\n";

/// The program with which a file is read.
pub(crate) struct Reader<'a> {
    /// The environment that the hook itself ran in.
    pub(crate) environment: &'a [(OsString, OsString)],
    /// Where it ran.
    pub(crate) cwd: &'a Path,
    /// Asks it to end.
    pub(crate) stop: &'a StopSignal,
}

/// What a file sets, and what has to be reported about it.
#[derive(Debug, Default)]
pub(crate) struct ReadFile {
    pub(crate) variables: Vec<LaterVariable>,
    pub(crate) remark: Option<String>,
}

impl ReadFile {
    fn without_effect(why: &str) -> Self {
        Self {
            variables: Vec::new(),
            remark: Some(format!(
                "what it wrote for later commands has no effect: {why}"
            )),
        }
    }
}

/// Reads a file once.
pub(crate) async fn read(file: &Path, reader: &Reader<'_>) -> ReadFile {
    match std::fs::symlink_metadata(file) {
        Ok(about) if about.is_file() && about.len() == 0 => return ReadFile::default(),
        Ok(about) if about.is_file() => {}
        Ok(_) => return ReadFile::without_effect("its file was replaced by something else"),
        Err(error) => return ReadFile::without_effect(&format!("its file is gone: {error}")),
    }
    let environment = reader.environment;
    let found = |name| find_program(environment, name);
    let (Some(shell), Some(env)) = (found("bash").or_else(|| found("sh")), found("env")) else {
        return ReadFile::without_effect("no shell on the PATH can read it");
    };
    let (Some(file), Some(env)) = (file.to_str(), env.to_str()) else {
        return ReadFile::without_effect("its path isn't Unicode");
    };
    // The variables are written when the shell exits, however it does: a file may contain `exit`.
    let last = format!("{} -0 >&3 && printf '%s' '{END}' >&3", shell_word(env));
    let text = format!(
        "exec 3>&1 >/dev/null\ntrap {} EXIT\n. {}\n",
        shell_word(&last),
        shell_word(file)
    );
    let question = Question {
        program: &shell,
        arguments: &["-c", &text],
        variables: environment,
        folder: reader.cwd,
        input: "",
        longest: TIMEOUT,
    };
    let reply = tokio::select! {
        biased;
        () = reader.stop.stopped() => {
            return ReadFile::without_effect("the hook was ended before the file was read");
        }
        reply = ask(&question) => reply,
    };
    match reply {
        Ok(reply) => changed_variables(&reply, environment),
        Err(error) => ReadFile::without_effect(&format!("{} failed: {error}", shell.display())),
    }
}

/// Determines what differs from the environment that a hook ran in.
fn changed_variables(reply: &Reply, before: &[(OsString, OsString)]) -> ReadFile {
    let last_line = reply
        .stderr
        .lines()
        .map(str::trim)
        .rfind(|it| !it.is_empty());
    let Some(status) = reply.status else {
        let why = format!("reading it took longer than {} s", TIMEOUT.as_secs());
        return ReadFile::without_effect(&why);
    };
    let Some(pairs) = reply.stdout.strip_suffix(END) else {
        return ReadFile::without_effect(
            last_line.unwrap_or("the shell that read it was replaced"),
        );
    };
    let lossy = |text: &OsString| text.to_string_lossy().into_owned();
    // If a name appears twice, the later value counts.
    let before: HashMap<String, String> = before
        .iter()
        .map(|(name, value)| (lossy(name), lossy(value)))
        .collect();
    let pairs = pairs.split_terminator('\0');
    let after: HashMap<&str, &str> = pairs.filter_map(|pair| pair.split_once('=')).collect();
    let is_of_shell = |name: &str| OF_THE_SHELL.contains(&name);
    let set = after.iter().filter(|(name, value)| {
        !is_of_shell(name) && before.get(**name).is_none_or(|it| it != *value)
    });
    let removed = before
        .keys()
        .filter(|name| !is_of_shell(name) && !after.contains_key(name.as_str()));
    let set = set.map(|(name, value)| LaterVariable {
        name: (*name).into(),
        value: Some((*value).into()),
    });
    let removed = removed.map(|name| LaterVariable {
        name: name.into(),
        value: None,
    });
    let mut variables: Vec<LaterVariable> = set.chain(removed).collect();
    variables.sort_by(|one, other| one.name.cmp(&other.name));
    let remark = if !status.success() && last_line.is_some() {
        last_line.map(|line| format!("what it wrote for later commands failed: {line}"))
    } else if variables.is_empty() {
        Some(
            "what it wrote for later commands has no effect: it exports no variable, and only \
             exported variables reach them"
                .to_owned(),
        )
    } else {
        None
    };
    ReadFile { variables, remark }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    async fn reading(text: &str) -> ReadFile {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("it's later.sh");
        std::fs::write(&file, text).unwrap();
        let environment: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
            ("KEPT".into(), "as it was".into()),
            ("GONE".into(), "x".into()),
        ];
        let reader = Reader {
            environment: &environment,
            cwd: folder.path(),
            stop: &StopSignal::new(),
        };
        read(&file, &reader).await
    }

    fn pairs(read: &ReadFile) -> Vec<(&str, Option<&str>)> {
        read.variables
            .iter()
            .map(|it| {
                (
                    it.name.to_str().unwrap(),
                    it.value.as_ref().map(|it| it.to_str().unwrap()),
                )
            })
            .collect()
    }

    /// FD-14: what a file exports is what it sets, however it is written, and nothing else.
    #[tokio::test]
    async fn what_a_file_exports_is_what_it_sets() {
        let read =
            reading("export STAGE='it is set'\nKEPT=\"$KEPT\"\nunset GONE\nOWN=1\necho x\n").await;
        assert_eq!(pairs(&read), [("GONE", None), ("STAGE", Some("it is set"))]);
        assert_eq!(read.remark, None);
        let read = reading("").await;
        assert!(read.variables.is_empty() && read.remark.is_none());
    }

    /// FD-14: a file that ends the shell, or changes its functions or its folder, affects no
    /// command that way, and what it exported counts.
    #[tokio::test]
    async fn a_file_does_nothing_to_commands() {
        for rest in [
            "exit 0",
            "return 0",
            "set -e; false",
            "env() { :; }",
            "cd /tmp",
            "set -- a b",
        ] {
            let read = reading(&format!("export STAGE=1\n{rest}\n")).await;
            assert_eq!(pairs(&read), [("STAGE", Some("1"))], "{rest}: {read:?}");
        }
    }

    /// FD-14: what has no effect is reported.
    #[tokio::test]
    async fn what_has_no_effect_is_told() {
        for text in [
            "STAGE=1",
            "exec true",
            "trap - EXIT",
            "{ unclosed",
            "touch() { :; }",
        ] {
            let read = reading(text).await;
            assert!(read.variables.is_empty(), "{text}: {read:?}");
            assert!(read.remark.is_some(), "{text}: {read:?}");
        }
    }
}
