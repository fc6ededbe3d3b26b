//! Tokens that a person has granted to this agent at a server (TO-3, TR-11). They are stored for
//! the server's address and its issuer, and sent to nobody else.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use hookloop_settings::{Keyring, KeyringError, SecretName};
use hookloop_text::visible;
use reqwest::{RequestBuilder, Response, StatusCode, Url};
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, CredentialRefreshGuard, CredentialStore, StoredCredentials,
};
use tokio::sync::OnceCell;

use crate::client::{self, cause};
use crate::oauth_client::OauthClient;

/// The name that the keyring shows.
const SERVICE: &str = "hookloop MCP server";

/// How much of an error is shown, in characters.
const MAX_ERROR_LENGTH: usize = 500;

/// The store of tokens (TO-3): the system's keyring, or its replacement.
#[derive(Clone)]
pub struct McpTokens(Arc<dyn Keyring>);

impl fmt::Debug for McpTokens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("McpTokens")
    }
}

impl McpTokens {
    /// Stores tokens in a keyring.
    pub fn new(keyring: Arc<dyn Keyring>) -> Self {
        Self(keyring)
    }

    fn name(address: &Url) -> SecretName {
        SecretName {
            service: SERVICE.to_owned(),
            account: address.to_string(),
        }
    }

    /// Runs a keyring call, which may block, on a blocking thread.
    async fn ask<T: Send + 'static>(
        &self,
        address: &Url,
        ask: impl FnOnce(&dyn Keyring, SecretName) -> Result<T, KeyringError> + Send + 'static,
    ) -> Result<T, String> {
        let (keyring, name) = (Arc::clone(&self.0), Self::name(address));
        let asked = tokio::task::spawn_blocking(move || ask(&*keyring, name)).await;
        let asked = asked.map_err(|error| format!("the keyring failed: {error}"))?;
        asked.map_err(|error| format!("the tokens can't be reached: {error}"))
    }

    async fn read(&self, address: &Url) -> Result<Option<StoredCredentials>, String> {
        let kept = self
            .ask(address, |keyring, name| keyring.read(&name))
            .await?;
        let Some(kept) = kept else { return Ok(None) };
        let credentials = serde_json::from_str(&kept);
        // An unreadable entry counts as none. It may contain a token, so it isn't shown.
        Ok(credentials.ok())
    }

    async fn write(&self, address: &Url, credentials: &StoredCredentials) -> Result<(), String> {
        let text = serde_json::to_string(credentials);
        let text = text.map_err(|error| format!("the tokens can't be saved: {error}"))?;
        self.ask(address, move |keyring, name| keyring.write(&name, &text))
            .await
    }

    /// Deletes the tokens for an address.
    pub(crate) async fn remove(&self, address: &Url) -> Result<(), String> {
        self.ask(address, |keyring, name| keyring.remove(&name))
            .await
    }
}

/// The tokens of one address, cached for the session so that a request doesn't wait for the
/// keyring.
pub(crate) struct KeptTokens {
    tokens: McpTokens,
    address: Url,
    remembered: Arc<Mutex<Option<StoredCredentials>>>,
    refreshing: Arc<tokio::sync::Mutex<()>>,
}

impl KeptTokens {
    pub(crate) fn new(tokens: McpTokens, address: Url) -> Self {
        Self {
            tokens,
            address,
            remembered: Arc::default(),
            refreshing: Arc::default(),
        }
    }

    fn remember(&self, credentials: Option<StoredCredentials>) {
        *self
            .remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = credentials;
    }
}

type Work<'a, T> = std::pin::Pin<Box<dyn Future<Output = Result<T, AuthError>> + Send + 'a>>;

impl CredentialStore for KeptTokens {
    fn load<'a, 'b>(&'a self) -> Work<'b, Option<StoredCredentials>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move {
            let remembered = self.remembered.lock();
            let remembered = remembered.unwrap_or_else(PoisonError::into_inner).clone();
            if remembered.is_some() {
                return Ok(remembered);
            }
            let read = self.tokens.read(&self.address).await;
            let read = read.map_err(AuthError::CredentialStoreError)?;
            self.remember(read.clone());
            Ok(read)
        })
    }

    fn save<'a, 'b>(&'a self, credentials: StoredCredentials) -> Work<'b, ()>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move {
            let written = self.tokens.write(&self.address, &credentials).await;
            self.remember(Some(credentials));
            written.map_err(AuthError::CredentialStoreError)
        })
    }

    fn clear<'a, 'b>(&'a self) -> Work<'b, ()>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move {
            self.remember(None);
            let removed = self.tokens.remove(&self.address).await;
            removed.map_err(AuthError::CredentialStoreError)
        })
    }

    fn acquire_refresh_guard<'a, 'b>(&'a self) -> Work<'b, Option<CredentialRefreshGuard>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move {
            let guard = Arc::clone(&self.refreshing).lock_owned().await;
            // Another process may have refreshed them.
            self.remember(None);
            Ok(Some(CredentialRefreshGuard::new(guard)))
        })
    }
}

/// The authorisation for a server's address.
///
/// It is looked up when the server demands it, so that users without tokens never wait for a
/// keyring.
pub(crate) struct Grant {
    server: String,
    tokens: McpTokens,
    address: Url,
    environment: Vec<(OsString, OsString)>,
    manager: OnceCell<AuthorizationManager>,
}

impl Grant {
    /// Creates it without reading or requesting anything.
    pub(crate) fn new(
        server: &str,
        tokens: McpTokens,
        address: Url,
        environment: &[(OsString, OsString)],
    ) -> Self {
        Self {
            server: server.to_owned(),
            tokens,
            address,
            environment: environment.to_vec(),
            manager: OnceCell::new(),
        }
    }

    /// Sends a request, with a token if the server has demanded one, now or before.
    ///
    /// # Errors
    /// There is no response, or the server demands a login; the error then names the command for
    /// it.
    async fn send(&self, request: RequestBuilder) -> io::Result<Response> {
        let mut token = match self.manager.get() {
            Some(manager) => Some(self.access_token(manager).await?),
            None => None,
        };
        let mut is_renewed = false;
        loop {
            let again = request.try_clone();
            let again = again.ok_or_else(|| io::Error::other("the request can't be sent"))?;
            let again = match &token {
                Some(token) => again.bearer_auth(token),
                None => again,
            };
            let response = again.send().await.map_err(cause)?;
            if response.status() != StatusCode::UNAUTHORIZED {
                return Ok(response);
            }
            token = Some(match token {
                None => self.first().await?,
                Some(_) if is_renewed => {
                    return Err(self.refused("the authorisation wasn't accepted"));
                }
                Some(_) => {
                    is_renewed = true;
                    self.refresh_token().await?
                }
            });
        }
    }

    /// Returns the token for the next request, refreshed if necessary.
    pub(crate) async fn in_use(&self) -> Option<String> {
        let manager = self.manager.get()?;
        manager.get_access_token().await.ok()
    }

    async fn access_token(&self, manager: &AuthorizationManager) -> io::Result<String> {
        let token = manager.get_access_token().await;
        token.map_err(|error| self.to_io_error(&error))
    }

    /// Looks up the token.
    async fn first(&self) -> io::Result<String> {
        let manager = self.manager.get_or_try_init(|| self.manager());
        self.access_token(manager.await?).await
    }

    /// Refreshes a token that the server no longer accepts.
    async fn refresh_token(&self) -> io::Result<String> {
        let manager = self.manager.get_or_try_init(|| self.manager()).await?;
        let refreshed = manager.refresh_token().await;
        drop(refreshed.map_err(|error| self.to_io_error(&error))?);
        self.access_token(manager).await
    }

    /// Reads the stored tokens, and determines who refreshes them. If that isn't their issuer,
    /// nothing is sent.
    async fn manager(&self) -> io::Result<AuthorizationManager> {
        let kept = KeptTokens::new(self.tokens.clone(), self.address.clone());
        let stored = kept
            .load()
            .await
            .map_err(|error| self.to_io_error(&error))?;
        let stored = stored.ok_or_else(|| self.refused("nobody has logged in"))?;
        let made = manager(&self.address, &self.environment).await;
        let mut manager = made.map_err(|why| self.refused(&why))?;
        let found = manager.resolve_metadata().await;
        let metadata = found.map_err(|error| self.to_io_error(&error))?.metadata;
        if metadata.issuer != stored.issuer {
            return Err(self.refused("its tokens come from a different service than you agreed to"));
        }
        manager.set_metadata(metadata);
        manager.set_credential_store(kept);
        match manager.initialize_from_store().await {
            Ok(true) => Ok(manager),
            Ok(false) => Err(self.refused("nobody has logged in")),
            Err(error) => Err(self.to_io_error(&error)),
        }
    }

    fn to_io_error(&self, error: &AuthError) -> io::Error {
        match error {
            AuthError::AuthorizationRequired => self.refused("the authorisation has expired"),
            error => self.refused(&error_text(error)),
        }
    }

    fn refused(&self, why: &str) -> io::Error {
        let name = &self.server;
        io::Error::other(format!(
            "HTTP 401: it needs authorisation, and {why}; a person logs in with `/mcp auth {name}` \
             in a session or `hookloop mcp auth {name}`"
        ))
    }
}

/// Sends a request, with a token if the server demands one.
///
/// # Errors
/// There is no response, or the server demands a login; the error then names the command for it.
pub(crate) async fn send(grant: Option<&Grant>, request: RequestBuilder) -> io::Result<Response> {
    match grant {
        Some(grant) => grant.send(request).await,
        None => request.send().await.map_err(cause),
    }
}

/// Formats an error, which may contain text from a server.
pub(crate) fn error_text(error: &AuthError) -> String {
    let text = visible(&error.to_string());
    match text.char_indices().nth(MAX_ERROR_LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Creates the client of the authorisation servers for an address.
pub(crate) async fn manager(
    address: &Url,
    environment: &[(OsString, OsString)],
) -> Result<AuthorizationManager, String> {
    let client = client::for_tokens(environment)?;
    let client = Arc::new(OauthClient::new(client, address));
    let made = AuthorizationManager::new_with_oauth_http_client(address.clone(), client);
    made.await.map_err(|error| error_text(&error))
}
