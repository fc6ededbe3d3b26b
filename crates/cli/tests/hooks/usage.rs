use crate::world::World;

/// CM-9: unknown subcommands and options are usage errors, with nothing on standard output.
#[test]
fn usage_errors_exit_with_2_and_print_nothing() {
    let world = World::new();
    let lines: [&[&str]; 9] = [
        &["hooks", "bogus"],
        &["hooks", "bogus", "--json"],
        &["hooks", "list", "--bogus", "--json"],
        &["hooks", "why", "--json"],
        &["hooks", "fire"],
        &["hooks", "check", "extra"],
        &["hooks", "trust", "--skip-trust"],
        &["--bogus"],
        &["--model", "x", "hooks", "list"],
    ];
    for line in lines {
        let finished = world.run_with(line, &[], "");
        assert_eq!(finished.code, Some(2), "{line:?}");
        assert_eq!(finished.stdout, "", "{line:?}");
        assert!(
            finished.stderr.contains("error:"),
            "{line:?}: {}",
            finished.stderr
        );
    }
}

/// CM-9: help and version aren't errors.
#[test]
fn help_and_version_are_not_errors() {
    let world = World::new();
    for line in [
        &["--version"][..],
        &["-v"],
        &["--help"],
        &["hooks", "--help"],
        &["hooks", "fire", "-h"],
    ] {
        let finished = world.run_with(line, &[], "");
        assert_eq!(finished.code, Some(0), "{line:?}");
        assert!(
            !finished.stdout.is_empty() && finished.stderr.is_empty(),
            "{line:?}"
        );
    }
    let version = world.run_with(&["--version"], &[], "").stdout;
    assert_eq!(version, format!("hookloop {}\n", env!("CARGO_PKG_VERSION")));
}

/// CM-9: a hidden command isn't offered.
#[test]
fn hidden_commands_are_not_offered() {
    let help = World::new().run_with(&["--help"], &[], "").stdout;
    assert!(
        help.contains("hooks") && !help.contains("__watch"),
        "{help}"
    );
}

/// ST-1: without a home folder the program says so, and does nothing.
#[test]
fn without_a_home_folder_nothing_works() {
    let world = World::new();
    let variables = [("HOME", ""), ("USERPROFILE", "")];
    let finished = world.run_with(&["hooks", "list", "--json"], &variables, "");
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(1), ""));
    assert!(finished.stderr.contains("HOME"), "{}", finished.stderr);
}
