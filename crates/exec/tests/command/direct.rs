use std::os::unix::fs::symlink;
use std::sync::Arc;

use hookloop_engine::{Ending, Executor as _};
use hookloop_testkit::puppet;

use crate::support::Stage;

/// Runs a command, and returns what it saved.
async fn saved(stage: &Stage, command: &str, file: &str) -> Vec<Vec<u8>> {
    let completion = stage.run(command).await;
    assert_eq!(
        completion.ending,
        Ending::Exited(0),
        "{command}: {completion:?}"
    );
    let mut parts: Vec<_> = stage
        .read(file)
        .split(|byte| *byte == 0)
        // The mark of a process is another each time.
        .filter(|part| !part.starts_with(b"HOOKLOOP_RUN="))
        .map(<[u8]>::to_vec)
        .collect();
    parts.sort();
    std::fs::remove_file(stage.path(file)).unwrap();
    parts
}

/// The same command twice: of plain words, and with quotes, which go through bash.
async fn assert_same(stage: &Stage, program: &str, what: &str) {
    let plain = saved(stage, &format!("{program} {what} saved"), "saved").await;
    let quoted = saved(stage, &format!("{program} {what} 'saved'"), "saved").await;
    let shown = |parts: &[Vec<u8>]| -> Vec<String> {
        parts
            .iter()
            .map(|part| String::from_utf8_lossy(part).into_owned())
            .collect()
    };
    assert_eq!(shown(&plain), shown(&quoted), "{program}");
}

/// IO-35: without a shell a hook sees the environment that bash would have given to it.
#[tokio::test]
async fn the_environment_is_that_of_bash() {
    let mut stage = Stage::new();
    let link = stage.sandbox.root().join("link");
    symlink(stage.sandbox.project(), &link).unwrap();
    let link = link.to_str().unwrap();
    let project = stage.sandbox.project().to_str().unwrap().to_owned();
    let strange = format!("{project}/../project");
    let program = puppet().to_str().unwrap().to_owned();
    let variants: [&[(&str, &str)]; 13] = [
        &[],
        &[("PWD", &project)],
        &[("PWD", link)],
        &[("PWD", "/")],
        &[("PWD", "relative")],
        &[("PWD", &strange)],
        &[("SHLVL", "5"), ("_", "/bin/other")],
        &[("SHLVL", "x")],
        &[("SHLVL", "-3")],
        &[("OLDPWD", "/usr"), ("SHLVL", "007")],
        &[("OLDPWD", "/no/such/folder")],
        &[("PS1", "$ "), ("IFS", ":"), ("COLUMNS", "3"), ("a.b", "c")],
        &[
            ("BASH_ENV", "/dev/null"),
            ("OPTIND", "4"),
            ("UID", "7"),
            ("a.b", "c"),
        ],
    ];
    let base = stage.surroundings.clone();
    for variables in variants {
        stage.surroundings = base.clone();
        for (name, value) in variables {
            stage.set(name, *value);
        }
        assert_same(&stage, &program, "save-env").await;
    }
}

/// IO-35: a program is found as bash finds it, and gets the same name and arguments.
#[tokio::test]
async fn programs_are_found_and_named_as_bash_does() {
    let mut stage = Stage::new();
    let folder = stage.path("bin");
    std::fs::create_dir(&folder).unwrap();
    symlink(puppet(), folder.join("actor")).unwrap();
    stage.sandbox.script(
        "hook.sh",
        "#!/bin/sh\nshift; printf '%s\\0' \"$0\" \"$@\" >$1\n",
    );
    stage.sandbox.script(
        "bin/other.sh",
        "#!/bin/sh\nprintf '%s\\0' \"$0\" \"$PWD\" >$2\n",
    );
    stage
        .sandbox
        .script("bare", "printf '%s\\0' \"$BASH\" \"$0\" >$2\n");
    stage.set(
        "PATH",
        format!("/no/such:{}:/usr/bin:/bin", folder.display()),
    );
    for program in ["actor", "./bin/actor", "bin/actor", "$GEMINI_CWD/bin/actor"] {
        assert_same(&stage, program, "save-args").await;
        assert_same(&stage, program, "save-env").await;
    }
    for program in [
        "./hook.sh",
        "other.sh",
        "$GEMINI_PROJECT_DIR/hook.sh",
        "./bare",
    ] {
        assert_same(&stage, program, "a=b").await;
    }
}

/// IO-35: a program in the working directory hides no builtin, and folders that only bash
/// understands are left to bash.
#[tokio::test]
async fn what_only_bash_knows_is_left_to_bash() {
    let mut stage = Stage::new();
    stage.sandbox.script("echo", "#!/bin/sh\nexit 9\n");
    stage.sandbox.script("mine", "#!/bin/sh\nexit 9\n");
    stage.set(
        "PATH",
        format!("{}:/usr/bin:/bin", stage.sandbox.project().display()),
    );
    assert_eq!(stage.run("echo a").await.ending, Ending::Exited(0));
    assert_eq!(stage.run("a=b").await.ending, Ending::Exited(0));
    assert_eq!(stage.run("").await.ending, Ending::Exited(0));
    assert_eq!(stage.run("# mine").await.ending, Ending::Exited(0));
    stage.set("PATH", ":/usr/bin:/bin");
    assert_eq!(stage.run("mine").await.ending, Ending::Exited(9));
}

/// IO-35, ENV-4: the search path is that of the hook; an exported function comes before a program.
#[tokio::test]
async fn the_hooks_own_environment_decides() {
    let mut stage = Stage::new();
    stage.sandbox.script("bin/tool", "#!/bin/sh\nexit 9\n");
    let mut invocation = stage.invocation("tool");
    let path = format!("{}:/usr/bin:/bin", stage.path("bin").display());
    Arc::make_mut(&mut invocation.hook)
        .env
        .insert("PATH".into(), path.clone());
    let completion = stage.executor().execute(invocation).await;
    assert_eq!(completion.ending, Ending::Exited(9));
    stage.set("PATH", path);
    stage.set("BASH_FUNC_tool%%", "() { return 5; }");
    assert_eq!(stage.run("tool").await.ending, Ending::Exited(5));
}
