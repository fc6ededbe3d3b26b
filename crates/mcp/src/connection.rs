//! One connection to a server, from connecting to its end.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hookloop_text::causes;
use rmcp::service::{
    ClientInitializeError, Peer, RoleClient, RunningService, RunningServiceCancellationToken,
    serve_client,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::sync::{Notify, watch};

use crate::configuration::{Channel, Configuration, Manner, Program};
use crate::grant::{Grant, McpTokens};
use crate::http::{self, Prepared};
use crate::http_client::Speaks;
use crate::listener::Listener;
use crate::process::Process;
use crate::reading::{BoundedLines, MAX_MESSAGE_BYTES, flood};
use crate::sse::SseTransport;

/// A handle for sending calls over a connection.
#[derive(Clone)]
pub(crate) struct Connection {
    pub(crate) peer: Peer<RoleClient>,
    /// Why the connection ended, once it has.
    pub(crate) ended: watch::Receiver<Option<String>>,
    /// Ends the connection, because it can't be used any more.
    pub(crate) give_up: Arc<Notify>,
}

impl Connection {
    /// Returns whether calls can be sent.
    pub(crate) fn is_alive(&self) -> bool {
        !self.peer.is_transport_closed() && self.ended.borrow().is_none()
    }
}

/// A connection, as owned by the task that manages it.
pub(crate) struct Opened {
    pub(crate) service: RunningService<RoleClient, Listener>,
    /// Notified when the server's lists change.
    pub(crate) changed: Arc<Notify>,
    process: Option<Process>,
    flooded: Arc<AtomicBool>,
}

/// Connects to a server and initialises the protocol. Dropping the future ends what it started.
///
/// # Errors
/// The server can't be used; the text gives the reason.
pub(crate) async fn open(
    configuration: &Configuration,
    environment: &[(OsString, OsString)],
    tokens: Option<&McpTokens>,
) -> Result<Opened, String> {
    let changed = Arc::new(Notify::new());
    let listener = Listener {
        changed: Arc::clone(&changed),
    };
    match &configuration.channel {
        Channel::Stdio(program) => open_program(program, listener, changed).await,
        Channel::Http(address) => Ok(Opened {
            service: {
                let mut way = http::prepare(address, environment)?;
                way.grant = grant(configuration, &way, tokens, environment);
                open_address(&way, address.manner, listener).await?
            },
            changed,
            process: None,
            flooded: Arc::default(),
        }),
    }
}

/// Returns the tokens for a server; `None` if the settings contain credentials of their own.
fn grant(
    configuration: &Configuration,
    way: &Prepared,
    tokens: Option<&McpTokens>,
    environment: &[(OsString, OsString)],
) -> Option<Arc<Grant>> {
    let tokens = tokens.filter(|_| !way.has_own_key())?.clone();
    let grant = Grant::new(&configuration.name, tokens, way.url.clone(), environment);
    Some(Arc::new(grant))
}

/// Connects over HTTP, with the transport that the settings name or the server supports.
async fn open_address(
    way: &Prepared,
    manner: Manner,
    listener: Listener,
) -> Result<RunningService<RoleClient, Listener>, String> {
    let mut earlier = String::new();
    if manner != Manner::Events {
        let speaks = Arc::<Speaks>::default();
        let transport = http::transport(way, &speaks);
        match serve_client(listener.clone(), transport).await {
            Ok(service) => return Ok(service),
            Err(error) if manner == Manner::Either && speaks.may_be_older() => {
                earlier = format!("{}; as an SSE server: ", failure(&error));
            }
            Err(error) => return Err(failure(&error)),
        }
    }
    let served = match SseTransport::open(way).await {
        Ok(transport) => serve_client(listener, transport)
            .await
            .map_err(|error| failure(&error)),
        Err(error) => Err(causes(&error)),
    };
    served.map_err(|why| earlier + &why)
}

async fn open_program(
    program: &Program,
    listener: Listener,
    changed: Arc<Notify>,
) -> Result<Opened, String> {
    let (process, pipes) = Process::start(program).map_err(|error| {
        let directory = program.directory.display();
        format!(
            "\"{}\" can't be started in {directory}: {error}",
            program.command
        )
    })?;
    let flooded = Arc::new(AtomicBool::new(false));
    let is_flooded = Arc::clone(&flooded);
    let output = BoundedLines::new(pipes.output, move || {
        is_flooded.store(true, Ordering::Relaxed);
    });
    let transport = AsyncRwTransport::new_client(output, pipes.input)
        // Just above our own limit, which ends the connection instead of discarding the message.
        .with_max_line_length(MAX_MESSAGE_BYTES + 64 * 1024);
    match serve_client(listener, transport).await {
        Ok(service) => Ok(Opened {
            service,
            changed,
            process: Some(process),
            flooded,
        }),
        Err(error @ ClientInitializeError::JsonRpcError(_)) => Err(failure(&error)),
        Err(error) => {
            let cause = cause(&flooded, Some(process)).await;
            Err(cause.unwrap_or_else(|| failure(&error)))
        }
    }
}

fn failure(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => causes(&*error.error),
        other => causes(other),
    }
}

async fn cause(flooded: &AtomicBool, process: Option<Process>) -> Option<String> {
    let ended = match process {
        Some(process) => Some(process.end().await),
        None => None,
    };
    if flooded.load(Ordering::Relaxed) {
        return Some(flood());
    }
    ended
}

impl Opened {
    /// Returns a token that ends the connection from this side.
    pub(crate) fn stop(&self) -> RunningServiceCancellationToken {
        self.service.cancellation_token()
    }

    /// Separates the service from what has to be cleaned up after the connection.
    pub(crate) fn split(self) -> (RunningService<RoleClient, Listener>, Remains) {
        let remains = Remains {
            process: self.process,
            flooded: self.flooded,
        };
        (self.service, remains)
    }
}

/// What has to be cleaned up after a connection.
pub(crate) struct Remains {
    process: Option<Process>,
    flooded: Arc<AtomicBool>,
}

impl Remains {
    /// Waits until the server's own process has exited; forever if there is none.
    ///
    /// A process that it started may keep its output open, so that the connection alone would never
    /// end.
    pub(crate) async fn exited(&mut self) {
        match &mut self.process {
            Some(process) => process.exited().await,
            None => std::future::pending().await,
        }
    }

    /// Ends the server's process, and returns why the connection ended, if that is known.
    pub(crate) async fn end(self) -> Option<String> {
        cause(&self.flooded, self.process).await
    }
}
