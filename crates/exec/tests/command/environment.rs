use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use hookloop_engine::{Completion, Ending, Executor as _};
use hookloop_hook::{Dialect, Enablement, ExtensionOrigin, ExtensionScope, HookDeclaration, Layer};

use crate::support::{Stage, direct, shell};

/// The variables that a hook of a layer sees, by name.
async fn seen(
    stage: &Stage,
    command: &str,
    edit: impl Fn(&mut HookDeclaration),
) -> (BTreeMap<String, String>, Completion) {
    let mut invocation = stage.invocation(command);
    edit(Arc::make_mut(&mut invocation.hook));
    let completion = stage.executor().execute(invocation).await;
    let text = String::from_utf8(stage.read("env")).unwrap();
    let pairs = text
        .split_terminator('\0')
        .filter_map(|pair| pair.split_once('='));
    let variables = pairs
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    (variables, completion)
}

fn from(layer: Layer) -> impl Fn(&mut HookDeclaration) {
    move |hook| hook.source.layer = Some(layer)
}

fn secretive() -> Stage {
    let mut stage = Stage::new();
    stage.set("MY_TOKEN", "by-name");
    stage.set("PLAIN", "ghp_0123456789abcdefghij0123456789abcdef");
    stage.set("EDITOR", "vi");
    stage
}

/// ENV-1: the variables of every hook, whatever its layer.
#[tokio::test]
async fn every_hook_knows_the_project() {
    let stage = Stage::new();
    let project = stage.sandbox.project().to_str().unwrap();
    for command in [direct("save-env env"), shell("save-env env")] {
        for layer in [Layer::Project, Layer::User, Layer::System, Layer::Extension] {
            let (variables, _) = seen(&stage, &command, from(layer)).await;
            assert_eq!(variables["GEMINI_PROJECT_DIR"], project);
            assert_eq!(variables["CLAUDE_PROJECT_DIR"], project);
            assert_eq!(variables["GEMINI_CWD"], project);
            assert_eq!(variables["GEMINI_SESSION_ID"], "6b1f");
            assert_eq!(
                variables["GEMINI_PLANS_DIR"],
                format!("{project}/.gemini/plans")
            );
            assert_eq!(variables["HOME"], stage.sandbox.home().to_str().unwrap());
        }
    }
}

/// FD-14: a hook of another agent gets that agent's variables, and none of ours that its command
/// doesn't name.
#[tokio::test]
async fn a_foreign_hook_finds_its_own_variables() {
    let stage = Stage::new();
    let project = stage.sandbox.project().to_str().unwrap();
    let foreign = |hook: &mut HookDeclaration| hook.dialect = Dialect::ClaudeCode;
    let (variables, _) = seen(&stage, &shell("save-env env"), foreign).await;
    assert_eq!(variables["CLAUDE_PROJECT_DIR"], project);
    assert_eq!(variables["CLAUDECODE"], "1");
    // The sandbox has a variable of the host in it, which is inherited.
    let is_ours =
        |name: &String| name.starts_with("GEMINI_") && name != "GEMINI_FORCE_FILE_STORAGE";
    assert!(!variables.keys().any(is_ours));
    let named = format!("{}; : $GEMINI_CWD", shell("save-env env"));
    let (variables, _) = seen(&stage, &named, foreign).await;
    assert_eq!(variables["GEMINI_CWD"], project);
    assert!(!variables.contains_key("GEMINI_PLANS_DIR"));
}

/// FD-14: a hook of Copilot finds the folder with the file that declares it; one that was brought
/// over, the folder with the file that Copilot reads.
#[tokio::test]
async fn a_hook_of_copilot_finds_its_files_folder() {
    let stage = Stage::new();
    let project = stage.sandbox.project();
    let command = shell("save-env env");
    let adopted = |hook: &mut HookDeclaration| {
        hook.dialect = Dialect::Copilot;
        hook.source.file = project.join(".github/hooks/guard.json").into();
    };
    let brought_over = |hook: &mut HookDeclaration| {
        hook.dialect = Dialect::Copilot;
        hook.source.file = project.join(".gemini/settings.json").into();
        hook.from = Some(".github/hooks/guard.json:3".to_owned());
    };
    let folder = project.join(".github/hooks");
    let (variables, _) = seen(&stage, &command, adopted).await;
    assert_eq!(variables["COPILOT_HOOK_DIR"], folder.to_str().unwrap());
    let (variables, _) = seen(&stage, &command, brought_over).await;
    assert_eq!(variables["COPILOT_HOOK_DIR"], folder.to_str().unwrap());
}

/// TE-3, ENV-4: a hook gets the span of its run instead of the host's, even if its environment is
/// filtered, and a variable of its own comes last.
#[tokio::test]
async fn a_hook_is_told_the_span_of_its_run() {
    let mut stage = Stage::new();
    stage.set("TRACEPARENT", "of-the-host");
    for layer in [Layer::Project, Layer::User] {
        let mut invocation = stage.invocation(&direct("save-env env"));
        Arc::make_mut(&mut invocation.hook).source.layer = Some(layer);
        let trace_parent_in = |text: Vec<u8>| {
            let text = String::from_utf8(text).unwrap();
            let mut pairs = text.split_terminator('\0');
            pairs.find_map(|pair| Some(pair.strip_prefix("TRACEPARENT=")?.to_owned()))
        };
        let executor = stage.executor();
        executor.execute(invocation.clone()).await;
        assert_eq!(trace_parent_in(stage.read("env")).unwrap(), "of-the-host");
        invocation.trace_parent = Some("of-the-run".to_owned());
        executor.execute(invocation.clone()).await;
        assert_eq!(trace_parent_in(stage.read("env")).unwrap(), "of-the-run");
        let own = ("TRACEPARENT".to_owned(), "of-the-hook".to_owned());
        Arc::make_mut(&mut invocation.hook).env.extend([own]);
        executor.execute(invocation).await;
        assert_eq!(trace_parent_in(stage.read("env")).unwrap(), "of-the-hook");
    }
}

/// ENV-2: references in the command reach the hook as single words, in all three ways to run it.
#[tokio::test]
async fn references_are_single_words() {
    let mut stage = Stage::new();
    let folder = stage.path("it's a \"$HOME\" `dir`");
    std::fs::create_dir(&folder).unwrap();
    stage.surroundings.project_root.clone_from(&folder);
    let saved = [
        direct("save-args args $GEMINI_PROJECT_DIR/x ${CLAUDE_PROJECT_DIR}"),
        shell("save-args args $GEMINI_PROJECT_DIR/x \"${CLAUDE_PROJECT_DIR}\""),
        shell("save-args args \"$GEMINI_PROJECT_DIR/x\" $CLAUDE_PROJECT_DIR"),
    ];
    for command in saved {
        // The puppet reads what follows as actions, and fails; its arguments are saved by then.
        stage.run(&command).await;
        let text = String::from_utf8(stage.read("args")).unwrap();
        let arguments: Vec<_> = text
            .split_terminator('\0')
            .map(PathBuf::from)
            .skip(3)
            .collect();
        assert_eq!(arguments, [folder.join("x"), folder.clone()], "{command}");
    }
}

/// ENV-3: secrets are withheld from hooks of project and extensions, and named.
#[tokio::test]
async fn secrets_are_withheld_from_foreign_hooks() {
    let stage = secretive();
    for layer in [Layer::Project, Layer::Extension] {
        let (variables, completion) = seen(&stage, &direct("save-env env"), from(layer)).await;
        assert!(!variables.contains_key("MY_TOKEN") && !variables.contains_key("PLAIN"));
        assert_eq!(variables["EDITOR"], "vi");
        assert_eq!(completion.withheld_env, ["MY_TOKEN", "PLAIN"]);
    }
    let (variables, completion) = seen(&stage, &direct("save-env env"), |hook| {
        hook.source.layer = None;
    })
    .await;
    assert!(
        !variables.contains_key("MY_TOKEN"),
        "an unknown origin isn't trusted"
    );
    assert_eq!(completion.withheld_env, ["MY_TOKEN", "PLAIN"]);
}

/// ENV-3: hooks of the user and of the administrator inherit everything.
#[tokio::test]
async fn own_hooks_inherit_everything() {
    let stage = secretive();
    for layer in [Layer::User, Layer::System] {
        let (variables, completion) = seen(&stage, &direct("save-env env"), from(layer)).await;
        assert_eq!(variables["MY_TOKEN"], "by-name");
        assert!(variables.contains_key("PLAIN"));
        assert!(completion.withheld_env.is_empty());
    }
}

/// ENV-3: `enabled` decides for all hooks, `allowed` lets through, `blocked` always applies.
#[tokio::test]
async fn redaction_follows_the_settings() {
    let mut stage = secretive();
    stage.surroundings.redaction.enabled = Some(true);
    let (_, completion) = seen(&stage, &direct("save-env env"), from(Layer::User)).await;
    assert_eq!(completion.withheld_env, ["MY_TOKEN", "PLAIN"]);

    stage.surroundings.redaction.allowed = vec!["my_token".into(), "EDITOR".into()];
    let (variables, completion) = seen(&stage, &direct("save-env env"), from(Layer::User)).await;
    assert_eq!(completion.withheld_env, ["PLAIN"]);
    assert_eq!(variables["MY_TOKEN"], "by-name");

    stage.surroundings.redaction.enabled = Some(false);
    stage.surroundings.redaction.blocked = vec!["EDITOR".into()];
    let (variables, completion) = seen(&stage, &direct("save-env env"), from(Layer::Project)).await;
    assert_eq!(completion.withheld_env, ["EDITOR"]);
    assert!(variables.contains_key("PLAIN") && !variables.contains_key("EDITOR"));
}

/// ENV-4: the extension's settings come after everything else, the hook's `env` last of all.
#[tokio::test]
async fn the_hooks_own_variables_come_last() {
    let stage = secretive();
    let edit = |hook: &mut HookDeclaration| {
        hook.source.layer = Some(Layer::Extension);
        let setting = |name: &str| (name.to_owned(), "extension".to_owned());
        hook.extension = Some(Arc::new(ExtensionOrigin {
            name: "tidy".into(),
            path: PathBuf::from("/extension"),
            scope: ExtensionScope::User,
            enablement: Enablement::Enabled,
            in_keyring: Vec::new(),
            settings_env: vec![setting("EDITOR"), setting("MY_TOKEN"), setting("LEVEL")],
        }));
        hook.env = BTreeMap::from([
            ("LEVEL".into(), "hook".into()),
            ("GEMINI_SESSION_ID".into(), "hook".into()),
        ]);
    };
    for command in [direct("save-env env"), shell("save-env env")] {
        let (variables, completion) = seen(&stage, &command, edit).await;
        assert_eq!(variables["EDITOR"], "extension");
        assert_eq!(variables["MY_TOKEN"], "extension");
        assert_eq!(variables["LEVEL"], "hook");
        assert_eq!(variables["GEMINI_SESSION_ID"], "hook");
        assert_eq!(
            completion.withheld_env,
            ["PLAIN"],
            "what was given back isn't withheld"
        );
    }
}

/// ENV-4: a variable that can't be set keeps the hook from starting, and is named; to run it
/// without would be silent.
#[tokio::test]
async fn impossible_variables_are_reported() {
    let stage = Stage::new();
    for (name, value) in [("", "x"), ("A=B", "x"), ("A", "nul\0"), ("N\0", "x")] {
        let mut invocation = stage.invocation(&direct("touch ran"));
        let env = &mut Arc::make_mut(&mut invocation.hook).env;
        env.insert(name.into(), value.into());
        let completion = stage.executor().execute(invocation).await;
        let expected = format!("the environment variable {name:?} can't be set");
        assert_eq!(completion.ending, Ending::NotStarted(expected));
        assert!(!stage.path("ran").exists());
    }
}

/// ENV-1, TR-1: Python writes nothing beside the modules of hooks that somebody agreed to, unless
/// that is configured.
#[tokio::test]
async fn python_keeps_nothing_beside_modules_of_projects() {
    const NAME: &str = "PYTHONDONTWRITEBYTECODE";
    let mut stage = Stage::new();
    let command = direct("save-env env");
    for (layer, expected) in [
        (Layer::Project, Some("1")),
        (Layer::Extension, Some("1")),
        (Layer::User, None),
        (Layer::System, None),
    ] {
        let (variables, _) = seen(&stage, &command, from(layer)).await;
        assert_eq!(variables.get(NAME).map(String::as_str), expected);
    }
    let edit = |hook: &mut HookDeclaration| {
        hook.source.layer = Some(Layer::Project);
        hook.env = BTreeMap::from([(NAME.into(), String::new())]);
    };
    let (variables, _) = seen(&stage, &command, edit).await;
    assert_eq!(variables[NAME], "", "the hook's own word counts");
    stage.set(NAME, "2");
    let (variables, _) = seen(&stage, &command, from(Layer::Project)).await;
    assert_eq!(variables[NAME], "2", "what is set stays");
}
