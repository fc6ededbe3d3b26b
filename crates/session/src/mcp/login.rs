//! Logging in to MCP servers (TO-3): a person does it, here or with `hookloop mcp auth`, and what
//! was granted is kept in the system's keyring, or in a private file if there is no keyring.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hookloop_hook::Enablement;
use hookloop_host::{make_private_folder, private_options};
use hookloop_mcp::{McpTokens, authorise, forget};
use hookloop_settings::bounded::read_file;
use hookloop_settings::{Keyring, KeyringError, McpServer, SecretName, Settings, nearest};

use crate::environment::Environment;
use crate::mcp::McpLogin;
use crate::notices;
use crate::workspace::Workspace;

/// Logs in at the servers that are configured.
#[derive(Debug)]
pub(crate) struct Login {
    servers: Vec<McpServer>,
    variables: Vec<(OsString, OsString)>,
    tokens: McpTokens,
}

impl Login {
    /// Nothing is asked or read yet.
    pub(crate) fn new(settings: &Settings, environment: &Environment) -> Self {
        let keyring = KeyringOrFile {
            keyring: hookloop_keyring::open(environment.keyring_access()),
            file: environment.state_dir().join("mcp-tokens.json"),
            turn: Mutex::default(),
        };
        Self {
            servers: configured(settings),
            variables: environment.variables.clone(),
            tokens: McpTokens::new(Arc::new(keyring)),
        }
    }

    /// Returns where tokens are kept.
    pub(crate) fn tokens(&self) -> McpTokens {
        self.tokens.clone()
    }

    /// Logs in to a server, or logs out; returns the message.
    pub(crate) async fn carry_out(
        &self,
        name: &str,
        wish: McpLogin,
        show: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<String, String> {
        let named = self.servers.iter().find(|it| it.name == name);
        let server = named.ok_or_else(|| self.unknown_server(name))?;
        let failed = |why: String| format!("MCP server \"{name}\": {why}");
        match wish {
            McpLogin::Begin => {
                let done = authorise(server, &self.variables, &self.tokens, show).await;
                done.map_err(failed)?;
                Ok(format!("You are logged in to the MCP server \"{name}\"."))
            }
            McpLogin::Forget => {
                let done = forget(server, &self.variables, &self.tokens).await;
                done.map_err(failed)?;
                Ok(format!(
                    "The authorisation for the MCP server \"{name}\" is forgotten here; the server \
                     may remember it."
                ))
            }
        }
    }

    fn unknown_server(&self, name: &str) -> String {
        let names = self.servers.iter().map(|it| it.name.as_str());
        let near = nearest(name, names);
        let remedy = match near {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "`hookloop mcp list` shows them".to_owned(),
        };
        format!("no MCP server is named \"{name}\"; {remedy}")
    }
}

/// Logs a person in to a configured MCP server, or out, and says on standard error what the person
/// has to do; returns the final message (TO-3).
///
/// # Errors
/// Returns why nothing was granted or forgotten.
pub fn log_in(
    workspace: &Workspace,
    environment: &Environment,
    name: &str,
    wish: McpLogin,
) -> Result<String, String> {
    let login = Login::new(&workspace.settings, environment);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(login.carry_out(name, wish, &notices::print))
}

/// Returns the servers of the settings and of enabled extensions.
pub(super) fn configured(settings: &Settings) -> Vec<McpServer> {
    let mut servers = settings.agent.mcp_servers.clone();
    for extension in &settings.extensions {
        if extension.origin.enablement == Enablement::Enabled {
            servers.extend(
                extension
                    .mcp_servers
                    .iter()
                    .map(|(name, configuration)| McpServer {
                        name: name.clone(),
                        configuration: configuration.clone(),
                        source: extension.source.clone(),
                    }),
            );
        }
    }
    servers
}

/// The keyring, or, if there is none, a file that only the person can read.
#[derive(Debug)]
struct KeyringOrFile {
    keyring: Arc<dyn Keyring>,
    file: PathBuf,
    /// It is locked while the file is changed.
    turn: Mutex<()>,
}

/// What a file contains: for each service its accounts with their secrets.
type Secrets = BTreeMap<String, BTreeMap<String, String>>;

impl KeyringOrFile {
    fn read_file(&self) -> Result<Secrets, KeyringError> {
        let failed = |error: &dyn std::fmt::Display| {
            let file = self.file.display();
            KeyringError::Failed(format!("{file}: {error}"))
        };
        match read_file(&self.file) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| failed(&error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Secrets::new()),
            Err(error) => Err(failed(&error)),
        }
    }

    fn change_file(&self, change: impl FnOnce(&mut Secrets)) -> Result<(), KeyringError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut secrets = self.read_file()?;
        let before = secrets.clone();
        change(&mut secrets);
        if secrets == before {
            return Ok(());
        }
        let written = write(&self.file, &secrets);
        written.map_err(|error| KeyringError::Failed(format!("{}: {error}", self.file.display())))
    }

    fn remove_from_file(&self, name: &SecretName) -> Result<(), KeyringError> {
        self.change_file(|secrets| {
            if let Some(accounts) = secrets.get_mut(&name.service) {
                accounts.remove(&name.account);
            }
        })
    }
}

/// Writes a file atomically, readable only by its owner.
fn write(file: &Path, secrets: &Secrets) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        make_private_folder(folder)?;
    }
    let new = file.with_extension(format!("{}.new", std::process::id()));
    let mut options = private_options();
    let mut written = options.write(true).create(true).truncate(true).open(&new)?;
    written.write_all(&serde_json::to_vec(secrets)?)?;
    written.sync_all()?;
    std::fs::rename(&new, file)
}

impl Keyring for KeyringOrFile {
    fn read(&self, name: &SecretName) -> Result<Option<String>, KeyringError> {
        match self.keyring.read(name) {
            Ok(None) | Err(KeyringError::Absent(_)) => {
                let secrets = self.read_file()?;
                let accounts = secrets.get(&name.service);
                Ok(accounts.and_then(|it| it.get(&name.account)).cloned())
            }
            read => read,
        }
    }

    fn write(&self, name: &SecretName, secret: &str) -> Result<(), KeyringError> {
        match self.keyring.write(name, secret) {
            Ok(()) => self.remove_from_file(name),
            Err(KeyringError::Absent(_)) => self.change_file(|secrets| {
                let accounts = secrets.entry(name.service.clone()).or_default();
                accounts.insert(name.account.clone(), secret.to_owned());
            }),
            failed => failed,
        }
    }

    fn remove(&self, name: &SecretName) -> Result<(), KeyringError> {
        match self.keyring.remove(name) {
            Ok(()) | Err(KeyringError::Absent(_)) => self.remove_from_file(name),
            failed => failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TO-3, TR-9: without a keyring, tokens are in a file that only the person can read, each
    /// under its own name, and removed when they are revoked.
    #[test]
    fn tokens_without_a_keyring_are_in_a_private_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/mcp-tokens.json");
        let kept = KeyringOrFile {
            keyring: hookloop_keyring::open(hookloop_keyring::Access::Files),
            file: file.clone(),
            turn: Mutex::default(),
        };
        let name = |account: &str| SecretName {
            service: "s".to_owned(),
            account: account.to_owned(),
        };
        assert_eq!(kept.read(&name("a")), Ok(None));
        assert_eq!(kept.remove(&name("a")), Ok(()));
        assert!(!file.exists());
        kept.write(&name("a"), "one").unwrap();
        kept.write(&name("b"), "two").unwrap();
        kept.write(&name("a"), "three").unwrap();
        assert_eq!(kept.read(&name("a")), Ok(Some("three".to_owned())));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        }
        kept.remove(&name("a")).unwrap();
        assert_eq!(kept.read(&name("a")), Ok(None));
        assert_eq!(kept.read(&name("b")), Ok(Some("two".to_owned())));
        std::fs::write(&file, "{").unwrap();
        assert!(kept.read(&name("b")).is_err());
        assert!(kept.write(&name("b"), "four").is_err());
    }
}
