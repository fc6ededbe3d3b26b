//! What the `mcp-puppet` can do: an MCP server on standard input and output, whose arguments are
//! actions, performed in order before it serves.
//!
//! | action | effect |
//! |---|---|
//! | `log PATH` | adds a line to a file for its start (`start PID`) and for every message that arrives |
//! | `stderr TEXT`, `garbage` | says something on an output before it serves |
//! | `exit CODE` | ends |
//! | `exit-second-time PATH` | ends with code 7 if the file exists, else makes it |
//! | `hang-at-init` | never answers |
//! | `flood-at-init BYTES` | writes so many bytes without an end of line |
//! | `tools JSON` | has these tools instead of its own |
//! | `no-tools`, `endless-tools` | has none and says so, or always has a next page |
//! | `resources` | has resources |
//! | `prompts` | has the prompts `greet {name, style?}`, `huge`, `void` |
//! | `child PATH` | starts a child that stays, and writes its number to a file |
//! | `stay` | continues when its input ends |
//!
//! Its tools: `echo {text}`, `env {name}`, `cwd`, `fail`, `die {code}`, `hang`, `flood {bytes}`,
//! `big {bytes}`, `change` (adds the tool `extra` and says so), `storm {times}` (reports that many
//! times that its tools changed), `learn` (adds the prompt `extra` and says so), `sample` (asks the
//! client's model, and returns what the client answers).

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// Longer than any test.
const LONG: Duration = Duration::from_hours(1);

/// Performs the actions and serves until the input ends; returns the code to exit with.
pub fn serve(arguments: Vec<String>) -> io::Result<ExitCode> {
    let mut server = Server {
        arguments: arguments.into(),
        log: None,
        tools: own_tools(),
        kind: Kind::Usual,
        has_resources: false,
        prompts: None,
        sampling: None,
        stays: false,
    };
    while let Some(action) = server.arguments.pop_front() {
        if let Some(code) = server.prepare(&action)? {
            return Ok(code);
        }
    }
    for line in io::stdin().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        if let Some(code) = server.receive(&message)? {
            return Ok(code);
        }
    }
    if server.stays {
        thread::sleep(LONG);
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(PartialEq, Eq)]
enum Kind {
    Usual,
    Silent,
    Toolless,
    Endless,
}

struct Server {
    arguments: VecDeque<String>,
    log: Option<PathBuf>,
    tools: Vec<Value>,
    kind: Kind,
    has_resources: bool,
    prompts: Option<Vec<Value>>,
    /// The call that waits for the client's answer.
    sampling: Option<Value>,
    stays: bool,
}

impl Server {
    fn prepare(&mut self, action: &str) -> io::Result<Option<ExitCode>> {
        match action {
            "log" => {
                self.log = Some(PathBuf::from(self.next()?));
                self.note(&format!("start {}", std::process::id()))?;
            }
            "stderr" => io::stderr().write_all(self.next()?.as_bytes())?,
            "garbage" => write_line("this isn't a message {]")?,
            "exit" => return Ok(Some(ExitCode::from(number::<u8>(&self.next()?)?))),
            "exit-second-time" => {
                let path = self.next()?;
                if fs::exists(&path)? {
                    return Ok(Some(ExitCode::from(7)));
                }
                fs::write(path, "")?;
            }
            "hang-at-init" => self.kind = Kind::Silent,
            "no-tools" => self.kind = Kind::Toolless,
            "endless-tools" => self.kind = Kind::Endless,
            "flood-at-init" => flood(number(&self.next()?)?)?,
            "tools" => self.tools = serde_json::from_str(&self.next()?)?,
            "resources" => self.has_resources = true,
            "prompts" => self.prompts = Some(own_prompts()),
            "stay" => self.stays = true,
            "child" => {
                let child = Command::new(std::env::current_exe()?)
                    .args(["stay"])
                    .stdin(Stdio::null())
                    .spawn()?;
                fs::write(self.next()?, child.id().to_string())?;
            }
            _ => return Err(io::Error::other(format!("unknown action {action}"))),
        }
        Ok(None)
    }

    fn next(&mut self) -> io::Result<String> {
        let next = self.arguments.pop_front();
        next.ok_or_else(|| io::Error::other("an argument is missing"))
    }

    fn note(&self, line: &str) -> io::Result<()> {
        if let Some(path) = &self.log {
            let mut file = File::options().create(true).append(true).open(path)?;
            file.write_all(format!("{line}\n").as_bytes())?;
        }
        Ok(())
    }

    fn receive(&mut self, message: &Value) -> io::Result<Option<ExitCode>> {
        let method = message["method"].as_str().unwrap_or_default();
        let name = message["params"]["name"].as_str().unwrap_or_default();
        self.note(format!("{method} {name}").trim_end())?;
        if method.is_empty()
            && let Some(call) = self.sampling.take()
        {
            say(&call, &message["error"]["message"].to_string())?;
            return Ok(None);
        }
        if self.kind == Kind::Silent || message.get("id").is_none() {
            return Ok(None);
        }
        let result = match method {
            "initialize" => Ok(self.greeting(message)),
            "tools/list" if self.kind == Kind::Toolless => Err("no tools here"),
            "tools/list" => {
                let mut page = json!({"tools": self.tools});
                if self.kind == Kind::Endless {
                    page["nextCursor"] = json!("more");
                }
                Ok(page)
            }
            "tools/call" => return self.call(message, name),
            "prompts/list" => Ok(json!({"prompts": self.prompts})),
            "prompts/get" => prompt(name, &message["params"]["arguments"]),
            "resources/list" => Ok(json!({"resources": [
                {"uri": "puppet://note", "name": "note", "mimeType": "text/plain"},
            ]})),
            "resources/read" => Ok(json!({"contents": [
                {"uri": "puppet://note", "text": "a note"},
            ]})),
            _ => Err("unknown method"),
        };
        answer(message, result)?;
        Ok(None)
    }

    fn greeting(&self, message: &Value) -> Value {
        let mut capabilities = json!({});
        if self.kind != Kind::Toolless {
            capabilities["tools"] = json!({"listChanged": true});
        }
        if self.prompts.is_some() {
            capabilities["prompts"] = json!({"listChanged": true});
        }
        if self.has_resources {
            capabilities["resources"] = json!({});
        }
        json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": capabilities,
            "serverInfo": {"name": "mcp-puppet", "version": "1"},
        })
    }

    fn call(&mut self, message: &Value, name: &str) -> io::Result<Option<ExitCode>> {
        let arguments = &message["params"]["arguments"];
        let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        let count = |name: &str| arguments[name].as_u64().unwrap_or_default();
        let said = match name {
            "echo" => text("text"),
            "env" => std::env::var(text("name")).unwrap_or_else(|_| "(not set)".to_owned()),
            "cwd" => std::env::current_dir()?.display().to_string(),
            "hang" => return Ok(None),
            "die" => {
                io::stderr().write_all(b"it hurts")?;
                return Ok(Some(ExitCode::from(
                    u8::try_from(count("code")).unwrap_or(1),
                )));
            }
            "flood" => {
                flood(count("bytes"))?;
                return Ok(None);
            }
            "big" => "x".repeat(usize::try_from(count("bytes")).unwrap_or_default()),
            "change" => {
                self.tools.push(tool("extra"));
                say_changed("tools")?;
                "changed".to_owned()
            }
            "storm" => {
                for _ in 0..count("times") {
                    say_changed("tools")?;
                }
                "over".to_owned()
            }
            "learn" => {
                let extra = json!({"name": "extra"});
                self.prompts.get_or_insert_default().push(extra);
                say_changed("prompts")?;
                "learnt".to_owned()
            }
            "sample" => {
                self.sampling = Some(message.clone());
                let text = json!({"type": "text", "text": "hello"});
                let asked =
                    json!({"messages": [{"role": "user", "content": text}], "maxTokens": 1});
                let request = json!({
                    "jsonrpc": "2.0", "id": "puppet", "method": "sampling/createMessage", "params": asked,
                });
                write_line(&request.to_string())?;
                return Ok(None);
            }
            "fail" => {
                let content = json!([{"type": "text", "text": "it went wrong"}]);
                answer(message, Ok(json!({"content": content, "isError": true})))?;
                return Ok(None);
            }
            _ => {
                answer(message, Err("unknown tool"))?;
                return Ok(None);
            }
        };
        say(message, &said)?;
        Ok(None)
    }
}

fn own_prompts() -> Vec<Value> {
    let arguments =
        json!([{"name": "name", "description": "whom", "required": true}, {"name": "style"}]);
    let greet = json!({"name": "greet", "description": "Greets somebody", "arguments": arguments});
    vec![greet, json!({"name": "huge"}), json!({"name": "void"})]
}

fn prompt(name: &str, arguments: &Value) -> Result<Value, &'static str> {
    let text = match name {
        "greet" => format!("Greet {arguments} @secret.txt"),
        "huge" => "x".repeat(1 << 20),
        "void" => String::new(),
        "extra" => "More".to_owned(),
        _ => return Err("unknown prompt"),
    };
    let message =
        |role: &str, text: &str| json!({"role": role, "content": {"type": "text", "text": text}});
    let mut messages = vec![message("user", &text)];
    if name == "greet" {
        messages.push(message("assistant", "Gladly."));
    }
    Ok(json!({"messages": messages}))
}

fn own_tools() -> Vec<Value> {
    let names = [
        "echo", "env", "cwd", "fail", "die", "hang", "flood", "big", "change", "storm", "learn",
        "sample",
    ];
    let mut tools: Vec<Value> = names.into_iter().map(tool).collect();
    tools[0]["inputSchema"] = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    });
    tools
}

fn tool(name: &str) -> Value {
    json!({"name": name, "description": format!("does {name}"), "inputSchema": {"type": "object"}})
}

/// Answers a call with a text.
fn say(call: &Value, text: &str) -> io::Result<()> {
    let content = json!([{"type": "text", "text": text}]);
    answer(call, Ok(json!({"content": content})))
}

fn say_changed(list: &str) -> io::Result<()> {
    let method = format!("notifications/{list}/list_changed");
    let notice = json!({"jsonrpc": "2.0", "method": method});
    write_line(&notice.to_string())
}

fn answer(message: &Value, result: Result<Value, &str>) -> io::Result<()> {
    let mut answer = json!({"jsonrpc": "2.0", "id": message["id"]});
    match result {
        Ok(result) => answer["result"] = result,
        Err(why) => answer["error"] = json!({"code": -32601, "message": why}),
    }
    write_line(&answer.to_string())
}

fn write_line(line: &str) -> io::Result<()> {
    let mut output = io::stdout();
    output.write_all(format!("{line}\n").as_bytes())?;
    output.flush()
}

fn flood(bytes: u64) -> io::Result<()> {
    let mut output = io::stdout();
    io::copy(&mut io::repeat(b'x').take(bytes), &mut output)?;
    output.flush()
}

fn number<T: std::str::FromStr>(text: &str) -> io::Result<T> {
    let number = text.parse();
    number.map_err(|_| io::Error::other(format!("{text} isn't a number that fits")))
}
