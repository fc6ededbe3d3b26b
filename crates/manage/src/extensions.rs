//! Installs, links, updates, enables, disables and removes extensions (EX-4). A port asks for a
//! person's consent; no answer means no.

mod create;
mod enablement;
mod install;
mod list;
mod settings;
mod uninstall;
mod update;

use std::path::PathBuf;

use hookloop_extensions::{Bundle, SettingDeclaration};

use crate::failure::CommandFailure;

pub use create::{CreatedExtension, create_extension};
pub use enablement::{SwitchedExtension, disable_extension, enable_extension};
pub use install::{install_extension, link_extension, validate_extension};
pub use list::{ExtensionView, ExtensionsView, list_extensions};
pub use settings::{ExtensionSettings, set_extension_settings};
pub use uninstall::{UninstalledExtension, uninstall_extension};
pub use update::{Update, update_extension, update_extensions};

/// Asks a person about extensions.
pub trait Consent {
    /// Shows the contents of an extension, and asks whether the person agrees.
    ///
    /// # Errors
    /// The person doesn't agree, or nobody answers.
    fn agree(&self, proposal: &Proposal<'_>) -> Result<(), CommandFailure>;

    /// Returns whether a person is present to enter values of settings.
    fn gives_values(&self) -> bool;

    /// Asks for the value of a setting; `None` leaves it unset.
    ///
    /// # Errors
    /// The person doesn't want to continue.
    fn value_of(&self, setting: &SettingDeclaration) -> Result<Option<String>, CommandFailure>;
}

/// What a person must agree to.
#[derive(Debug)]
pub struct Proposal<'a> {
    /// The content of the extension.
    pub bundle: &'a Bundle,
    /// The question, not escaped.
    pub question: String,
    /// What has changed, one line each.
    pub changes: Vec<String>,
}

/// Who is asked, and values that were given in advance, each as `NAME=VALUE`.
#[derive(Clone, Copy)]
pub struct Agreement<'a> {
    /// Asks the person.
    pub consent: &'a dyn Consent,
    /// Values of settings.
    pub values: &'a [String],
}

/// An installed extension.
#[derive(Debug)]
pub struct InstalledExtension {
    /// Its content.
    pub bundle: Bundle,
    /// Where it is.
    pub place: PathBuf,
    /// Warnings for the person, each as a sentence.
    pub warnings: Vec<String>,
}
