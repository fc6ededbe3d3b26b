//! Hooks that consist of the same files, because everything is equal that decides which those are
//! (TR-8).

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use hookloop_hook::HookDeclaration;

/// A hook as far as its files depend on it, in one project and working directory: what it runs,
/// when, with which variables, for which extension, and who configured it.
#[derive(Debug, Clone, Copy)]
struct Files<'h>(&'h HookDeclaration);

impl PartialEq for Files<'_> {
    fn eq(&self, other: &Self) -> bool {
        // Each field is named, so that a new one isn't left out by mistake.
        let HookDeclaration {
            id: _,
            event,
            handler,
            broken: _,
            name: _,
            description: _,
            matcher: _,
            grouping: _,
            timeout: _,
            env,
            on_failure: _,
            dialect,
            dialect_event: _,
            mode: _,
            condition: _,
            recheck: _,
            data,
            hold_back: _,
            chunks: _,
            status_message: _,
            asynchronous: _,
            rewakes: _,
            loop_limit: _,
            skips_confirmation: _,
            once: _,
            agents: _,
            withholds: _,
            sandbox: _,
            in_their_file: _,
            from: _,
            // Only who configured it, which `is_from_project` tells.
            source: _,
            extension,
            places: _,
        } = self.0;
        let other = other.0;
        *handler == other.handler
            && *event == other.event
            && *env == other.env
            && *data == other.data
            && *dialect == other.dialect
            && *extension == other.extension
            && self.0.is_from_project() == other.is_from_project()
    }
}

impl Eq for Files<'_> {}

impl Hash for Files<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let hook = self.0;
        // What differs most often is enough to tell most hooks apart.
        hook.handler.summary().hash(state);
        hook.handler.args().hash(state);
        hook.event.hash(state);
        hook.env.hash(state);
        hook.data.hash(state);
    }
}

/// Groups hooks that consist of the same files, in the order of the first ones: `hook` returns the
/// hook of an element. Whatever is found out about the first of a group is true of all.
pub fn alike<'t, T>(
    all: impl IntoIterator<Item = &'t T>,
    hook: impl Fn(&'t T) -> &'t HookDeclaration,
) -> Vec<Vec<&'t T>> {
    let mut groups: Vec<Vec<&T>> = Vec::new();
    let mut places: HashMap<Files<'_>, usize> = HashMap::new();
    for it in all {
        let place = *places.entry(Files(hook(it))).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(it),
            None => groups.push(vec![it]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hookloop_hook::{
        Enablement, EventName, ExtensionOrigin, ExtensionScope, Handler, HookId, Layer, Source,
    };

    use super::*;

    fn hook(command: &str) -> HookDeclaration {
        HookDeclaration::new(
            HookId::from_text("h"),
            EventName::BeforeTool,
            Handler::command(command),
            Source::of_file(std::path::Path::new("settings.json")),
        )
    }

    fn of_extension(folder: &str) -> HookDeclaration {
        let extension = ExtensionOrigin {
            name: "x".into(),
            path: folder.into(),
            scope: ExtensionScope::User,
            enablement: Enablement::Enabled,
            settings_env: Vec::new(),
            in_keyring: Vec::new(),
        };
        HookDeclaration {
            extension: Some(Arc::new(extension)),
            ..hook("sh ${extensionPath}/guard.sh")
        }
    }

    /// TR-8: hooks are examined together only if they consist of the same files: not if the same
    /// command is in another folder, has other variables, or is from somebody else.
    #[test]
    fn the_same_command_is_another_hook_elsewhere() {
        let plain = || hook("sh guard.sh");
        let mut of_project = plain();
        of_project.source.layer = Some(Layer::Project);
        let with_variable = HookDeclaration {
            env: [("PATH".to_owned(), "bin".to_owned())].into(),
            ..plain()
        };
        let with_data = HookDeclaration {
            data: vec!["rules.txt".to_owned()],
            ..plain()
        };
        let later = HookDeclaration {
            event: EventName::AfterTool,
            ..plain()
        };
        let all = [
            plain(),
            of_extension("/one"),
            of_extension("/two"),
            of_project,
            with_variable,
            with_data,
            later,
            HookDeclaration {
                name: Some("another".to_owned()),
                matcher: Some("write_file".to_owned()),
                ..plain()
            },
            of_extension("/two"),
        ];
        let groups = alike(&all, |it| it);
        let sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
        assert_eq!(sizes, [2, 1, 2, 1, 1, 1, 1]);
    }
}
