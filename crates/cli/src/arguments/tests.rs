use hookloop_agent::ApprovalMode;

use super::*;

fn read(line: &str) -> Result<Arguments, clap::Error> {
    Arguments::read(line.split(' ').map(OsString::from).collect())
}

fn session(line: &str) -> Options {
    match read(line).unwrap().action {
        Action::Session(options) => *options,
        other => panic!("{other:?}"),
    }
}

fn command(line: &str) -> TopCommand {
    match read(line).unwrap().action {
        Action::Command(command) => *command,
        other => panic!("{other:?}"),
    }
}

fn kind(line: &str) -> ErrorKind {
    read(line).unwrap_err().kind()
}

/// AG-CLI-1: options take `--k v` and `--k=v`.
#[test]
fn options_take_their_value_in_two_ways() {
    assert_eq!(session("hookloop --model x").model.as_deref(), Some("x"));
    assert_eq!(session("hookloop --model=x").model.as_deref(), Some("x"));
    assert_eq!(session("hookloop -m x").model.as_deref(), Some("x"));
}

/// AG-CLI-1: the words of a prompt aren't commands, whatever they are.
#[test]
fn words_of_a_prompt_are_not_commands() {
    assert_eq!(
        session("hookloop list my hooks").words,
        ["list", "my", "hooks"]
    );
    assert_eq!(
        session("hookloop -p hooks").prompt.as_deref(),
        Some("hooks")
    );
}

/// AG-CLI-2: every option of a session is known.
#[test]
fn every_option_is_known() {
    let line = "hookloop -m x --approval-mode auto_edit -o stream-json -r 3 --list-sessions \
        --delete-session 1 --skip-trust -e a,b --include-directories d --policy f --allowed-tools t \
        -d --fake-responses f --fake-responses-non-strict --record-responses r --no-hooks -p hi";
    let words = line.split_whitespace().map(OsString::from).collect();
    let arguments = Arguments::read(words).unwrap();
    assert_eq!(arguments.run.extensions, ["a", "b"]);
    assert!(arguments.run.skip_trust && arguments.run.no_hooks);
    assert_eq!(
        session("hookloop -y").approval_mode,
        Some(ApprovalMode::Yolo)
    );
    assert_eq!(
        session("hookloop --resume").resume.as_deref(),
        Some("latest")
    );
    assert_eq!(
        session("hookloop -i hi").prompt_interactive.as_deref(),
        Some("hi")
    );
}

/// CM-9: unknown subcommands and options are usage errors.
#[test]
fn unknown_words_are_usage_errors() {
    assert_eq!(kind("hookloop --bogus"), ErrorKind::UnknownArgument);
    assert_eq!(kind("hookloop hooks bogus"), ErrorKind::InvalidSubcommand);
    assert_eq!(
        kind("hookloop hooks list --strict"),
        ErrorKind::UnknownArgument
    );
    assert_eq!(
        kind("hookloop hooks why"),
        ErrorKind::MissingRequiredArgument
    );
}

/// CM-9: options that would be without effect are usage errors.
#[test]
fn options_without_effect_are_usage_errors() {
    assert_eq!(
        kind("hookloop -m x hooks list"),
        ErrorKind::ArgumentConflict
    );
    assert_eq!(
        kind("hookloop hooks trust --skip-trust"),
        ErrorKind::ArgumentConflict
    );
    assert_eq!(
        kind("hookloop --no-hooks hooks untrust x"),
        ErrorKind::ArgumentConflict
    );
}

/// CM-1: the options of a run are accepted before and after the command.
#[test]
fn options_of_a_run_may_be_anywhere() {
    for line in [
        "hookloop --skip-trust hooks list",
        "hookloop hooks list --skip-trust",
    ] {
        let arguments = read(line).unwrap();
        assert!(arguments.run.skip_trust, "{line}");
        assert!(matches!(command(line), TopCommand::Hooks(_)), "{line}");
    }
}

/// CM-1: `panel`, `list`, `show` and a bare `hooks` are the same, each with `--json`.
#[test]
fn the_list_has_four_names() {
    for line in [
        "hooks --json",
        "hooks list --json",
        "hooks --json panel",
        "hooks show --json",
    ] {
        let TopCommand::Hooks(hooks) = command(&format!("hookloop {line}")) else {
            panic!("{line}");
        };
        assert!(hooks.json, "{line}");
        assert!(
            matches!(hooks.command, None | Some(HooksCommand::List)),
            "{line}"
        );
    }
}

/// The definition of the command line is sound.
#[test]
fn the_definition_is_sound() {
    CommandLine::command().debug_assert();
}

/// CM-9: a word that is a command, or nearly one, isn't a prompt; nor is a command with valid
/// arguments.
#[test]
fn commands_are_not_sent_to_a_model() {
    for line in [
        "check",
        "trust",
        "fire",
        "chek",
        "list",
        "skill",
        "hooks2",
        "trust my-guard",
        "fire BeforeTool",
        "-m x check",
    ] {
        let line = format!("hookloop {line}");
        assert_eq!(kind(&line), ErrorKind::InvalidSubcommand, "{line}");
    }
    let error = read("hookloop check").unwrap_err().to_string();
    assert!(error.contains("hookloop hooks check"), "{error}");
    for line in [
        "list my hooks",
        "explain",
        "-p check",
        "test the code",
        "-i trust",
    ] {
        let line = format!("hookloop {line}");
        assert!(
            matches!(read(&line).unwrap().action, Action::Session(_)),
            "{line}"
        );
    }
    let words = ["hookloop", "check this"].map(OsString::from).to_vec();
    assert!(matches!(
        Arguments::read(words).unwrap().action,
        Action::Session(_)
    ));
    assert!(matches!(
        command("hookloop hook check"),
        TopCommand::Hooks(_)
    ));
}

/// AG-CLI-7: options of the reference are known, also before commands.
#[test]
fn options_of_the_reference_are_known() {
    let options = session(
        "hookloop --session-id s1 --allowed-mcp-server-names a,b --fake-responses-non-strict f -p x",
    );
    assert_eq!(options.session_id.as_deref(), Some("s1"));
    assert_eq!(options.allowed_mcp_servers, ["a", "b"]);
    let answers = options.answers.unwrap();
    assert_eq!(answers.file.to_str(), Some("f"));
    assert_eq!(answers.matching, hookloop_model::Matching::ByMethod);
    for line in ["--debug extensions list", "--list-extensions"] {
        let command = command(&format!("hookloop {line}"));
        assert!(matches!(command, TopCommand::ManageExtensions(_)), "{line}");
    }
    assert!(matches!(command("hookloop mcp list"), TopCommand::Mcp(_)));
}

/// CM-9: every command has one name, whatever alias is used; a group alone lists.
#[test]
fn every_command_has_one_name() {
    for (line, name) in [
        ("hooks", "hooks list"),
        ("hook show --json", "hooks list"),
        ("hooks disable-all", "hooks disable-all"),
        ("guard add x", "guards add"),
        ("bridge", "bridge list"),
        ("extension link x", "extensions link"),
        ("--list-extensions", "extensions list"),
        ("audit verify", "audit verify"),
        ("mcp", "mcp list"),
        ("skills uninstall x", "skills uninstall"),
        ("dashboard", "dashboard"),
        ("-p hooks", ""),
    ] {
        assert_eq!(read(&format!("hookloop {line}")).unwrap().name, name);
    }
}

/// BR-31: a call is parsed without the grammar of all commands, with the same result.
#[test]
fn a_call_of_an_agent_is_understood_alone_as_by_the_grammar_of_all_commands() {
    let call = "hookloop hooks bridge claude-code PreToolUse";
    let rests = [
        "",
        " --raw",
        " --timeout 5",
        " --timeout=0.5 --raw --state f",
        " --unawaited f",
        " --timeout 0",
        " --timeout x",
        " --json",
        " --no-hooks",
        " --skip-trust",
        " -e a",
        " --help",
        " -h",
        " --debug",
        " --unknown",
        " one more",
        " --",
        " -- --raw",
    ];
    for rest in rests {
        let line = format!("{call}{rest}");
        let words: Vec<_> = line.split(' ').map(OsString::from).collect();
        let whole = Arguments::parse_full(words.clone());
        let read = Arguments::read(words);
        assert_eq!(format!("{read:?}"), format!("{whole:?}"), "{line}");
    }
    let is_alone = |line: &str| {
        let words: Vec<_> = line.split(' ').map(OsString::from).collect();
        call_of_agent(&words).is_some()
    };
    assert!(is_alone(&format!("{call} --timeout 5")));
    assert!(!is_alone("hookloop hooks list"));
    assert!(!is_alone("hookloop bridge list"));
}
