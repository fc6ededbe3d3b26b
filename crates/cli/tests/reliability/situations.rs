//! What can be running when somebody cancels: each kind of thing, as stubborn as possible.

use std::fs;
use std::path::{Path, PathBuf};

use hookloop_testkit::model_server::{ModelServer, Reply};
use hookloop_testkit::{Sandbox, mcp_puppet, puppet, wait_until};
use serde_json::{Value, json};

use crate::script::Script;
use crate::service::Service;
use crate::world::{hooks, write_script};

/// What the model says when everything has ended.
pub(crate) const WELL: &str = "all is well";

/// Longer than any test, in milliseconds.
const LONG: &str = "3600000";

/// The events whose hooks a session waits for in a turn.
pub(crate) const EVENTS_OF_A_TURN: [&str; 8] = [
    "BeforeAgent",
    "BeforeModel",
    "BeforeToolSelection",
    "AfterModel",
    "BeforeTool",
    "Notification",
    "AfterTool",
    "AfterAgent",
];

/// A session, and something that will run in it until it is ended.
pub(crate) struct Situation {
    pub(crate) name: String,
    pub(crate) sandbox: Sandbox,
    pub(crate) variables: Vec<(&'static str, String)>,
    pub(crate) arguments: Vec<String>,
    /// What is said before, each answered at once.
    pub(crate) before: Vec<&'static str>,
    /// What makes it run; `None` if the start does.
    pub(crate) prompt: Option<&'static str>,
    /// Prints something when it runs.
    sign: PathBuf,
    word: &'static str,
    server: Option<ModelServer>,
}

impl Situation {
    fn new(name: &str) -> Self {
        let sandbox = Sandbox::new();
        Self {
            name: name.to_owned(),
            variables: Vec::new(),
            arguments: vec!["--yolo".to_owned()],
            before: Vec::new(),
            prompt: Some("begin"),
            sign: sandbox.root().join("sign"),
            word: "",
            server: None,
            sandbox,
        }
    }

    fn scripted(mut self, script: &Script) -> Self {
        let file = write_script(&self.sandbox, script);
        let file = file.to_string_lossy().into_owned();
        self.arguments.extend(["--fake-responses".to_owned(), file]);
        self
    }

    fn served(mut self, replies: Vec<Reply>) -> Self {
        let server = ModelServer::start(replies);
        self.variables = Service::Gemini.variables(&server.url());
        self.server = Some(server);
        self
    }

    fn configured(self, settings: &Value) -> Self {
        self.sandbox.user_settings(&settings.to_string());
        self
    }

    /// Returns the command of something that doesn't want to end, and has children that don't
    /// either.
    fn stubborn(&self) -> String {
        let puppet = puppet();
        let sign = self.sign.display();
        format!(
            "'{}' ignore-sigterm stubborn-child {LONG} setsid-child {LONG} touch '{sign}' \
             sleep {LONG}",
            puppet.display()
        )
    }

    /// Waits until it runs.
    pub(crate) fn is_running(&self) {
        wait_until(&format!("{} runs", self.name), || match &self.server {
            Some(server) => server.requests().len() > self.before.len(),
            None => fs::read_to_string(&self.sign).is_ok_and(|said| said.contains(self.word)),
        });
    }

    /// Lets everything succeed from now on.
    pub(crate) fn calm(&self) {
        fs::write(calm(&self.sandbox), "").unwrap();
    }
}

fn calm(sandbox: &Sandbox) -> PathBuf {
    sandbox.root().join("calm")
}

/// A hook of an event.
pub(crate) fn hook(event: &str) -> Situation {
    let mut situation = Situation::new(event);
    let calm = calm(&situation.sandbox);
    let command = format!(
        "test -e '{}' || exec {}",
        calm.display(),
        situation.stubborn()
    );
    let look = json!({"dir_path": "."});
    let script = Script::new();
    let script = match event {
        "AfterModel" | "AfterAgent" => script.says("first"),
        "BeforeTool" | "AfterTool" => script.calls("list_directory", &look),
        "Notification" => {
            situation.arguments.clear();
            script.calls("run_shell_command", &json!({"command": "true"}))
        }
        "SessionStart" => {
            situation.prompt = None;
            script
        }
        _ => script,
    };
    situation
        .scripted(&script.says(WELL))
        .configured(&hooks(&[(event, &command)]))
}

/// A command of the model.
pub(crate) fn tool() -> Situation {
    let situation = Situation::new("a tool");
    let command = json!({"command": situation.stubborn()});
    let script = Script::new().calls("run_shell_command", &command);
    situation.scripted(&script.says(WELL))
}

fn mcp(name: &str, action: &[&str]) -> Situation {
    let mut situation = Situation::new(name);
    let program = mcp_puppet();
    let sign = path(&situation.sign);
    let arguments = [&["log", &sign], action].concat();
    situation.word = "initialize";
    let server = json!({"command": path(&program), "args": arguments, "trust": true});
    situation.configured(&json!({"mcpServers": {"puppet": server}}))
}

/// A call of a tool of an MCP server.
pub(crate) fn mcp_call() -> Situation {
    let mut situation = mcp("an MCP call", &[]);
    situation.word = "tools/call hang";
    let script = Script::new().calls("mcp__puppet__hang", &json!({}));
    situation.scripted(&script.says(WELL))
}

/// The start of an MCP server.
pub(crate) fn mcp_start() -> Situation {
    let mut situation = mcp("the start of an MCP server", &["hang-at-init", "stay"]);
    situation.prompt = None;
    situation.scripted(&Script::new().says(WELL))
}

/// A call of the model.
pub(crate) fn model_call() -> Situation {
    let replies = vec![Reply::new(), Service::Gemini.says(WELL)];
    Situation::new("a model call").served(replies)
}

/// A call of the model that has begun to answer.
pub(crate) fn model_answer() -> Situation {
    let replies = vec![Service::Gemini.begins("half"), Service::Gemini.says(WELL)];
    Situation::new("an answer of the model").served(replies)
}

/// A compression of the history.
pub(crate) fn compression() -> Situation {
    let says = |text| Service::Gemini.says(text);
    let replies = vec![says("one"), says("two"), Reply::new(), says(WELL)];
    let mut situation = Situation::new("a compression").served(replies);
    situation.before = vec!["first", "second"];
    situation.prompt = Some("/compress");
    situation
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
