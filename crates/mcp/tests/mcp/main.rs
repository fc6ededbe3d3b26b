//! MCP servers, with one that misbehaves on request (TO-3).

#[cfg(test)]
mod calling;
#[cfg(test)]
mod connecting;
#[cfg(test)]
mod http;
#[cfg(test)]
mod oauth;
#[cfg(test)]
mod prompts;
#[cfg(test)]
mod scene;
#[cfg(test)]
mod sse;
