//! Interpreters that the environment keeps from running their programs (IO-35).

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use hookloop_engine::{Completion, Ending, Executor as _};
use hookloop_hook::Handler;
use hookloop_process::find_program;

use crate::support::Stage;

/// IO-35, IO-21: a shell that the environment ends before it reaches the hook's command has looked
/// at nothing, however the hook is started; one that merely reads something first isn't affected.
#[tokio::test]
async fn a_silenced_shell_could_not_start() {
    const FIRST: &str = "first.sh";
    for (name, value, is_silenced) in [
        ("BASH_ENV", Some("exit 0"), true),
        ("BASH_ENV", Some("exec true"), true),
        ("BASH_ENV", Some("exit() { :; }"), true),
        ("BASH_ENV", Some("FIRST=1; export FIRST"), false),
        ("SHELLOPTS", None, true),
        ("BASH_FUNC_exit%%", None, true),
    ] {
        let mut stage = Stage::new();
        let path = stage.path(FIRST);
        fs::write(&path, value.unwrap_or_default()).unwrap();
        fs::write(stage.path("guard.sh"), "echo no >&2\nexit 2\n").unwrap();
        let given = match name {
            "SHELLOPTS" => "noexec",
            "BASH_ENV" => path.to_str().unwrap(),
            _ => "() { :; }",
        };
        stage.set(name, given);
        let script = stage.path("own.sh");
        fs::write(&script, "#!/usr/bin/env bash\necho no >&2\nexit 2\n").unwrap();
        fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
        for handler in [
            Handler::command("echo no >&2; exit 2".to_owned()),
            Handler::command("bash guard.sh".to_owned()),
            Handler::command("exec bash guard.sh".to_owned()),
            alone("bash", &["guard.sh"]),
            alone("env", &["bash", "guard.sh"]),
            alone(script.to_str().unwrap(), &[]),
        ] {
            let mut invocation = stage.invocation("");
            Arc::make_mut(&mut invocation.hook).handler = handler.clone();
            let completion = stage.executor().execute(invocation).await;
            let could_not_start = matches!(completion.ending, Ending::NotStarted(_));
            assert_eq!(
                could_not_start, is_silenced,
                "{name}={given}, {handler:?}: {completion:?}"
            );
            assert!(
                is_silenced || completion.ending == Ending::Exited(2),
                "{completion:?}"
            );
        }
    }
}

/// A program with its arguments, without a shell (HT-4).
fn alone(program: &str, arguments: &[&str]) -> Handler {
    Handler::Command {
        command: program.to_owned(),
        args: Some(arguments.iter().map(|it| (*it).to_owned()).collect()),
        shell: None,
    }
}

async fn run(stage: &Stage, handler: Handler) -> Completion {
    let mut invocation = stage.invocation("");
    Arc::make_mut(&mut invocation.hook).handler = handler;
    stage.executor().execute(invocation).await
}

/// A guard's language: the program, its file, the guard, and a file that refuses with it.
const GUARDS: [(&str, &str, &str); 6] = [
    (
        "python3",
        "guard.py",
        "import sys\nsys.stderr.write('no')\nsys.exit(2)\n",
    ),
    (
        "node",
        "guard.js",
        "process.stderr.write('no'); process.exit(2)\n",
    ),
    ("perl", "guard.pl", "print STDERR 'no'; exit 2;\n"),
    ("ruby", "guard.rb", "STDERR.print 'no'; exit 2\n"),
    ("lua", "guard.lua", "io.stderr:write('no') os.exit(2)\n"),
    ("php", "guard.php", "<?php fwrite(STDERR, 'no'); exit(2);\n"),
];

/// The program, a variable with its value, the file that it names, the file's content, and whether
/// that silences.
const SILENCING: [(&str, &str, &str, &str, &str, bool); 16] = [
    (
        "python3",
        "PYTHONPATH",
        "FOLDER",
        "sitecustomize.py",
        "import os; os._exit(0)",
        true,
    ),
    (
        "python3",
        "PYTHONPATH",
        "FOLDER",
        "sitecustomize.py",
        "import sys; sys.exit = print",
        true,
    ),
    (
        "python3",
        "PYTHONPATH",
        "FOLDER",
        "sitecustomize.py",
        "import sys; sys.stdin.read()",
        true,
    ),
    (
        "python3",
        "PYTHONPATH",
        "FOLDER",
        "sitecustomize.py",
        "import sys; sys.x = 1",
        false,
    ),
    ("python3", "PYTHONINSPECT", "1", "unused", "", true),
    (
        "python3",
        "NODE_OPTIONS",
        "--require FOLDER/first.js",
        "first.js",
        "process.exit(0)",
        false,
    ),
    (
        "node",
        "NODE_OPTIONS",
        "--require FOLDER/first.js",
        "first.js",
        "process.exit(0)",
        true,
    ),
    (
        "node",
        "NODE_OPTIONS",
        "--require FOLDER/first.js",
        "first.js",
        "process.exit = () => {}",
        true,
    ),
    (
        "node",
        "NODE_OPTIONS",
        "--require FOLDER/first.js",
        "first.js",
        "globalThis.x = 1",
        false,
    ),
    ("node", "PYTHONINSPECT", "1", "unused", "", false),
    (
        "perl",
        "PERL5OPT",
        "-IFOLDER -MFirst",
        "First.pm",
        "exit 0;",
        true,
    ),
    (
        "perl",
        "PERL5OPT",
        "-IFOLDER -MFirst",
        "First.pm",
        "BEGIN { *CORE::GLOBAL::exit = sub {} } 1;",
        true,
    ),
    (
        "perl",
        "PERL5OPT",
        "-IFOLDER -MFirst",
        "First.pm",
        "1;",
        false,
    ),
    (
        "ruby",
        "RUBYOPT",
        "-rFOLDER/first.rb",
        "first.rb",
        "exit! 0",
        true,
    ),
    (
        "lua",
        "LUA_INIT",
        "@FOLDER/first.lua",
        "first.lua",
        "os.exit(0)",
        true,
    ),
    (
        "php",
        "PHP_INI_SCAN_DIR",
        "FOLDER",
        "first.ini",
        "auto_prepend_file=/dev/null",
        false,
    ),
];

/// IO-35, IO-21: an interpreter that the environment ends before the guard, whose input it consumes
/// or whose exit code it changes, has looked at nothing, and the variable is named; one that merely
/// loads something first, or that the hook doesn't start, keeps no guard from answering.
#[tokio::test]
async fn a_silenced_interpreter_could_not_start() {
    for (program, variable, value, file, content, is_silenced) in SILENCING {
        let mut stage = Stage::new();
        if find_program(&stage.surroundings.variables, program).is_none() {
            eprintln!("skipped: {program} isn't installed");
            continue;
        }
        let folder = stage.path("first");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(file), content).unwrap();
        stage.set(variable, value.replace("FOLDER", folder.to_str().unwrap()));
        let (_, guard, text) = GUARDS.into_iter().find(|it| it.0 == program).unwrap();
        fs::write(stage.path(guard), text).unwrap();
        let script = stage.path("own");
        fs::write(&script, format!("#!/usr/bin/env {program}\n{text}")).unwrap();
        fs::write(
            stage.path("wraps.sh"),
            format!("{program} {guard} || exit 2\n"),
        )
        .unwrap();
        fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
        let mut handlers = vec![
            Handler::command(format!("{program} {guard}")),
            Handler::command(format!("test -n x && exec {program} {guard}")),
            Handler::command("bash wraps.sh".to_owned()),
            alone(program, &[guard]),
            alone("env", &[program, guard]),
        ];
        if program != "php" {
            handlers.push(Handler::command("./own".to_owned()));
            handlers.push(alone("./own", &[]));
        }
        // The result is kept.
        let executor = stage.executor();
        for handler in handlers {
            let mut invocation = stage.invocation("");
            Arc::make_mut(&mut invocation.hook).handler = handler.clone();
            let completion = executor.execute(invocation).await;
            let named =
                matches!(&completion.ending, Ending::NotStarted(why) if why.contains(variable));
            let expected = if is_silenced {
                named
            } else {
                completion.ending == Ending::Exited(2)
            };
            assert!(
                expected,
                "{variable}={value}: {content}: {handler:?}: {completion:?}"
            );
        }
    }
}

/// IO-35: a hook whose own `env` silences its interpreter can't start either, and one that removes
/// the variable runs.
#[tokio::test]
async fn the_hooks_own_variables_count() {
    let mut stage = Stage::new();
    let first = stage.path("first.sh");
    fs::write(&first, "exit 0").unwrap();
    let first = first.to_str().unwrap().to_owned();
    for (persons, own, is_silenced) in [("", &*first, true), (&first, "", false)] {
        stage.set("BASH_ENV", persons);
        let mut invocation = stage.invocation("echo no >&2; exit 2");
        let hook = Arc::make_mut(&mut invocation.hook);
        hook.env.insert("BASH_ENV".to_owned(), own.to_owned());
        let completion = stage.executor().execute(invocation).await;
        match completion.ending {
            Ending::NotStarted(_) => assert!(is_silenced),
            ref other => assert!(
                !is_silenced && *other == Ending::Exited(2),
                "{completion:?}"
            ),
        }
    }
}

/// IO-35: a shell is judged by what it is itself: `sh` reads nothing that `BASH_ENV` names. A bash
/// function with the name of an interpreter replaces it only if bash starts it.
#[tokio::test]
async fn each_shell_is_tried_itself() {
    let mut stage = Stage::new();
    let first = stage.path("first.sh");
    fs::write(&first, "exit 0").unwrap();
    fs::write(stage.path("guard.sh"), "echo no >&2\nexit 2\n").unwrap();
    fs::write(stage.path("guard.pl"), "exit 2;\n").unwrap();
    stage.set("BASH_ENV", first.to_str().unwrap());
    let completion = run(&stage, alone("sh", &["guard.sh"])).await;
    assert_eq!(completion.ending, Ending::Exited(2), "{completion:?}");
    stage.set("BASH_ENV", "");
    stage.set("BASH_FUNC_perl%%", "() { :; }");
    let completion = run(&stage, alone("perl", &["guard.pl"])).await;
    assert_eq!(completion.ending, Ending::Exited(2), "{completion:?}");
    let completion = run(&stage, Handler::command("perl guard.pl".to_owned())).await;
    assert!(
        matches!(completion.ending, Ending::NotStarted(_)),
        "{completion:?}"
    );
}

/// IO-35: a hook that removes the variable, or makes its interpreter ignore all, isn't judged by
/// it; neither is an interpreter that is broken without it.
#[tokio::test]
async fn who_takes_care_of_a_variable_is_not_judged_by_it() {
    let mut stage = Stage::new();
    let folder = stage.path("first");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("sitecustomize.py"), "import os; os._exit(0)").unwrap();
    fs::write(stage.path("guard.py"), "import sys\nsys.exit(2)\n").unwrap();
    fs::write(
        stage.path("guard.sh"),
        "unset PYTHONPATH\npython3 guard.py || exit 2\n",
    )
    .unwrap();
    stage.set("PYTHONPATH", folder.to_str().unwrap());
    for handler in [
        Handler::command("env -u PYTHONPATH python3 guard.py".to_owned()),
        Handler::command("PYTHONPATH= python3 guard.py".to_owned()),
        Handler::command("python3 -I guard.py".to_owned()),
        Handler::command("bash guard.sh".to_owned()),
        alone(
            "env",
            &[
                "-i",
                &format!("PATH={}", path_of(&stage)),
                "python3",
                "guard.py",
            ],
        ),
        alone("python3", &["-E", "guard.py"]),
    ] {
        let completion = run(&stage, handler.clone()).await;
        assert_eq!(
            completion.ending,
            Ending::Exited(2),
            "{handler:?}: {completion:?}"
        );
    }
    let broken = stage.path("bin/perl");
    fs::create_dir(stage.path("bin")).unwrap();
    fs::write(&broken, "#!/bin/sh\nexit 5\n").unwrap();
    fs::set_permissions(&broken, Permissions::from_mode(0o755)).unwrap();
    stage.set("PERL5LIB", "/nowhere");
    let completion = run(&stage, alone(broken.to_str().unwrap(), &["x.pl"])).await;
    assert_eq!(completion.ending, Ending::Exited(5), "{completion:?}");
}

/// IO-35: merely naming a variable, or removing it after it has had its effect, isn't enough.
#[tokio::test]
async fn a_variable_that_is_named_is_still_minded() {
    let mut stage = Stage::new();
    let folder = stage.path("first");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("sitecustomize.py"), "import os; os._exit(0)").unwrap();
    fs::write(folder.join("first.sh"), "exit 0").unwrap();
    fs::write(stage.path("guard.py"), "import sys\nsys.exit(2)\n").unwrap();
    let texts = [
        (
            "named.sh",
            "# needs PYTHONPATH=, BASH_ENV and ENV\necho $PYTHONPATH >&2\npython3 guard.py || exit 2\n",
        ),
        ("late.sh", "unset BASH_ENV\nexit 2\n"),
        (
            "other.sh",
            "PYTHONPATH= true\nunset MY_PYTHONPATH\npython3 guard.py || exit 2\n",
        ),
    ];
    for (name, text) in texts {
        fs::write(stage.path(name), text).unwrap();
    }
    let python = folder.to_str().unwrap().to_owned();
    let shell = folder.join("first.sh").to_str().unwrap().to_owned();
    for (variable, value, handlers) in [
        (
            "PYTHONPATH",
            python,
            vec![
                Handler::command("python3 guard.py # PYTHONPATH=".to_owned()),
                Handler::command("echo PYTHONPATH=x >&2; python3 guard.py".to_owned()),
                Handler::command("export PYTHONPATH; python3 guard.py".to_owned()),
                Handler::command("bash named.sh".to_owned()),
                Handler::command("bash other.sh".to_owned()),
            ],
        ),
        (
            "BASH_ENV",
            shell,
            vec![
                Handler::command("unset BASH_ENV; exit 2".to_owned()),
                alone("bash", &["named.sh"]),
                alone("bash", &["late.sh"]),
            ],
        ),
    ] {
        for other in ["PYTHONPATH", "BASH_ENV"] {
            stage.set(other, "");
        }
        stage.set(variable, value);
        for handler in handlers {
            let completion = run(&stage, handler.clone()).await;
            let is_named =
                matches!(&completion.ending, Ending::NotStarted(why) if why.contains(variable));
            assert!(is_named, "{handler:?}: {completion:?}");
        }
    }
}

fn path_of(stage: &Stage) -> String {
    let mut variables = stage.surroundings.variables.iter();
    let path = variables.find(|(name, _)| name == "PATH").unwrap();
    path.1.to_string_lossy().into_owned()
}

/// IO-35: a library that is loaded into every program and ends it is noticed, even if no
/// interpreter takes part.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_library_that_ends_every_program_is_noticed() {
    let mut stage = Stage::new();
    let Some(compiler) = find_program(&stage.surroundings.variables, "cc") else {
        eprintln!("skipped: cc isn't installed");
        return;
    };
    for (text, is_silenced) in [
        (
            "#include <unistd.h>\n__attribute__((constructor)) static void f(void) { _exit(0); }\n",
            true,
        ),
        ("int f(void) { return 0; }\n", false),
    ] {
        let (source, library) = (stage.path("first.c"), stage.path("first.so"));
        fs::write(&source, text).unwrap();
        let built = std::process::Command::new(&compiler)
            .args(["-shared", "-fPIC", "-o"])
            .args([&library, &source])
            .status()
            .unwrap();
        assert!(built.success());
        stage.set("LD_PRELOAD", library.to_str().unwrap());
        let completion = run(&stage, alone("false", &[])).await;
        let is_named =
            matches!(&completion.ending, Ending::NotStarted(why) if why.contains("LD_PRELOAD"));
        assert_eq!(is_named, is_silenced, "{completion:?}");
    }
}
