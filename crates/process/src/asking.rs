//! Runs a short program and reads its output.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use hookloop_events::Payload;

use crate::platform::{Pipes, held_open};
use crate::streams::Streams;
use crate::termination::{End, run_to_end};
use crate::{GRACE, Process};

/// How much of the output is kept, in bytes of each stream.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// A program to run, with its input.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The program, absolute.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [&'a str],
    /// Its whole environment.
    pub variables: &'a [(OsString, OsString)],
    /// Where it runs.
    pub folder: &'a Path,
    /// The text that it reads from standard input.
    pub input: &'a str,
    /// The timeout, after which it is ended.
    pub longest: Duration,
}

/// The output of a program.
#[derive(Debug, Clone)]
pub struct Reply {
    /// How it ended; `None` if it was ended at the timeout.
    pub status: Option<ExitStatus>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Runs a program as [`ask`] does, and blocks the thread in the meantime: for programs that answer
/// within milliseconds, in code that isn't asynchronous.
///
/// ```
/// use std::time::Duration;
/// use hookloop_process::{Question, ask_here};
///
/// # #[cfg(unix)] {
/// let reply = ask_here(&Question {
///     program: "/bin/sh".as_ref(),
///     arguments: &["-c", "read name; echo hello $name"],
///     variables: &[],
///     folder: "/".as_ref(),
///     input: "hook\n",
///     longest: Duration::from_secs(10),
/// })?;
/// assert_eq!(reply.stdout, "hello hook\n");
/// # }
/// # Ok::<_, std::io::Error>(())
/// ```
///
/// # Errors
/// The same as for [`ask`].
pub fn ask_here(question: &Question<'_>) -> io::Result<Reply> {
    let asked = || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_all().build()?.block_on(ask(question))
    };
    // A thread that drives a runtime can't block on another one.
    let joined = std::thread::scope(|scope| scope.spawn(asked).join());
    joined.unwrap_or_else(|_| Err(io::Error::other("whoever asked it panicked")))
}

/// Runs a program in its own process group, and ends everything that it leaves behind.
///
/// # Errors
/// The program can't be started, or its exit status can't be determined.
pub async fn ask(question: &Question<'_>) -> io::Result<Reply> {
    let (process, pipes) = begin(question)?;
    let streams = Streams::new(pipes, &Payload::from(question.input), MAX_ANSWER_BYTES);
    let longest = question.longest;
    let stop = async move {
        tokio::time::sleep(longest).await;
        GRACE
    };
    end(process, streams, stop).await
}

/// Runs a program as [`ask`] does, but keeps its input open until its output contains the answer,
/// and then ends it: for servers, which exit when their input ends, even if they haven't answered
/// yet.
///
/// # Errors
/// The same as for [`ask`].
pub async fn ask_until(
    question: &Question<'_>,
    mut is_answer: impl FnMut(&[u8]) -> bool + Send + 'static,
) -> io::Result<Reply> {
    let (process, pipes) = begin(question)?;
    let standard_input = pipes.stdin.as_ref().map(held_open).transpose()?;
    let (tells, finished) = tokio::sync::oneshot::channel();
    let mut tells = Some(tells);
    let streams = Streams::new(pipes, &Payload::from(question.input), MAX_ANSWER_BYTES);
    let streams = streams.with_watch(move |output| {
        let is_there = is_answer(output);
        if let Some(tells) = tells.take_if(|_| is_there) {
            // Fails if the time limit has passed and nobody is waiting any more.
            let _ = tells.send(());
        }
        is_there
    });
    let longest = question.longest;
    let stop = async move {
        let _ = tokio::time::timeout(longest, finished).await;
        drop(standard_input);
        GRACE
    };
    end(process, streams, stop).await
}

fn begin(question: &Question<'_>) -> io::Result<(Process, Pipes)> {
    let mut command = Command::new(question.program);
    command
        .args(question.arguments)
        .current_dir(question.folder)
        .env_clear()
        .envs(question.variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Process::spawn(command)
}

async fn end(
    mut process: Process,
    streams: Streams,
    stop: impl Future<Output = Duration>,
) -> io::Result<Reply> {
    let mut streams = Some(streams);
    let status = match run_to_end(&mut process, &mut streams, stop).await {
        End::OfItself(status) => Some(status?),
        End::Stopped(_) => None,
    };
    let (stdout, stderr) = match streams {
        Some(streams) => streams.into_captured(),
        None => return Err(io::Error::other("its streams are gone")),
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Reply {
        status,
        stdout: text(&stdout.bytes),
        stderr: text(&stderr.bytes),
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// BR-3: the answer of a server that exits at the end of its input is read, and one that
    /// doesn't answer is ended.
    #[tokio::test]
    async fn a_server_is_asked_while_its_input_is_open() {
        let question = |script: &'static [&'static str], longest| Question {
            program: "/bin/sh".as_ref(),
            arguments: script,
            variables: &[],
            folder: "/".as_ref(),
            input: "question\n",
            longest,
        };
        // The shell answers only if its input is still open after the question.
        let server = &[
            "-c",
            "read asked; if read -t 1 more; then :; elif [ $? -gt 128 ]; then echo answer to $asked; fi; read more",
        ];
        let is_answer = |output: &[u8]| output.ends_with(b"question\n");
        let long = Duration::from_mins(1);
        let bash = Question {
            program: "/bin/bash".as_ref(),
            ..question(server, long)
        };
        let reply = ask_until(&bash, is_answer).await.unwrap();
        assert_eq!(reply.stdout, "answer to question\n");
        let silent = question(&["-c", "read asked; read more"], Duration::from_millis(100));
        let reply = ask_until(&silent, is_answer).await.unwrap();
        assert_eq!(reply.stdout, "");
    }
}
