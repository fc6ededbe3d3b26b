//! The variables of an extension (EX-2).

use std::borrow::Cow;
use std::path::Path;

/// Replaces `${extensionPath}`, `${workspacePath}`, `${/}` and `${pathSeparator}` (EX-2).
#[derive(Debug)]
pub(crate) struct Substitution {
    extension_path: String,
    workspace_path: String,
}

impl Substitution {
    pub(crate) fn new(extension_path: &Path, workspace_path: &Path) -> Self {
        Self {
            extension_path: extension_path.to_string_lossy().into_owned(),
            workspace_path: workspace_path.to_string_lossy().into_owned(),
        }
    }

    /// Replaces once, from left to right: what a variable brings in is not read again.
    pub(crate) fn apply<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains("${") {
            return Cow::Borrowed(text);
        }
        let mut replaced = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(begin) = rest.find("${") {
            let (before, variable) = rest.split_at(begin);
            replaced.push_str(before);
            let end = variable.find('}').map(|end| end + 1);
            let value = end.and_then(|end| self.value(&variable[2..end - 1]).map(|it| (it, end)));
            if let Some((value, end)) = value {
                replaced.push_str(value);
                rest = &variable[end..];
            } else {
                // An unknown variable stays as it is, and the next one may begin inside it.
                replaced.push_str("${");
                rest = &variable[2..];
            }
        }
        replaced.push_str(rest);
        Cow::Owned(replaced)
    }

    /// Replaces in every string of a value.
    pub(crate) fn apply_to_json(&self, value: &mut serde_json::Value) {
        match value {
            serde_json::Value::String(text) => {
                if let Cow::Owned(replaced) = self.apply(text) {
                    *text = replaced;
                }
            }
            serde_json::Value::Array(list) => {
                for element in list {
                    self.apply_to_json(element);
                }
            }
            serde_json::Value::Object(object) => {
                for element in object.values_mut() {
                    self.apply_to_json(element);
                }
            }
            _ => {}
        }
    }

    fn value(&self, name: &str) -> Option<&str> {
        match name {
            "extensionPath" => Some(&self.extension_path),
            "workspacePath" => Some(&self.workspace_path),
            "/" | "pathSeparator" => Some(std::path::MAIN_SEPARATOR_STR),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EX-2: known variables are replaced, unknown ones stay as they are.
    #[test]
    fn variables_are_replaced() {
        let substitution = Substitution::new(Path::new("/e"), Path::new("/w${extensionPath}"));
        let separator = std::path::MAIN_SEPARATOR;
        assert_eq!(
            substitution
                .apply("${extensionPath}${/}a${pathSeparator}b ${HOME} ${x${extensionPath}"),
            format!("/e{separator}a{separator}b ${{HOME}} ${{x/e"),
        );
        assert_eq!(substitution.apply("${workspacePath}"), "/w${extensionPath}");
        assert_eq!(substitution.apply("${extensionPath"), "${extensionPath");
    }
}
