//! The server: accepts connections, plays the script, records the requests.

use std::collections::VecDeque;
use std::io::{self, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use serde_json::Value;

use crate::http::{self, Request};
use crate::wire::{self, RequestKind};
use crate::{Exchange, Turn};

/// The text if the script has no turn left: an agent that asks again is told to end.
const AT_THE_END: &str = "The script is at its end.";

/// A model service that plays a script. It ends when it is dropped.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    is_stopped: AtomicBool,
}

#[derive(Debug)]
struct State {
    turns: VecDeque<Turn>,
    exchanges: Vec<Exchange>,
}

impl ScriptedModel {
    /// Starts a service on a free port of the loopback interface with these turns.
    pub fn start(turns: impl IntoIterator<Item = Turn>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                turns: turns.into_iter().collect(),
                exchanges: Vec::new(),
            }),
            is_stopped: AtomicBool::new(false),
        });
        let serving = Arc::clone(&shared);
        thread::Builder::new()
            .name("scripted-model".to_owned())
            .spawn(move || serving.accept(&listener))?;
        Ok(Self { address, shared })
    }

    /// Returns the service's address, such as `http://127.0.0.1:4711`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests so far, in the order of their arrival.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.shared.with(|state| state.exchanges.clone())
    }

    /// Returns the requests that took a turn, or would have if one were left.
    pub fn turns_asked(&self) -> Vec<Exchange> {
        let mut exchanges = self.exchanges();
        exchanges.retain(|exchange| exchange.turn.is_some());
        exchanges
    }

    /// Replaces the remaining turns, and forgets the requests.
    pub fn restart(&self, turns: impl IntoIterator<Item = Turn>) {
        self.shared.with(|state| {
            state.turns = turns.into_iter().collect();
            state.exchanges.clear();
        });
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::SeqCst);
        // The listener notices with the next connection. If there is none, it is gone already.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        for connection in listener.incoming().flatten() {
            if self.is_stopped.load(Ordering::SeqCst) {
                return;
            }
            let serving = Arc::clone(self);
            // A connection that can't be served is closed, which its client sees.
            let _ = thread::Builder::new()
                .name("scripted-model-connection".to_owned())
                .spawn(move || serving.serve(&connection));
        }
    }

    /// Serves a connection until the client closes it; any failure then is the client's doing.
    fn serve(&self, connection: &TcpStream) -> Option<()> {
        let mut reader = BufReader::new(connection.try_clone().ok()?);
        let mut writer = connection;
        while let Some(request) = http::read_request(&mut reader, &mut writer).ok()? {
            let response = self.answer(&request);
            http::write_response(&mut writer, &response).ok()?;
        }
        Some(())
    }

    fn answer(&self, request: &Request) -> http::Response {
        let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        let asked = wire::classify(&request.method, &request.target, &body);
        self.with(|state| {
            let number = state.exchanges.len();
            let turn = match asked {
                RequestKind::Turn(..) => Some(state.next_turn()),
                _ => None,
            };
            let response = wire::response(asked, &body, number, turn.as_ref());
            state.exchanges.push(Exchange {
                protocol: asked.protocol(),
                line: format!("{} {}", request.method, request.target),
                body,
                turn,
                at: Instant::now(),
            });
            response
        })
    }
}

impl State {
    fn next_turn(&mut self) -> Turn {
        let next = self.turns.pop_front();
        next.unwrap_or_else(|| Turn::Say(AT_THE_END.to_owned()))
    }
}
