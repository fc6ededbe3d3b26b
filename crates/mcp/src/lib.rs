//! Tools, resources and prompts of MCP servers (TO-3): the configured servers of a session,
//! started, listed and called through the port of the crate `tools`.
//!
//! A `Server` represents one configured server for the whole session, with at most one connection.
//! A task per connection owns the server's process, follows changes of its lists, and records why
//! the connection ended. No call waits longer than the server's `timeout`, and a call without a
//! connection tries once to connect. Whatever a server does results in an answer for the model, and
//! in a [`McpProblem`] with the place of its configuration.
//!
//! ```
//! use std::time::Duration;
//!
//! use hookloop_mcp::{McpReport, McpServers, McpSurroundings};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! // The servers are those of the settings: `Settings::agent.mcp_servers`.
//! # let servers = [];
//! let surroundings = McpSurroundings {
//!     environment: std::env::vars_os().collect(),
//!     directory: std::env::temp_dir(),
//!     report: McpReport::new(|problem| eprintln!("{problem}")),
//!     tokens: None,
//! };
//! let servers = McpServers::connect(&servers, surroundings);
//! servers.ready(Duration::from_secs(10)).await;
//! for server in servers.list() {
//!     println!("{}", server.name);
//! }
//! servers.close().await;
//! # }
//! ```

mod authorising;
mod browser;
mod callback;
mod catalogue;
mod client;
mod configuration;
mod connection;
mod expansion;
mod grant;
mod hook_input;
mod hook_tools;
mod http;
mod http_client;
mod listener;
mod listing;
mod naming;
mod oauth_client;
mod options;
mod problem;
mod process;
mod prompt_arguments;
mod prompts;
mod reading;
mod resources;
mod result;
mod schema;
mod server;
mod servers;
mod sse;
mod tool;

pub use authorising::{authorise, forget};
pub use grant::McpTokens;
pub use hook_tools::{HookTools, ServerEnvironment};
pub use listing::{
    McpPrompt, McpPromptArgument, McpResourceListing, McpServerListing, McpState, McpToolListing,
};
pub use problem::{McpProblem, McpReport};
pub use servers::{McpServers, McpSurroundings};
