//! What a condition can't mean.

use super::*;

fn tool(name: &str, arguments: Option<&'static [&'static str]>) -> NamedTool {
    NamedTool {
        name: name.to_owned(),
        arguments,
    }
}

fn doubts(text: &str) -> Vec<Doubt> {
    let tools = [
        tool("write_file", Some(&["file_path", "content"])),
        tool("run_shell_command", Some(&["command"])),
        tool("mcp__server__tool", None),
    ];
    let surroundings = Surroundings {
        event: "BeforeTool",
        absent: &["prompt"],
        tools: &tools,
    };
    Condition::read(text).expect(text).doubts(&surroundings)
}

/// HT-1: what a condition can't mean is found.
#[test]
fn what_is_never_true_is_found() {
    assert_eq!(doubts("false"), [Doubt::NeverTrue]);
    assert_eq!(doubts("1 == 2"), [Doubt::NeverTrue]);
    for text in [
        "tool.name == \"Write\"",
        "tool_name == 'Write' && tool.input.content != ''",
        "tool.name.matches(\"Write\")",
        "tool.name in [\"Write\"]",
        "!(tool.name == \"Write\")",
    ] {
        let found = doubts(text);
        assert!(
            found.contains(&Doubt::NoTool("Write".to_owned())),
            "{text}: {found:?}"
        );
    }
    let other = Doubt::OtherEvent("PreToolUse".to_owned());
    assert_eq!(doubts("event == \"PreToolUse\""), [other]);
    assert_eq!(
        doubts("prompt.contains(\"x\")"),
        [Doubt::Absent("prompt".to_owned())]
    );
    for text in ["tool.nmae == \"x\"", "session.session_id == \"x\""] {
        assert!(
            matches!(&doubts(text)[..], [Doubt::NoField { .. }]),
            "{text}"
        );
    }
    for text in [
        "tool.name == 'write_file' && has(tool.input.path)",
        "tool_name == 'write_file' && tool_input.filePath == 'x'",
    ] {
        assert!(
            matches!(&doubts(text)[..], [Doubt::NoField { .. }]),
            "{text}"
        );
    }
}

/// HT-1: a path relative to the working directory isn't the only name of its file.
#[test]
fn a_path_from_here_is_told() {
    for text in [
        "tool.input.file_path == './secret.txt'",
        "tool.input.file_path.startsWith('./config/')",
        "tool.input.file_path in ['./.env']",
    ] {
        assert!(
            matches!(&doubts(text)[..], [Doubt::Compared(_, Meant::Relative)]),
            "{text}"
        );
    }
    for text in [
        "tool.input.file_path.contains('./x')",
        "tool.input.command == './x.sh'",
    ] {
        assert_eq!(doubts(text), [], "{text}");
    }
}

/// HT-1: texts that are compared literally, but were meant as something else, are found; in a
/// condition about another event, nothing else is.
#[test]
fn what_is_compared_in_vain_is_found() {
    for (text, wildcard) in [
        ("tool.input.file_path == '*.txt'", "*.txt"),
        ("tool_input['file_path'] == '*.txt'", "*.txt"),
        ("tool_input.file_path in ['a', '*.env']", "*.env"),
        ("tool_input.file_path.startsWith('*')", "*"),
        ("tool_input.file_path.lower().endsWith('*.env')", "*.env"),
        ("tool.input.file_path.contains('.*')", ".*"),
        ("tool.name == 'mcp__server__*'", "mcp__server__*"),
        ("!(tool.input.file_path == 'src/*')", "src/*"),
        ("tool.input.command.contains('.*')", ".*"),
        ("shell.commands.exists(it, it.program == 'git*')", "git*"),
    ] {
        assert_eq!(
            doubts(text),
            [Doubt::Compared(wildcard.to_owned(), Meant::Wildcard)],
            "{text}"
        );
    }
    for (text, doubt) in [
        ("tool.input.file_path == '^.*[.]txt$'", "^.*[.]txt$"),
        ("tool.input.file_path.startsWith('^out')", "^out"),
        ("tool.input.file_path.endsWith('txt$')", "txt$"),
        ("tool.input.file_path.contains('out|in')", "out|in"),
        ("tool.input.command.startsWith('^rm')", "^rm"),
    ] {
        let found = doubts(text);
        let is_told = matches!(&found[..], [Doubt::Compared(it, Meant::Expression | Meant::Wildcard)] if it == doubt);
        assert!(is_told, "{text}: {found:?}");
    }
    for text in [
        "tool.input.file_path.startsWith('~/.ssh')",
        "tool.input.file_path == '$HOME/x'",
        "tool.input.file_path.startsWith('${HOME}/')",
    ] {
        assert!(
            matches!(&doubts(text)[..], [Doubt::Compared(_, Meant::Folder)]),
            "{text}"
        );
    }
    for text in [
        "tool.input.file_path.lower() == 'OUT.txt'",
        "tool.input.command.lower().contains('DROP TABLE')",
        "tool.input.command.upperAscii().contains('drop')",
        "tool.input.file_path.lower() in ['README.md']",
    ] {
        assert!(
            matches!(&doubts(text)[..], [Doubt::Compared(_, Meant::OtherCase)]),
            "{text}"
        );
    }
    for text in [
        "tool.input.file_path == 'a' && tool.input.file_path == 'b'",
        "tool.input.file_path in []",
        "tool.input.file_path == 5",
        "tool.input.command == true",
    ] {
        assert_eq!(doubts(text), [Doubt::NeverTrue], "{text}");
    }
    // A part about another event isn't examined further.
    for text in [
        "event == 'PreToolUse' && prompt.contains('x')",
        "prompt.contains('x') && (true && event == 'PreToolUse')",
    ] {
        let other = Doubt::OtherEvent("PreToolUse".to_owned());
        assert_eq!(doubts(text), [other], "{text}");
    }
}

/// HT-1: what may be true is left alone.
#[test]
fn what_may_be_true_is_left_alone() {
    for text in [
        "true",
        "tool.name == \"write_file\"",
        "tool.name != \"Write\"",
        "tool.name in [\"Write\", \"write_file\"]",
        "tool.name == \"Write\" || tool.name == \"write_file\"",
        "has(tool_input.path) || has(tool_input.file_path)",
        "tool.name.startsWith(\"mcp__other__\")",
        "tool.name.matches(\"^(write_file|replace)$\")",
        "has(tool.input.path)",
        "tool.name == 'write_file' && tool.input.file_path.endsWith('.env')",
        "event == \"BeforeTool\"",
        "shell.commands.exists(it, it.program == \"rm\")",
        "size(tool.input.content) > 10",
        "event == 'AfterTool' || tool.name == 'write_file'",
        "event != 'BeforeTool' && prompt == 'x'",
        "!(event == 'AfterTool' && tool.name == 'write_file')",
        "tool.input.content == '*'",
        "tool.input.command == 'rm *'",
        "tool.input.command.contains('rm .*')",
        "tool.input.command.contains('*')",
        "tool.input.file_path.glob('*.txt')",
        "tool.input.file_path == 'a' || tool.input.file_path == 'b'",
        "tool.input.file_path == 'a' && tool.input.content == 'b'",
        "tool.input.file_path.lower() == 'out.txt'",
        "tool.input.file_path.contains('OUT')",
        "tool.input.command.contains('a | b')",
        "tool.input.command.contains('$HOME')",
        "tool.input.file_path.startsWith('~/') || tool.input.file_path.startsWith('/home/')",
        "tool.input.command.contains('^')",
        "tool.input.file_path.endsWith('.txt')",
        "tool.input.file_path.matches('.*[.]txt$')",
    ] {
        assert_eq!(doubts(text), [], "{text}");
    }
}

/// HT-1: a mistake is found where it is, not where the same letters are part of something else.
#[test]
fn mistakes_have_their_column() {
    for (text, column) in [
        ("promptx == 'a'", 1),
        ("prompt == 'promptx' && promptx == 'a'", 24),
        ("prompt == 'exist(1)' && exist(prompt)", 25),
        ("prompt.exist('a')", 8),
        ("prompt . exist ('a')", 10),
        ("prompt.matches('(')", 17),
        ("'ä' == prompt && promptx == ''", 18),
        ("prompt == ", 11),
        ("prompt ==", 10),
        ("prompt == 'a')", 14),
        ("prompt 'a'", 8),
        ("prompt == 'a", 11),
        ("'ä' == prompt && prompt = ''", 25),
        ("prompt == 'a' &&\n  prompt = ''", 27),
    ] {
        let error = Condition::read(text).expect_err(text);
        assert_eq!(error.column, column, "{text}: {error}");
    }
}

/// HT-1, CM-3: what a condition can't mean is found where it is.
#[test]
fn doubts_have_their_column() {
    let tools = [tool("write_file", Some(&["file_path", "content"]))];
    let surroundings = Surroundings {
        event: "BeforeTool",
        absent: &["prompt"],
        tools: &tools,
    };
    for (text, column) in [
        ("  1 == 2", 3),
        ("tool.name == 'Write'", 15),
        ("tool_name == 'write_file' && tool_input.command == 'x'", 41),
        ("prompt.contains('x')", 1),
        ("'prompt' != '' && prompt.contains('x')", 19),
        ("event == \"PreToolUse\"", 11),
        ("paths.exists(it, it.use == 'modify')", 29),
        ("tool.input.file_path == '*.txt'", 26),
    ] {
        let condition = Condition::read(text).expect(text);
        let doubts = condition.doubts(&surroundings);
        let found = doubts.iter().map(|it| condition.column_of(it));
        assert_eq!(found.collect::<Vec<_>>(), [column], "{text}: {doubts:?}");
    }
}

/// HT-1: a pattern that can't match, or that was written for another place, is found.
#[test]
fn patterns_that_match_nothing_are_found() {
    for (text, meant) in [
        (r"tool.input.command.matches('\brm\b')", Meant::Escape),
        (r"tool.input.content.matches('\fx|\bx')", Meant::Escape),
        ("tool.input.command.matches('/rm -rf/')", Meant::Delimited),
        ("tool.input.command.matches('/^rm/')", Meant::Delimited),
        ("tool.input.command.matches('/sudo/')", Meant::Delimited),
        (
            "tool.input.command.matches('/(rm|shred)/')",
            Meant::Delimited,
        ),
        ("tool.input.command.matches('/rm/i')", Meant::Delimited),
        (r"tool.input.command.matches(r'/\brm/')", Meant::Delimited),
        (
            "tool.input.command.matches('/(curl|wget) /')",
            Meant::Delimited,
        ),
        (
            "tool.input.file_path.matches('/[.]env$/')",
            Meant::Delimited,
        ),
        ("tool.input.content.matches('/key=.*/')", Meant::Delimited),
        ("tool.name.matches('/^write/')", Meant::Delimited),
        ("tool.input.command.matches('sudo ^rm')", Meant::Impossible),
        ("tool.input.command.matches('rm$ -rf')", Meant::Impossible),
        (
            "tool.input.command.matches('(rm$ x|dd$ y)')",
            Meant::Impossible,
        ),
        (r"tool.input.command.matches(r'[^\s\S]')", Meant::Impossible),
        ("tool.input.file_path.matches('src/*.py')", Meant::Glob),
        ("tool.input.file_path.matches('src/**/*.py')", Meant::Glob),
        ("tool.input.file_path.matches('^~/[.]ssh')", Meant::Folder),
        ("tool.input.file_path.matches('$HOME/x')", Meant::Folder),
        ("tool.input.command.matches('rm(?i)')", Meant::LateFlag),
        (
            "tool.input.command.lowerAscii().matches('^RM')",
            Meant::OtherCase,
        ),
        (
            "tool.input.command.upperAscii().matches('rm|dd')",
            Meant::OtherCase,
        ),
        ("'rm'.matches(tool.input.command)", Meant::Swapped),
        ("'rm -rf'.contains(tool.input.command)", Meant::Swapped),
        ("'/etc'.startsWith(tool.input.file_path)", Meant::Swapped),
        ("tool.input.command.contains('(?i)rm')", Meant::Expression),
        (r"tool.input.command.startsWith(r'rm\s')", Meant::Expression),
    ] {
        let found = doubts(text);
        let is_told = matches!(&found[..], [Doubt::Compared(_, it)] if *it == meant);
        assert!(is_told, "{text}: {found:?}");
    }
    for text in [
        r"tool.input.command.matches(r'\brm\b')",
        r"tool.input.command.matches('\\brm\\b')",
        "tool.input.command.matches('/etc/')",
        "tool.input.command.matches('/vendor/')",
        "tool.input.command.matches('/etc/(passwd|shadow)')",
        "tool.input.command.matches(' /dev/sd[a-z] ')",
        "tool.input.file_path.matches('/secrets/')",
        "tool.input.file_path.matches('(^|/)[.]env$')",
        "tool.input.file_path.matches('^$|^/etc')",
        "tool.input.file_path.matches('/?src/')",
        "tool.input.command.matches('(?i)rm')",
        "tool.input.command.matches('sudo (?i)rm')",
        "tool.input.command.matches('^rm.*$')",
        r"tool.input.command.matches(r'(?m)x\n^rm')",
        "tool.input.command.lowerAscii().matches('^rm|DD')",
        "tool.input.command.lowerAscii().matches('(?i)RM')",
        r"tool.input.content.matches('[\\u0000-\\u001f]')",
        "'main develop'.contains(tool.input.branch)",
        "tool.input.command.contains('sed s/a/b/i')",
    ] {
        assert_eq!(doubts(text), [], "{text}");
    }
}

/// HT-1: a search for a part of a path or a command in a place where it never occurs is found.
#[test]
fn parts_that_a_field_never_has_are_found() {
    for text in [
        "shell.commands.exists(c, c.program == '/bin/rm')",
        "shell.commands.exists(c, c.program.endsWith('/rm'))",
        "shell.commands.exists(c, c.program.matches('/rm$|/dd$'))",
        "shell.commands.exists(c, c.program.startsWith('rm '))",
        "shell.commands.exists(c, c.program.matches('git push'))",
        "paths.exists(p, p.name.contains('secrets/'))",
        "paths.exists(p, p.name.matches('secrets/[.]env'))",
        "paths.exists(p, p.path.startsWith('src/'))",
        "paths.exists(p, p.path.matches('^src/'))",
        "paths.exists(p, p.path.matches('^[.]env'))",
    ] {
        let found = doubts(text);
        assert!(
            matches!(&found[..], [Doubt::NeverHeld { .. }]),
            "{text}: {found:?}"
        );
    }
    for text in [
        "shell.commands.exists(c, c.program.matches('^(rm|dd)$'))",
        "shell.commands.exists(c, c.program.startsWith('git'))",
        "paths.exists(p, p.name.matches('^[.]env(/|$)'))",
        "paths.exists(p, p.path.startsWith('/etc/'))",
        "paths.exists(p, p.path.startsWith('C:/'))",
        "paths.exists(p, p.path.matches('^/etc/'))",
        "paths.exists(p, p.path.matches('src/'))",
    ] {
        assert_eq!(doubts(text), [], "{text}");
    }
}
