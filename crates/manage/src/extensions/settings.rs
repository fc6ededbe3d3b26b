//! The values of an extension's settings (EX-3, EX-4).

use std::path::{Path, PathBuf};

use hookloop_extensions::{
    Bundle, Installed, Keeper, Kept, SettingDeclaration, Staging, Values, copy_tree,
    extensions_folder,
};

use super::Agreement;
use crate::Task;
use crate::failure::CommandFailure;
use crate::near_matches::near_matches;

/// The settings of an extension, and where their values are stored.
#[derive(Debug)]
pub struct ExtensionSettings {
    /// The content of the extension.
    pub bundle: Bundle,
    /// Where the values are stored.
    pub kept: Kept,
    /// The extension's folder, if values were written there.
    pub written: Option<PathBuf>,
    /// Warnings for the person, each as a sentence.
    pub warnings: Vec<String>,
}

/// Sets values, asks for missing ones if a person is present, and returns where all of them are
/// stored.
pub fn set_extension_settings(
    task: Task<'_>,
    name: &str,
    agreement: Agreement<'_>,
) -> Result<ExtensionSettings, CommandFailure> {
    let environment = task.environment;
    let installed = Installed::find(&environment.home, name)?;
    let place = installed.content();
    // Read from a copy, as before an installation, so that problems are reported in the same way.
    let staging = Staging::create(&environment.home)?;
    copy_tree(place, &staging.extension())?;
    let bundle = Bundle::read(staging.home(), &extensions_folder(&environment.home))?;
    let known = Kept::of(place).names();
    let values = collected(&bundle.settings, agreement, &known)?;
    let keyring = hookloop_keyring::open(environment.keyring_access());
    let keeper = Keeper {
        keyring: &*keyring,
        name: &bundle.name,
        place,
    };
    let kept = keeper.store(place, &bundle.settings, &values)?;
    Ok(ExtensionSettings {
        warnings: storage_warnings(&bundle.settings, &kept, place),
        written: (!values.is_empty()).then(|| place.to_owned()),
        bundle,
        kept,
    })
}

/// Collects the given values, and asks for the rest if a person is present. `known` are the
/// extension's variables before an update.
pub(super) fn collected(
    declared: &[SettingDeclaration],
    agreement: Agreement<'_>,
    known: &[String],
) -> Result<Values, CommandFailure> {
    let mut values = parse_assignments(declared, agreement.values)?;
    let is_asked = agreement.consent.gives_values();
    for setting in declared.iter().filter(|_| is_asked) {
        if values.contains_key(&setting.variable) || known.contains(&setting.variable) {
            continue;
        }
        if let Some(value) = agreement.consent.value_of(setting)? {
            values.insert(setting.variable.clone(), value);
        }
    }
    Ok(values)
}

/// Parses `NAME=VALUE`, in which the name is a setting's or its variable's.
fn parse_assignments(
    declared: &[SettingDeclaration],
    texts: &[String],
) -> Result<Values, CommandFailure> {
    let mut values = Values::new();
    for text in texts {
        let Some((name, value)) = text.split_once('=') else {
            let message = format!("\"{text}\" isn't a setting: write NAME=VALUE");
            return Err(CommandFailure::bad_input(message));
        };
        let setting = declared
            .iter()
            .find(|it| it.variable == name || it.name == name);
        let Some(setting) = setting else {
            let names: Vec<&str> = declared.iter().map(|it| it.variable.as_str()).collect();
            let message = format!("the extension has no setting named \"{name}\"");
            return Err(
                CommandFailure::bad_input(message).with_candidates(near_matches(name, &names))
            );
        };
        if value.contains('\0') {
            let message = format!("the value of \"{name}\" contains a NUL character");
            return Err(CommandFailure::bad_input(message));
        }
        values.insert(setting.variable.clone(), value.to_owned());
    }
    Ok(values)
}

/// Returns warnings about secrets stored as plain text, and about settings without a value.
pub(super) fn storage_warnings(
    declared: &[SettingDeclaration],
    kept: &Kept,
    place: &Path,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let file = place.join(".env");
    let is_in_file = |it: &&SettingDeclaration| kept.in_file.contains(&it.variable);
    let is_in_keyring = |it: &&SettingDeclaration| kept.in_keyring.contains(&it.variable);
    if declared
        .iter()
        .filter(|it| it.sensitive)
        .any(|it| is_in_file(&it))
    {
        let why = match &kept.failure {
            Some(error) => error.to_string(),
            None => "they were written to it".to_owned(),
        };
        warnings.push(format!(
            "secret settings are kept as plain text in {}, which only you should be able to read: \
             {why}",
            file.display()
        ));
    }
    let unset: Vec<&str> = declared
        .iter()
        .filter(|it| !is_in_file(it) && !is_in_keyring(it))
        .map(|it| it.variable.as_str())
        .collect();
    if !unset.is_empty() {
        warnings.push(format!(
            "these settings have no value: {}; set them with `hookloop extensions settings`, or \
             write NAME=value into {}",
            unset.join(", "),
            file.display()
        ));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::super::{Consent, Proposal};
    use super::*;
    use crate::failure::FailureCode;

    /// Somebody who gives this value to every setting, or nobody.
    struct Gives(Option<&'static str>);

    impl Consent for Gives {
        fn agree(&self, _: &Proposal<'_>) -> Result<(), CommandFailure> {
            Ok(())
        }

        fn gives_values(&self) -> bool {
            self.0.is_some()
        }

        fn value_of(&self, _: &SettingDeclaration) -> Result<Option<String>, CommandFailure> {
            Ok(self.0.map(str::to_owned))
        }
    }

    fn declared() -> Vec<SettingDeclaration> {
        let setting = |name: &str, variable: &str| SettingDeclaration {
            name: name.to_owned(),
            description: String::new(),
            variable: variable.to_owned(),
            sensitive: false,
        };
        vec![setting("Key", "APP_KEY"), setting("Region", "APP_REGION")]
    }

    fn of(gives: &Gives, values: &[&str], known: &[&str]) -> Result<Values, CommandFailure> {
        let owned = |list: &[&str]| list.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let agreement = Agreement {
            consent: gives,
            values: &owned(values),
        };
        collected(&declared(), agreement, &owned(known))
    }

    /// EX-4: given values are assigned by a setting's name and by its variable, and only missing
    /// ones are asked for, if somebody is there.
    #[test]
    fn only_missing_values_are_asked_for() {
        let values = of(&Gives(None), &["Key=a=b"], &[]).unwrap();
        assert_eq!(values, [("APP_KEY".to_owned(), "a=b".to_owned())].into());
        let values = of(&Gives(Some("typed")), &["APP_KEY=a"], &[]).unwrap();
        assert_eq!(values["APP_KEY"], "a");
        assert_eq!(values["APP_REGION"], "typed");
        let values = of(&Gives(Some("typed")), &["APP_KEY=a"], &["APP_REGION"]).unwrap();
        assert!(!values.contains_key("APP_REGION"));
    }

    /// EX-4: a value for an unknown setting is a mistake, and the message suggests what may have
    /// been meant.
    #[test]
    fn values_of_unknown_settings_are_refused() {
        let failure = of(&Gives(None), &["APP_KEI=a"], &[]).unwrap_err();
        assert_eq!(failure.code, FailureCode::BadInput);
        assert_eq!(failure.candidates, ["APP_KEY"]);
        for wrong in ["APP_KEY", "APP_KEY=a\0b"] {
            assert!(of(&Gives(None), &[wrong], &[]).is_err(), "{wrong}");
        }
    }
}
