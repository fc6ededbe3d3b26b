//! Whose hooks win if hooks disagree.

use crate::declaration::HookDeclaration;
use crate::layer::Layer;

/// Ranks who configured a hook by how far it is trusted, least first (PL-7, PL-9).
///
/// This is not the order in which hooks run (PL-6): a project's hooks come first there, and weigh
/// less than the user's here.
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
    /// The program itself that embeds the engine: a hook of no layer.
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
