//! Where something is set.

use hookloop_settings::Provided;

/// Says where something is set, to be put before a message.
pub(crate) fn place<T>(setting: &Provided<T>) -> String {
    let source = setting.source.as_ref();
    source.map(|it| format!("{it}: ")).unwrap_or_default()
}
