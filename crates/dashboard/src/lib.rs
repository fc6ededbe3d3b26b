//! A page of what hooks do, in all sessions of all agents, made from the traces of all projects
//! (BR-30, CM-6). It changes nothing.
//!
//! A trace is private, but every page that a browser shows can reach a page on the loopback
//! interface. So a [`Dashboard`] answers only under an address that contains a random token, to
//! requests that name the loopback interface as their host, and with a page that may load nothing
//! from elsewhere. All that hooks, tools and models wrote is escaped.
//!
//! ```no_run
//! # fn main() -> std::io::Result<()> {
//! use hookloop_dashboard::{Dashboard, Traces};
//! use hookloop_trace::Limits;
//!
//! let traces = Traces::below("/home/me/.local/state/hookloop/projects", Limits::default());
//! let dashboard = Dashboard::bind(traces, 0)?;
//! println!("{}", dashboard.url());
//! dashboard.serve()
//! # }
//! ```

mod gather;
mod page;
mod request;
mod server;

pub use gather::Traces;
pub use server::Dashboard;
