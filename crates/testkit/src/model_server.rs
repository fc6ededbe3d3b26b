//! A server on the loopback interface that answers exactly as a test says, however badly.
//!
//! It doesn't know a model's protocol: a [`Reply`] is a list of steps, and the test writes the
//! bytes. Server and client are synchronised with [`Gate`]s, never with time.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long anything may take: not a measure of speed, only a bound for a test that would hang.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A server that gives each request the next reply. It ends when it is dropped.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    answer: Box<dyn Fn(&ReceivedRequest) -> Reply + Send + Sync>,
    requests: Mutex<Vec<ReceivedRequest>>,
    connections: AtomicUsize,
    stopped: AtomicBool,
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// Method and target, such as `POST /v1/chat/completions`.
    pub line: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// What a request gets, step by step.
#[derive(Debug, Clone, Default)]
pub struct Reply(Vec<Step>);

#[derive(Debug, Clone)]
enum Step {
    Send(Vec<u8>),
    /// So many bytes of one kind.
    Flood(u8, u64),
    Pause(Duration),
    Wait(Gate),
    Follow(Arc<Mutex<Receiver<String>>>),
    Close,
    AwaitClose(Gate),
}

/// Something that one side waits for and the other side triggers.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    /// Builds a closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens the gate for good.
    pub fn open(&self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }

    /// Waits until the gate is open; panics with `what` if it never opens.
    pub fn wait(&self, what: &str) {
        assert!(self.opens(), "timed out waiting until {what}");
    }

    fn opens(&self) -> bool {
        let open = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.0.1.wait_timeout_while(open, TIMEOUT, |open| !*open);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Reply {
    /// Builds a reply without any step: the connection stays open and silent until the client
    /// closes it, if nothing is added.
    pub fn new() -> Self {
        Self::default()
    }

    /// Builds a whole reply with a body.
    pub fn whole(status: &str, headers: &[(&str, &str)], body: &str) -> Self {
        let length = body.len().to_string();
        let mut lines = vec![format!("HTTP/1.1 {status}")];
        for (name, value) in headers.iter().chain(&[("content-length", length.as_str())]) {
            lines.push(format!("{name}: {value}"));
        }
        Self::new().send(lines.join("\r\n") + "\r\n\r\n" + body)
    }

    /// Builds a whole reply with a JSON body.
    pub fn json(status: &str, body: &str) -> Self {
        Self::whole(status, &[("content-type", "application/json")], body)
    }

    /// Begins a stream of server-sent events.
    pub fn stream() -> Self {
        Self::new().send(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        )
    }

    /// Builds a whole stream of these data.
    pub fn events(data: &[&str]) -> Self {
        data.iter()
            .fold(Self::stream(), |reply, data| reply.event(data))
            .end()
    }

    /// Adds an event to a stream.
    #[must_use]
    pub fn event(self, data: &str) -> Self {
        self.piece(format!("data: {data}\n\n"))
    }

    /// Adds raw bytes to a stream, as one piece.
    #[must_use]
    pub fn piece(self, piece: impl AsRef<[u8]>) -> Self {
        let piece = piece.as_ref();
        let begin = format!("{:x}\r\n", piece.len());
        self.send([begin.as_bytes(), piece, b"\r\n"].concat())
    }

    /// Adds so many bytes of one kind to a stream, as one piece.
    #[must_use]
    pub fn flood(self, byte: u8, count: u64) -> Self {
        self.send(format!("{count:x}\r\n"))
            .step(Step::Flood(byte, count))
            .send("\r\n")
    }

    /// Ends a stream as the protocol wants it.
    #[must_use]
    pub fn end(self) -> Self {
        self.send("0\r\n\r\n")
    }

    /// Adds bytes as they go over the connection.
    #[must_use]
    pub fn send(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.step(Step::Send(bytes.into()))
    }

    /// Waits until the test opens the gate.
    #[must_use]
    pub fn wait(self, gate: &Gate) -> Self {
        self.step(Step::Wait(gate.clone()))
    }

    /// Adds whatever arrives through a channel to a stream, piece by piece, until nobody can send
    /// any more.
    #[must_use]
    pub fn follow(self, pieces: Receiver<String>) -> Self {
        self.step(Step::Follow(Arc::new(Mutex::new(pieces))))
    }

    /// Is silent for a time.
    #[must_use]
    pub fn pause(self, time: Duration) -> Self {
        self.step(Step::Pause(time))
    }

    /// Closes the connection, whatever the client still waits for.
    #[must_use]
    pub fn close(self) -> Self {
        self.step(Step::Close)
    }

    /// Is silent from here on, and opens the gate when the client closes the connection.
    #[must_use]
    pub fn await_close(self, closed: &Gate) -> Self {
        self.step(Step::AwaitClose(closed.clone()))
    }

    fn step(mut self, step: Step) -> Self {
        self.0.push(step);
        self
    }
}

impl ReceivedRequest {
    /// Returns a header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
    }

    /// Reads the body as JSON; panics if it isn't one.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("the body of the request is JSON")
    }
}

impl ModelServer {
    /// Starts a server that gives these replies. Any further request gets the status 418.
    pub fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies: Mutex<VecDeque<Reply>> = Mutex::new(replies.into_iter().collect());
        Self::answering(move |_| {
            let reply = replies
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front();
            reply.unwrap_or_else(|| {
                Reply::json(
                    "418 No Reply Left",
                    r#"{"error":"the test has no reply left"}"#,
                )
            })
        })
    }

    /// Starts a server that computes a reply to each request.
    pub fn answering(answer: impl Fn(&ReceivedRequest) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback interface is there");
        let address = listener.local_addr().expect("a listener has an address");
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            requests: Mutex::default(),
            connections: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                if serving.stopped.load(Ordering::SeqCst) {
                    return;
                }
                serving.connections.fetch_add(1, Ordering::SeqCst);
                let serving = Arc::clone(&serving);
                thread::spawn(move || serving.serve(connection));
            }
        });
        Self { address, shared }
    }

    /// Returns the server's address, such as `http://127.0.0.1:4711`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the server's port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the requests so far, in the order of their arrival.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        let requests = self.shared.requests.lock();
        requests.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns how many connections there were so far.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // The listener notices with the next connection. If that fails, it is already gone.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    /// Serves a connection until one side closes it.
    fn serve(&self, connection: TcpStream) {
        let Ok(writer) = connection.try_clone() else {
            return;
        };
        let mut reader = BufReader::new(connection);
        while let Some(request) = read_request(&mut reader) {
            let requests = self.requests.lock();
            requests
                .unwrap_or_else(PoisonError::into_inner)
                .push(request.clone());
            let reply = (self.answer)(&request);
            if !reply.play(&mut reader, &writer) {
                break;
            }
        }
        // If this fails, nobody listens on the other side any more.
        let _ = writer.shutdown(Shutdown::Both);
    }
}

impl Reply {
    /// Takes the steps; returns whether the connection continues.
    fn play(self, reader: &mut impl Read, mut writer: &TcpStream) -> bool {
        let mut steps = self.0.into_iter();
        for step in steps.by_ref() {
            match step {
                Step::Send(bytes) => {
                    if writer.write_all(&bytes).is_err() {
                        break;
                    }
                }
                Step::Flood(byte, count) => {
                    let mut bytes = std::io::repeat(byte).take(count);
                    if std::io::copy(&mut bytes, &mut writer).is_err() {
                        break;
                    }
                }
                Step::Pause(time) => thread::sleep(time),
                Step::Wait(gate) => {
                    if !gate.opens() {
                        return false;
                    }
                }
                Step::Follow(pieces) => {
                    let pieces = pieces.lock().unwrap_or_else(PoisonError::into_inner);
                    for piece in pieces.iter() {
                        let chunk = format!("{:x}\r\n{piece}\r\n", piece.len());
                        if writer.write_all(chunk.as_bytes()).is_err() {
                            return false;
                        }
                    }
                }
                Step::Close => return false,
                Step::AwaitClose(closed) => {
                    // A reset is a way to close, too.
                    let _ = std::io::copy(reader, &mut std::io::sink());
                    closed.open();
                    return false;
                }
            }
        }
        // The client may close while something is still being sent to it.
        let mut goes_on = true;
        for step in steps {
            goes_on = false;
            if let Step::AwaitClose(closed) = step {
                closed.open();
            }
        }
        goes_on
    }
}

fn read_request(reader: &mut impl BufRead) -> Option<ReceivedRequest> {
    let first = read_line(reader)?;
    let line = first.rsplit_once(' ')?.0.to_owned();
    let mut headers = Vec::new();
    loop {
        let header = read_line(reader)?;
        let Some((name, value)) = header.split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut request = ReceivedRequest {
        line,
        headers,
        body: Vec::new(),
    };
    let length = request
        .header("content-length")
        .map_or(Ok(0), str::parse)
        .ok()?;
    request.body = vec![0; length];
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

fn read_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    let read = reader.read_line(&mut line).ok()?;
    (read > 0).then(|| line.trim_end().to_owned())
}
