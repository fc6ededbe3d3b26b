//! The output of a child: both streams merged, in the order in which they were written if the
//! system supports it.

use std::io;
use std::process::Command;

use hookloop_process::Pipes;
use tokio::io::AsyncReadExt;

/// The maximum number of bytes that are read at once.
const PIECE: usize = 16 * 1024;

/// The reading end of a child's output.
pub(crate) struct Stream {
    #[cfg(unix)]
    pipe: tokio::net::unix::pipe::Receiver,
    #[cfg(not(unix))]
    stdout: Option<hookloop_process::Reader>,
    #[cfg(not(unix))]
    stderr: Option<hookloop_process::Reader>,
    buffer: Vec<u8>,
    #[cfg(not(unix))]
    second_buffer: Vec<u8>,
}

#[cfg(unix)]
impl Stream {
    /// Makes one pipe the output of a command that is about to start.
    pub(crate) fn prepare(command: &mut Command) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        command.stdout(writer.try_clone()?).stderr(writer);
        Ok(Self {
            pipe: tokio::net::unix::pipe::Receiver::from_owned_fd(reader.into())?,
            buffer: vec![0; PIECE],
        })
    }

    /// Does nothing: the pipe is connected already.
    #[expect(
        clippy::unused_self,
        reason = "other systems take the process's own pipes here"
    )]
    pub(crate) fn connect(&mut self, _pipes: Pipes) {}

    /// Waits for the next piece; an empty one is the end.
    pub(crate) async fn piece(&mut self) -> io::Result<&[u8]> {
        let length = self.pipe.read(&mut self.buffer).await?;
        Ok(&self.buffer[..length])
    }
}

#[cfg(not(unix))]
impl Stream {
    /// Requests pipes for a command that is about to start.
    #[expect(clippy::unnecessary_wraps, reason = "making a pipe can fail on Unix")]
    pub(crate) fn prepare(command: &mut Command) -> io::Result<Self> {
        use std::process::Stdio;
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(Self {
            stdout: None,
            stderr: None,
            buffer: vec![0; PIECE],
            second_buffer: vec![0; PIECE],
        })
    }

    /// Takes the process's pipes.
    pub(crate) fn connect(&mut self, pipes: Pipes) {
        self.stdout = pipes.stdout;
        self.stderr = pipes.stderr;
    }

    /// Waits for the next piece of either stream; an empty one is the end of both.
    pub(crate) async fn piece(&mut self) -> io::Result<&[u8]> {
        loop {
            let (is_first, length) = tokio::select! {
                length = read(&mut self.stdout, &mut self.buffer), if self.stdout.is_some() => {
                    (true, length?)
                }
                length = read(&mut self.stderr, &mut self.second_buffer), if self.stderr.is_some() => {
                    (false, length?)
                }
                else => return Ok(&[]),
            };
            match (is_first, length) {
                (true, 0) => self.stdout = None,
                (false, 0) => self.stderr = None,
                (true, length) => return Ok(&self.buffer[..length]),
                (false, length) => return Ok(&self.second_buffer[..length]),
            }
        }
    }
}

#[cfg(not(unix))]
async fn read(
    stream: &mut Option<impl tokio::io::AsyncRead + Unpin>,
    buffer: &mut [u8],
) -> io::Result<usize> {
    match stream {
        Some(stream) => stream.read(buffer).await,
        None => Ok(0),
    }
}
