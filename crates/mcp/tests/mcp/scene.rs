//! Servers of a session, and what they reported.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookloop_hook::{Position, Source};
use hookloop_mcp::{McpReport, McpServers, McpSurroundings, McpTokens};
use hookloop_settings::McpServer;
use hookloop_testkit::mcp_puppet;
use hookloop_tools::{Arguments, NoSession, Output, RunContext, ToolSource as _, Toolbox};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Not a measure of speed, only a bound for a test that would hang.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(1);

pub(crate) struct Scene {
    /// Lives as long as the servers that run in it.
    _folder: tempfile::TempDir,
    pub(crate) servers: McpServers,
    pub(crate) cancel: CancellationToken,
    notices: Arc<Mutex<Vec<String>>>,
}

/// Configures servers before they are started.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
    pub(crate) declared: Vec<McpServer>,
    tokens: Option<McpTokens>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            declared: Vec::new(),
            tokens: None,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Adds a server with this configuration; its place is line 1, 2, …
    pub(crate) fn server(mut self, name: &str, configuration: Value) -> Self {
        let line = u32::try_from(self.declared.len() + 1).expect("few servers");
        let source = Source::of_file(Path::new("/p/settings.json"));
        self.declared.push(McpServer {
            name: name.to_owned(),
            configuration,
            source: source.at(Position { line, column: 1 }),
        });
        self
    }

    /// Passes granted tokens to servers.
    pub(crate) fn with_tokens(mut self, tokens: &McpTokens) -> Self {
        self.tokens = Some(tokens.clone());
        self
    }

    /// Adds a puppet that performs these actions first.
    pub(crate) fn puppet(self, name: &str, actions: &[&str]) -> Self {
        self.puppet_with(name, actions, json!({}))
    }

    /// Adds a puppet with more configuration.
    pub(crate) fn puppet_with(self, name: &str, actions: &[&str], more: Value) -> Self {
        let mut configuration = json!({"command": mcp_puppet(), "args": actions});
        for (key, value) in object(more) {
            configuration[key] = value;
        }
        self.server(name, configuration)
    }

    /// Begins to connect.
    pub(crate) fn begin(self) -> Scene {
        let reported: Arc<Mutex<Vec<String>>> = Arc::default();
        let hears = Arc::clone(&reported);
        let surroundings = McpSurroundings {
            environment: vec![
                ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
                ("BASE".into(), "base".into()),
                ("SECRET".into(), "hidden".into()),
            ],
            tokens: self.tokens,
            directory: fs::canonicalize(self.folder.path()).expect("the folder"),
            report: McpReport::new(move |problem| {
                hears.lock().expect("a lock").push(problem.to_string());
            }),
        };
        Scene {
            servers: McpServers::connect(&self.declared, surroundings),
            _folder: self.folder,
            cancel: CancellationToken::new(),
            notices: reported,
        }
    }

    /// Connects, and waits until all servers have connected or failed.
    pub(crate) async fn ready(self) -> Scene {
        let scene = self.begin();
        scene.servers.ready(TIMEOUT).await;
        scene
    }
}

impl Scene {
    pub(crate) fn toolbox(&self) -> Toolbox {
        let mut toolbox = Toolbox::default().with_source(Arc::new(self.servers.clone()));
        assert!(toolbox.refresh());
        toolbox
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let tools = self.servers.tools();
        tools
            .iter()
            .map(|tool| tool.declaration().name.clone())
            .collect()
    }

    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Output {
        let tool = Arc::clone(self.toolbox().get(name).expect("a tool"));
        let context = RunContext {
            cancel: self.cancel.clone(),
            progress: &|_| {},
            services: &NoSession,
        };
        let call = tool.run(object(arguments).into(), context);
        tokio::time::timeout(TIMEOUT, call).await.expect("an end")
    }

    /// Calls a tool that must fail, and returns what the model reads.
    pub(crate) async fn fault(&self, name: &str, arguments: Value) -> String {
        let output = self.call(name, arguments).await;
        let error = output.error.clone().expect("an error");
        assert!(output.llm_content.contains(&error.message), "{output:?}");
        error.message
    }

    pub(crate) fn notices(&self) -> Vec<String> {
        self.notices.lock().expect("a lock").clone()
    }

    /// Asserts that exactly one problem contains all these words.
    pub(crate) fn assert_told(&self, words: &[&str]) {
        let reported = self.notices();
        let fitting = reported
            .iter()
            .filter(|it| words.iter().all(|word| it.contains(word)));
        assert_eq!(fitting.count(), 1, "{words:?} in {reported:?}");
    }
}

/// Waits until a condition is true.
pub(crate) async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let holds = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let waited = tokio::time::timeout(TIMEOUT, holds).await;
    assert!(waited.is_ok(), "timed out waiting until {what}");
}

/// Reads a log that may not exist yet.
pub(crate) fn log(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn object(value: Value) -> Arguments {
    match value {
        Value::Object(fields) => fields,
        other => panic!("{other} isn't an object"),
    }
}
