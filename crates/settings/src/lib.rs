//! Layered settings with places: hook declarations, and problems as data.
//!
//! [`load`] reads the files of all layers and never fails: all errors are returned as
//! [`Problem`](hookloop_hook::Problem)s, each with its file, line and column (ST-4, ST-5).
//! Everything except reading the files is pure.
//!
//! ```
//! use hookloop_settings::{ExtensionChoice, FolderTrust, LoadRequest, RunTrust, SystemFiles, load};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let (project, home) = (folder.path().join("shop"), folder.path().join("home"));
//! # std::fs::create_dir_all(project.join(".gemini"))?;
//! std::fs::write(
//!     project.join(".gemini/settings.json"),
//!     r#"{"hooks": {
//!   "BeforeTool": [{"hooks": [{"type": "command", "command": "./guard.sh"}]}],
//!   "BeforeTol": []
//! }}"#,
//! )?;
//! let settings = load(&LoadRequest {
//!     project_root: project,
//!     home,
//!     system: SystemFiles::of(folder.path().join("system.json")),
//!     folder: FolderTrust::Untold,
//!     run: RunTrust::NotGiven,
//!     extensions: ExtensionChoice::Enabled,
//!     agreed_words: Vec::new(),
//!     distrusted: Vec::new(),
//! });
//! assert_eq!(settings.hooks[0].label(), "./guard.sh");
//! // A misspelt event is reported with its place.
//! let place = settings.problems[0].source.to_string();
//! assert!(place.ends_with("settings.json:3:3"), "{place}");
//! # Ok(())
//! # }
//! ```

mod absence;
mod adopted;
mod adopted_file;
mod adopted_plugins;
mod agent;
mod agent_read;
mod agents_read;
pub mod bounded;
mod command_words;
mod conditions;
mod config_read;
mod corrections;
mod deny_wish;
mod dialect_read;
mod dotenv;
mod edit;
mod entries;
mod entry_read;
mod event_names;
mod extension;
mod extension_enablement;
mod extension_folders;
mod extension_hooks_file;
mod extension_manifest;
mod extension_read;
mod fields;
mod file_id;
mod file_text;
mod handler_read;
mod hook_ids;
mod hook_models;
mod hook_read;
mod hook_servers;
mod keyring;
mod layer_state;
mod lint;
mod load;
mod load_request;
mod loader;
mod loosening;
mod misplaced;
mod model_settings;
mod model_settings_read;
mod near;
mod old_names;
mod prices;
mod project_word;
mod provided;
mod read_file;
mod report;
mod resolve;
mod resolve_agent;
mod restrictions;
mod restrictions_read;
mod sandbox_read;
mod schema;
mod server_enablement;
mod settings;
mod start_refusals;
mod stray_files;
mod substitution;
mod switches;
mod syntax;
mod system_files;
mod timeout;
mod workspace;

pub use absence::is_absent;
pub use adopted_file::{
    AdoptedFile, adoptable_files, folder_of_hooks, is_turned_off, turned_off_by_person,
};
pub use agent::{
    AgentSettings, AnthropicSettings, EnvironmentRedaction, McpServer, OpenAiSettings, SandboxMode,
    TelemetrySettings, ToolSettings,
};
pub use agents_read::AGENTS;
pub use command_words::{CommandWord, UseOfWord, command_words, expand_project_variables};
pub use dotenv::read as read_dotenv;
pub use edit::{
    Changed, EditError, EditFault, EntryPlace, NewHook, Saved, SettingsFile, SettingsText,
    lock_within,
};
pub use entries::{TextEntry, read_text_entries};
pub use event_names::event_from_foreign_name;
pub use extension::{Extension, ExtensionChoice};
pub use extension_manifest::manifest_of;
pub use file_id::FileId;
pub use file_text::Documents;
pub use keyring::{KEYRING_FILE, Keyring, KeyringError, SecretName};
pub use layer_state::{LayerState, LoadedLayer};
pub use lint::{
    MatchedTools, guards_without_on_failure, likely_tool, lint, lint_at_start, lint_rules_file,
    tool_of_others, tools_of,
};
pub use load::load;
pub use load_request::find_project_root;
pub use load_request::{Distrusted, LoadRequest};
pub use loader::BrokenFile;
pub use loosening::{Owner, Power, ProjectReach, counts, power_of};
pub use model_settings::{ModelAlias, ModelProfile, ModelSettings, ModelTable};
pub use near::{NearNames, is_one_edit, nearest};
pub use prices::ModelPrice;
pub use project_word::{Claim, ProjectWord};
pub use provided::Provided;
pub use read_file::read_bytes;
pub use restrictions::{ExtensionSource, Forbidden, Restriction, Restrictions, is_called};
pub use schema::{json_schema, json_schema_text};
pub use server_enablement::server_enablement;
pub use settings::Settings;
pub use start_refusals::{ProjectHistory, Strictness};
pub use stray_files::stray_state;
pub use switches::{
    BridgeRewrite, DEFAULT_MAX_OUTPUT_BYTES, DEFAULT_MAX_RETRIES, DEFAULT_TRACE_MAX_BYTES,
    DisabledEntry, HookSwitches,
};
pub use system_files::SystemFiles;
pub use workspace::{FolderTrust, RunTrust, WorkspaceTrust};
