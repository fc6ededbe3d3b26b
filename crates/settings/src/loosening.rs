//! Which layer may loosen what (ST-13): a layer can loosen only itself.
//!
//! Every key of a settings file has one [`Power`], with which one function decides whether a
//! layer's value counts for another layer's hooks. A test compares the table with the generated
//! schema, so a key can't be added without deciding what it may do.

use hookloop_hook::{ExtensionScope, HookDeclaration, Layer};

/// What a key of a settings file can do to hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Power {
    /// Nothing: it concerns the agent, or describes a hook in its own file.
    None,
    /// It can weaken hooks: it applies to hooks of its own layer and of less trusted layers.
    Loosens,
    /// It can only make hooks stricter: it applies in every layer.
    Tightens,
    /// It is read only from the user's and the system's settings.
    UserAndSystem,
}

/// How far a project's settings apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProjectReach {
    /// The folder isn't known to be trusted: they apply only where they affect nobody but the
    /// project.
    Itself,
    /// The folder is trusted: they apply to its own hooks, and to those of extensions.
    Folder,
    /// A person has agreed to exactly these settings: they apply to all hooks (ST-13).
    Agreed,
}

/// The owner of hooks, the most trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// The administrator.
    System,
    /// The user. Closures of the host rank the same.
    User,
    /// The project, including its own extensions.
    Project,
    /// Extensions that the user installed.
    Extension,
}

impl Owner {
    /// All owners, the most trusted first.
    pub const ALL: [Self; 4] = [Self::System, Self::User, Self::Project, Self::Extension];

    /// Returns the owner of a hook.
    pub fn of(hook: &HookDeclaration) -> Self {
        let scope = hook.extension.as_ref().map(|it| it.scope);
        match (hook.source.layer, scope) {
            (_, Some(ExtensionScope::Project)) | (Some(Layer::Project), _) => Self::Project,
            (_, Some(ExtensionScope::User)) | (Some(Layer::Extension), _) => Self::Extension,
            (Some(Layer::System), _) => Self::System,
            (Some(Layer::User) | None, None) => Self::User,
        }
    }
}

/// Returns whether a layer's value for a key with some power applies to an owner's hooks (ST-13).
pub const fn counts(power: Power, said_by: Layer, reach: ProjectReach, concerning: Owner) -> bool {
    match (power, said_by) {
        (Power::None | Power::Tightens, _)
        | (_, Layer::System)
        | (Power::UserAndSystem, Layer::User) => true,
        (Power::Loosens, Layer::User) => !matches!(concerning, Owner::System),
        (Power::Loosens, Layer::Project) => match concerning {
            Owner::Project => true,
            Owner::Extension => !matches!(reach, ProjectReach::Itself),
            Owner::User | Owner::System => matches!(reach, ProjectReach::Agreed),
        },
        // An extension has no settings of either kind.
        (Power::UserAndSystem, Layer::Project | Layer::Extension)
        | (Power::Loosens, Layer::Extension) => false,
    }
}

/// The powers of the keys of a settings file, by their path; `*` stands for any name.
const POWERS: &[(&str, Power)] = &[
    ("$schema", Power::None),
    // The hooks themselves: an entry describes only its own hook.
    ("hooks.enabled", Power::Loosens),
    ("hooks.disabled", Power::Loosens),
    ("hooks.notifications", Power::Loosens),
    ("hooks.*", Power::None),
    ("hooksConfig.enabled", Power::Loosens),
    ("hooksConfig.disabled", Power::Loosens),
    ("hooksConfig.notifications", Power::Loosens),
    // `deny` counts everywhere; only `warn` loosens.
    ("hooksConfig.onFailure", Power::Loosens),
    ("hooksConfig.maxOutputBytes", Power::Loosens),
    ("hooksConfig.maxRetries", Power::Loosens),
    ("hooksConfig.trace.*", Power::Loosens),
    ("hooksConfig.dialect", Power::Loosens),
    ("hooksConfig.adopt", Power::Loosens),
    ("hooksConfig.bridge.*", Power::Loosens),
    ("hooksConfig.strict", Power::Tightens),
    ("hooksConfig.liveOutput", Power::Tightens),
    ("hooksConfig.locked", Power::UserAndSystem),
    ("hooksConfig.http.*", Power::UserAndSystem),
    ("hooksConfig.allowSkipsConfirmation", Power::UserAndSystem),
    // A prohibition counts wherever it is, except for extensions: guards come from them.
    ("security.toolSandboxing", Power::Tightens),
    ("security.disableYoloMode", Power::Tightens),
    ("security.disableAlwaysAllow", Power::Tightens),
    ("security.auth.enforcedType", Power::Tightens),
    ("security.*", Power::UserAndSystem),
    ("admin.extensions.*", Power::UserAndSystem),
    ("admin.*", Power::Tightens),
    ("mcp.*", Power::Tightens),
    ("skills.*", Power::Tightens),
    ("agents.*", Power::Tightens),
    ("experimental.*", Power::Tightens),
    ("policyPaths", Power::UserAndSystem),
    ("adminPolicyPaths", Power::UserAndSystem),
    ("tools.enableHooks", Power::Loosens),
    ("extensions.disabled", Power::Loosens),
    // The agent's own; what an untrusted project may say in them is in `resolve_agent`.
    ("tools.sandbox", Power::Tightens),
    ("tools.sandboxNetworkAccess", Power::UserAndSystem),
    ("tools.sandboxAllowedPaths", Power::UserAndSystem),
    ("tools.*", Power::None),
    ("model", Power::None),
    ("model.*", Power::None),
    ("modelConfigs.*", Power::None),
    ("openai.*", Power::None),
    ("anthropic.*", Power::None),
    ("contextCompression.*", Power::None),
    ("general.*", Power::None),
    ("context.*", Power::None),
    ("mcpServers", Power::None),
    ("mcpServers.*", Power::None),
    ("telemetry.*", Power::None),
];

/// Returns the power of a key, by its path (`hooksConfig.trace.maxBytes`), or `None` for a key
/// without an entry.
pub fn power_of(path: &str) -> Option<Power> {
    POWERS
        .iter()
        .find(|(pattern, _)| {
            *pattern == path
                || pattern
                    .strip_suffix('*')
                    .is_some_and(|prefix| path.starts_with(prefix))
        })
        .map(|(_, power)| *power)
}
