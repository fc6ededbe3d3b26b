//! What a session reports about itself: to a file, and to a collector (TE-1, TE-4).

use std::fmt::Display;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use hookloop_agent::{About, ApprovalMode, Audience, Contents, Telemetry, TelemetrySink};
use hookloop_events::SessionIdentity;
use hookloop_hook::Source;
use hookloop_host::{Protected, Touch, private_options};
use hookloop_settings::SandboxMode;
use hookloop_settings::bounded::{read_text, try_appending};
use serde_json::{Map, Value, json};

use crate::environment::Environment;
use crate::exit::SessionError;
use crate::model::Service;
use crate::options::{Options, OutputFormat};
use crate::sandbox;
use crate::unusable::{DependsOn, UnusableSetting};
use crate::workspace::Workspace;

/// What to do about a file of telemetry that can't be used.
const NAME_ANOTHER: &str = "name another one in \"telemetry.outfile\"";

/// The file that telemetry is appended to.
pub(crate) struct Outfile {
    path: PathBuf,
    source: Option<Source>,
}

impl Outfile {
    fn open(&self, contents: Contents) -> Result<Telemetry, SessionError> {
        Telemetry::append_to(&self.path, contents).map_err(|error| self.unwritable(&error))
    }

    /// Checks that the file can be opened, and leaves everything as it is.
    pub(crate) fn try_out(&self) -> Result<(), SessionError> {
        try_appending(&self.path).map_err(|error| self.unwritable(&error))
    }

    fn unwritable(&self, error: &io::Error) -> SessionError {
        self.unusable(format_args!(
            "the telemetry file {} can't be written: {error}; {NAME_ANOTHER}",
            self.path.display()
        ))
    }

    fn unusable(&self, what: impl Display) -> SessionError {
        let source = self.source.clone();
        let help = "no session starts until then";
        SessionError::Setting(UnusableSetting::new(source, DependsOn::Itself, what, help))
    }
}

/// Returns the file that the settings or the environment name for telemetry.
///
/// # Errors
/// It is a file of guards.
pub(crate) fn outfile(
    environment: &Environment,
    workspace: &Workspace,
) -> Result<Option<Outfile>, SessionError> {
    let settings = &workspace.settings.agent.telemetry;
    let enabled = settings.enabled.as_ref().is_some_and(|it| it.value);
    let named = settings.outfile.as_ref();
    let Some(named) = named.filter(|it| enabled && !it.value.is_empty()) else {
        return Ok(None);
    };
    let outfile = Outfile {
        path: environment.current_dir.join(&named.value),
        source: named.source.clone(),
    };
    if let Some(guard) = Protected::of(workspace).affected(Touch::Write, &outfile.path) {
        return Err(outfile.unusable(format_args!(
            "the telemetry file {} belongs to hooks, settings or other guards ({}); {NAME_ANOTHER}",
            outfile.path.display(),
            guard.display()
        )));
    }
    Ok(Some(outfile))
}

/// The parts of a session that are reported.
pub(crate) struct SessionFacts<'a> {
    pub(crate) options: &'a Options,
    pub(crate) environment: &'a Environment,
    pub(crate) workspace: &'a Workspace,
    pub(crate) model: &'a str,
    pub(crate) mode: ApprovalMode,
    pub(crate) audience: Audience,
}

impl SessionFacts<'_> {
    /// Opens what the settings name, and reports that a session begins.
    ///
    /// # Errors
    /// The file can't be written.
    pub(crate) fn begin(
        &self,
        session: &SessionIdentity,
        sink: Option<Arc<dyn TelemetrySink>>,
    ) -> Result<Arc<Telemetry>, SessionError> {
        let telemetry = self.file()?.with_sink(sink);
        if !telemetry.is_taken() {
            return Ok(Arc::new(telemetry));
        }
        let telemetry = telemetry.with_attributes(About {
            installation: self.installation(),
            interactive: self.audience == Audience::Present,
            authentication: self.authentication(),
            model_source: match self.options.model {
                Some(_) => "agent-router/override",
                None => "agent-router/default",
            },
        });
        telemetry.session(session, self.configuration());
        Ok(Arc::new(telemetry))
    }

    fn file(&self) -> Result<Telemetry, SessionError> {
        let settings = &self.workspace.settings.agent.telemetry;
        let contents = match settings.log_prompts.as_ref().map(|it| it.value) {
            Some(false) => Contents::LeftOut,
            Some(true) | None => Contents::Recorded,
        };
        match outfile(self.environment, self.workspace)? {
            Some(outfile) => outfile.open(contents),
            None => Ok(Telemetry::default().with_contents(contents)),
        }
    }

    /// Returns the id of this installation: that of Gemini CLI if there is one, else one of our
    /// own. Without a place to keep it there is none.
    fn installation(&self) -> Option<String> {
        const NAME: &str = "installation_id";
        let theirs = self.workspace.opening.user_folder().join(NAME);
        let own = self.environment.state_dir().join(NAME);
        let known = |file: &PathBuf| {
            let text = read_text(file).ok()?;
            let text = text.trim();
            uuid::Uuid::parse_str(text).ok()?;
            Some(text.to_owned())
        };
        [theirs, own.clone()].iter().find_map(known).or_else(|| {
            let id = uuid::Uuid::new_v4().to_string();
            fs::create_dir_all(own.parent()?).ok()?;
            let mut options = private_options();
            let options = options.write(true).create(true).truncate(true);
            let mut file = options.open(&own).ok()?;
            file.write_all(id.as_bytes()).ok()?;
            Some(id)
        })
    }

    fn authentication(&self) -> Option<String> {
        if self.options.answers.is_some() {
            return None;
        }
        let settings = &self.workspace.settings.agent;
        let service = Service::choose(self.environment, settings).ok().flatten();
        let word = match service? {
            Service::Gemini { .. } => "gemini-api-key",
            Service::OpenAi { .. } => "openai",
            Service::Anthropic { .. } => "anthropic",
        };
        Some(word.to_owned())
    }

    /// Returns how the session is configured, in the words of Gemini CLI's telemetry.
    fn configuration(&self) -> Map<String, Value> {
        let settings = &self.workspace.settings;
        let agent = &settings.agent;
        let core = agent.tools.core.as_ref().map(|it| it.value.join(","));
        let servers = agent.mcp_servers.iter().map(|it| it.name.as_str());
        let extensions = settings.extensions.iter().map(|it| &*it.origin.name);
        let joined = |names: Vec<&str>| names.join(",");
        let sandbox = sandbox::mode(self.environment, self.workspace);
        let format = match self.options.output_format {
            OutputFormat::Text => "text",
            OutputFormat::Json => "json",
            OutputFormat::StreamJson => "stream-json",
        };
        let keeps_prompts = agent.telemetry.log_prompts.as_ref().map(|it| it.value);
        let record = json!({
            "model": self.model,
            "sandbox_enabled": sandbox != SandboxMode::Off,
            "core_tools_enabled": core.unwrap_or_default(),
            "approval_mode": self.mode.to_string(),
            "api_key_enabled": self.authentication().is_some(),
            "vertex_ai_enabled": false,
            "log_user_prompts_enabled": keeps_prompts.unwrap_or(true),
            "file_filtering_respect_git_ignore": true,
            "debug_mode": self.options.detail == crate::options::Detail::Streams,
            "mcp_servers": joined(servers.clone().collect()),
            "mcp_servers_count": servers.count(),
            "extensions": joined(extensions.clone().collect()),
            "extensions_count": extensions.count(),
            "output_format": format,
        });
        match record {
            Value::Object(record) => record,
            _ => Map::new(),
        }
    }
}
