//! Whose hook takes precedence if hooks disagree.

use crate::declaration::HookDeclaration;
use crate::layer::Layer;

/// The authority of whoever configured a hook, least trusted first (PL-7, PL-9).
///
/// This isn't the order in which hooks run (PL-6): there, a project's hooks come first; here, they
/// rank below the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Authority {
    /// An extension.
    Extension,
    /// The project.
    Project,
    /// The user.
    User,
    /// The administrator.
    System,
    /// The program that embeds the engine. Its hooks belong to no layer.
    Host,
}

impl HookDeclaration {
    /// Returns who configured the hook.
    pub fn authority(&self) -> Authority {
        match self.source.layer {
            _ if self.extension.is_some() => Authority::Extension,
            Some(Layer::Extension) => Authority::Extension,
            Some(Layer::Project) => Authority::Project,
            Some(Layer::User) => Authority::User,
            Some(Layer::System) => Authority::System,
            None => Authority::Host,
        }
    }
}
