//! What a person does in Codex before its hooks run: look at them, and trust them (BR-1, BR-3).

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead, BufReader, Write as _};
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::playground::Playground;

/// Trusts all hooks that Codex lists, as its `/hooks` does.
pub(super) fn trust_codex(playground: &Playground) -> io::Result<()> {
    let config = playground.stage.home.join(".codex/config.toml");
    let mut text = fs::read_to_string(&config)?;
    for hook in listed(playground)? {
        let (Some(key), Some(hash)) = (hook["key"].as_str(), hook["currentHash"].as_str()) else {
            return Err(io::Error::other("a hook has no key or no hash"));
        };
        // JSON writes a string as TOML reads it.
        let (key, hash) = (json!(key), json!(hash));
        writeln!(text, "\n[hooks.state.{key}]\ntrusted_hash = {hash}").map_err(io::Error::other)?;
    }
    fs::write(config, text)
}

/// Asks Codex's own server for its hooks.
fn listed(playground: &Playground) -> io::Result<Vec<Value>> {
    let mut command = playground.command("codex");
    command.arg("app-server");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.stderr(Stdio::null()).spawn()?;
    let hooks = ask(&mut server, playground);
    server.kill()?;
    server.wait()?;
    hooks
}

fn ask(server: &mut Child, playground: &Playground) -> io::Result<Vec<Value>> {
    let mut input = server.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let output = server.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "clientInfo": {"name": "proof", "version": "1"}
        }}),
        json!({"jsonrpc": "2.0", "method": "initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "hooks/list", "params": {
            "cwds": [&playground.stage.project]
        }}),
    ] {
        writeln!(input, "{message}")?;
    }
    for line in BufReader::new(output).lines() {
        let line: Value = serde_json::from_str(&line?).unwrap_or_default();
        if line["id"] == json!(2) {
            let hooks = line.pointer("/result/data/0/hooks");
            let hooks = hooks.and_then(Value::as_array).cloned();
            return hooks.ok_or_else(|| io::Error::other("it lists no hooks"));
        }
    }
    Err(io::Error::other("it didn't mention its hooks"))
}
