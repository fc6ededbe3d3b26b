//! A separate workspace for each test.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookloop_tools::{
    Arguments, BackgroundProcesses, NoSession, Output, Preview, RunContext, ShellSettings, Tool,
    ToolError, Toolbox, Workspace,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub(crate) struct Bench {
    folder: tempfile::TempDir,
    pub(crate) toolbox: Toolbox,
    pub(crate) background: BackgroundProcesses,
    pub(crate) cancel: CancellationToken,
}

impl Bench {
    /// Creates an empty workspace `root` beside an empty folder `outside`, and a folder for logs.
    pub(crate) fn new() -> Self {
        Self::where_silence_lasts(None)
    }

    /// Creates such a workspace, whose commands may be silent for this long.
    pub(crate) fn where_silence_lasts(longest_silence: Option<Duration>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["root", "outside", "logs"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        let workspace = Workspace::open(&folder.path().join("root"), &[]).expect("a workspace");
        let background = BackgroundProcesses::default();
        let settings = ShellSettings {
            environment: vec![
                ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
                ("GREETING".into(), "hello".into()),
            ],
            background: background.clone(),
            log_directory: Some(folder.path().join("logs")),
            later: None,
            longest_silence,
            sandbox: None,
        };
        Self {
            toolbox: Toolbox::built_in(&Arc::new(workspace), settings),
            folder,
            background,
            cancel: CancellationToken::new(),
        }
    }

    pub(crate) fn root(&self) -> PathBuf {
        fs::canonicalize(self.folder.path().join("root")).expect("the root")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    pub(crate) fn logs(&self) -> PathBuf {
        self.folder.path().join("logs")
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let place = self.root().join(path);
        fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
        fs::write(&place, content).expect("a file");
        place
    }

    pub(crate) fn read(&self, path: impl AsRef<Path>) -> String {
        fs::read_to_string(self.root().join(path)).expect("a file")
    }

    fn tool(&self, name: &str) -> Arc<dyn Tool> {
        Arc::clone(self.toolbox.get(name).expect("a tool"))
    }

    pub(crate) fn validate(&self, name: &str, arguments: Value) -> Result<(), ToolError> {
        self.tool(name).validate(&object(arguments))
    }

    pub(crate) fn preview(&self, name: &str, arguments: Value) -> Preview {
        self.tool(name).preview(&object(arguments))
    }

    /// Runs a tool.
    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Output {
        self.call_watched(name, arguments, &|_| {}).await
    }

    /// Runs a tool that must succeed, and returns what the model reads.
    pub(crate) async fn text(&self, name: &str, arguments: Value) -> String {
        let output = self.call(name, arguments).await;
        assert_eq!(output.error, None);
        output.llm_content
    }

    /// Runs a tool that must fail, and returns the kind of error.
    pub(crate) async fn fault(&self, name: &str, arguments: Value) -> &'static str {
        let output = self.call(name, arguments).await;
        let error = output.error.clone().expect("an error");
        assert!(output.llm_content.contains(&error.message), "{output:?}");
        error.kind.as_str()
    }

    /// Runs a tool and passes what it streams on.
    pub(crate) async fn call_watched(
        &self,
        name: &str,
        arguments: Value,
        progress: &(dyn Fn(&str) + Send + Sync),
    ) -> Output {
        let context = RunContext {
            cancel: self.cancel.clone(),
            progress,
            services: &NoSession,
        };
        self.tool(name).run(object(arguments).into(), context).await
    }
}

pub(crate) fn object(value: Value) -> Arguments {
    match value {
        Value::Object(fields) => fields,
        other => panic!("{other} isn't an object"),
    }
}

/// Collects streamed text, and calls back once when `mark` has been seen.
pub(crate) fn once_seen<'a>(
    mark: &'a str,
    then: impl Fn() + Send + Sync + 'a,
) -> impl Fn(&str) + Send + Sync + 'a {
    let seen = Mutex::new(String::new());
    move |piece| {
        let mut seen = seen.lock().expect("a lock");
        let had_mark = seen.contains(mark);
        seen.push_str(piece);
        if !had_mark && seen.contains(mark) {
            then();
        }
    }
}
