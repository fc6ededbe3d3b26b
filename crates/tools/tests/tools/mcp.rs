//! MCP servers, with one that misbehaves on request (TO-3).

mod calling;
mod connecting;
mod http;
mod scene;
