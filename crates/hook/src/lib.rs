//! Hooks as values: declaration, id, origin, handler, policies, and problems with their
//! configuration.
//!
//! These are plain values with little behaviour. `settings` reads them from files, `trust` vouches
//! for them, the engine plans them, and executors run them. To write a hook, you don't need them: a
//! hook program in Rust uses `hookloop-events`, and a hook inside your program `hookloop-engine`.
//!
//! ```
//! use hookloop_hook::{EventName, Handler, HookDeclaration, HookId, OnFailure, Source};
//!
//! let place = Source::of_file(std::path::Path::new("/srv/shop/.gemini/settings.json"));
//! let handler = Handler::command("./guard.sh");
//! let id = HookId::from_text("guard");
//! let mut hook = HookDeclaration::new(id, EventName::BeforeTool, handler, place);
//! hook.matcher = Some("write_file|replace".to_owned());
//! hook.on_failure = OnFailure::Deny;
//!
//! // A hook without a name is called by what it runs.
//! assert_eq!(hook.label(), "./guard.sh");
//! assert!(hook.event.can_refuse() && !hook.is_from_project());
//! ```

mod authority;
mod declaration;
mod event_name;
mod extension;
mod handler;
mod id;
mod layer;
mod policy;
mod problem;
mod rule;
mod source;

pub use authority::Authority;
pub use declaration::{Broken, Grouping, HookDeclaration, HookPlaces, HookSandbox, quoted};
pub use event_name::{EventName, Refusing, SubjectKind, UnknownEvent};
pub use extension::{
    COMMAND_VARIABLES, EXTENSION_PATH_VARIABLE, Enablement, ExtensionOrigin, ExtensionScope,
};
pub use handler::{
    ConfiguredServer, DEFAULT_IDLE, Handler, HookType, HttpRequest, McpCall, Plugin, PluginGrants,
    PromptCall, ServedModel, Shell,
};
pub use id::HookId;
pub use layer::Layer;
pub use policy::{Chunks, DEFAULT_TIMEOUT, Dialect, HoldBack, Mode, OnFailure, Withholds};
pub use problem::{Problem, ProblemCode, Severity};
pub use rule::{Rule, RuleVerdict, Rules};
pub use source::{Position, Source};
