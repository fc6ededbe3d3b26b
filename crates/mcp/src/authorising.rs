//! Authorising this agent to use a server (TO-3, TR-11): discovery, registration, the browser, and
//! the answer. Only a person can start this, never a model, a server or a project.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use hookloop_settings::McpServer;
use reqwest::Url;
use rmcp::transport::auth::{AuthorizationRequest, AuthorizationSession};

use crate::browser;
use crate::callback::{Callback, parameter};
use crate::configuration::{self, Channel};
use crate::grant::{KeptTokens, McpTokens, error_text, manager};
use crate::http;
use crate::oauth_client::{is_allowed, is_loopback};

/// How long the person may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(10);

/// Asks a person, in a browser, to authorise this agent at a server, and stores the tokens for the
/// server's address (TO-3).
///
/// `environment` contains the proxies and the variables used in settings, and shows whether there
/// is a display. `show` receives what the person has to know meanwhile, including the address to
/// open. Dropping the future cancels the authorisation, and nothing is stored.
///
/// # Errors
/// Nothing was granted; the text gives the reason. The server isn't an HTTP server, has its own key
/// in the settings, or has no usable authorisation server; or the person refused or didn't answer.
pub async fn authorise(
    server: &McpServer,
    environment: &[(OsString, OsString)],
    tokens: &McpTokens,
    show: &(dyn Fn(&str) + Send + Sync),
) -> Result<(), String> {
    let address = address(server, environment)?;
    let way = http::prepare(&address, environment)?;
    if way.has_own_key() {
        return Err(
            "its settings already have an Authorization header; remove it, or keep using it \
             instead of logging in"
                .to_owned(),
        );
    }
    if !is_allowed(&way.url, is_loopback(&way.url)) {
        return Err(
            "its address doesn't use https, so a token would be sent unencrypted".to_owned(),
        );
    }
    let mut manager = manager(&way.url, environment).await?;
    manager.set_credential_store(KeptTokens::new(tokens.clone(), way.url.clone()));
    let found = manager.resolve_metadata().await;
    let metadata = found
        .map_err(|error| {
            format!(
                "its authorisation server can't be found: {}",
                error_text(&error)
            )
        })?
        .metadata;
    let host = Url::parse(&metadata.authorization_endpoint)
        .ok()
        .filter(|it| is_allowed(it, is_loopback(&way.url)))
        .and_then(|it| it.host_str().map(str::to_owned))
        .ok_or("its authorisation server has no https address that can be opened")?;
    manager.set_metadata(metadata);
    let callback = Callback::listen().await?;
    let request = AuthorizationRequest::new(callback.address.as_str())
        .with_client_name("hookloop")
        .with_initial_scope_selection();
    let session = AuthorizationSession::new(manager, request).await;
    let session = session.map_err(|(_, error)| error_text(&error))?;
    let question = Url::parse(session.get_authorization_url()).map_err(|it| it.to_string())?;
    let state = parameter(&question, "state").filter(|it| !it.is_empty());
    let state =
        state.ok_or("its log-in address has no `state` by which the answer could be recognised")?;
    let server_host = way.url.host_str().unwrap_or_default();
    show(&format!(
        "The MCP server \"{}\" at {server_host} wants you to log in at {host}.",
        server.name
    ));
    if browser::open(&question, environment) {
        show(&format!(
            "A browser should open. If it doesn't, open {question}"
        ));
    } else {
        show(&format!(
            "Open this address in a browser on this machine: {question}"
        ));
    }
    let answered = tokio::time::timeout(ANSWER_TIMEOUT, callback.answer(&state)).await;
    let answer = answered.map_err(|_| format!("nobody answered for {ANSWER_TIMEOUT:?}"))??;
    let exchanged = session.handle_callback_url(answer.as_str()).await;
    exchanged.map(drop).map_err(|error| error_text(&error))
}

/// Deletes the tokens for a server (TO-3). Data stored at the server itself stays.
///
/// # Errors
/// There is nothing to delete, or it can't be deleted; the text gives the reason.
pub async fn forget(
    server: &McpServer,
    environment: &[(OsString, OsString)],
    tokens: &McpTokens,
) -> Result<(), String> {
    let address = address(server, environment)?;
    let way = http::prepare(&address, environment)?;
    tokens.remove(&way.url).await
}

fn address(
    server: &McpServer,
    environment: &[(OsString, OsString)],
) -> Result<configuration::Address, String> {
    // The folder matters only for programs.
    match configuration::read(server, environment, Path::new(""))
        .0?
        .channel
    {
        Channel::Http(address) => Ok(address),
        Channel::Stdio(_) => Err("it is a program, so it needs no log-in".to_owned()),
    }
}
