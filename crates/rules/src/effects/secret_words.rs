//! Words of a command that don't name a file: what a search looks for, what is excluded, names of
//! tests, text of messages.

use hookloop_shell::{Command, Word};

/// Programs that run tests, or start one that does.
const RUNNERS: &[&str] = &[
    "jest",
    "vitest",
    "mocha",
    "playwright",
    "rspec",
    "pytest",
    "py.test",
    "go",
    "ava",
    "cypress",
    "phpunit",
    "npx",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "bunx",
    "deno",
    "cargo",
    "ctest",
    "mix",
    "dotnet",
    "gradle",
    "gradlew",
    "mvn",
    "minitest",
    "ruby",
    "rails",
    "tap",
    "jasmine",
    "karma",
    "swift",
    "flutter",
    "dart",
    "python",
    "python3",
    "pest",
    "gotestsum",
    "nextest",
    "node",
    "tsx",
];

/// Returns the names with which a command selects tests: `jest -t "reads .env"`.
pub(super) fn tests_named(command: &Command) -> Vec<&str> {
    let flags: &[&str] = match command.program.as_str() {
        "python" | "python3" => &["-k"],
        "node" | "tsx" => &["--test-name-pattern"],
        "ruby" | "rails" => &["-n", "--name"],
        _ => &[
            "-t",
            "-g",
            "--grep",
            "-k",
            "-run",
            "--run",
            "-e",
            "--testNamePattern",
            "--filter",
            "-m",
            "--match",
            "-f",
            "--example",
            "-R",
            "--tests",
            "--test-name-pattern",
            "-E",
            "-skip",
            "--grep-invert",
            "-fgrep",
        ],
    };
    if !RUNNERS.contains(&command.program.as_str()) {
        return Vec::new();
    }
    let pairs = command.words.windows(2);
    let behind = pairs.filter(|it| flags.contains(&it[0].text.as_str()));
    let mut names: Vec<&str> = behind.map(|it| it[1].text.as_str()).collect();
    let subcommand = command.subcommand.as_deref().unwrap_or("");
    // The operand of `cargo test` is part of the name of a test.
    if command.program == "cargo" && ["test", "nextest run", "nextest", "t"].contains(&subcommand) {
        names.extend(command.operands().map(|it| it.text.as_str()));
    }
    names
}

/// Returns what a search looks for: that isn't the name of a file.
pub(super) fn search_pattern(command: &Command) -> Option<&str> {
    // The first operand of a search is the pattern.
    let searches = ["grep", "egrep", "fgrep", "rg", "ag", "ack", "ugrep"];
    let is_search = searches.contains(&command.program.as_str())
        && !["-e", "-f", "--regexp", "--file"]
            .iter()
            .any(|it| command.has_flag(it));
    (is_search || command.name() == "git grep")
        .then(|| command.operands().next().map(|it| it.text.as_str()))
        .flatten()
        // A word after `--` is always a file.
        .filter(|looked_for| {
            let mut behind = command.words.iter().skip_while(|it| it.text != "--");
            !behind.any(|it| it.text == *looked_for)
        })
}

/// Returns the names that options of archivers and the like exclude.
pub(super) fn excluded_names(command: &Command) -> Vec<&str> {
    let archives = ["zip", "7z", "7za"].contains(&command.program.as_str());
    let behind = command.words.windows(2).filter_map(|pair| {
        let leaves_out = ["--exclude", "--exclude-dir", "--ignore-pattern", "--ignore"]
            .contains(&pair[0].text.as_str())
            || archives && pair[0].text == "-x";
        leaves_out.then_some(pair[1].text.as_str())
    });
    let negated = command.words_after_program().iter().filter_map(|it| {
        let text = it.text.as_str();
        text.strip_prefix("--exclude=")
            .or_else(|| text.starts_with('!').then_some(text))
    });
    // `git add . ':!.env'`
    let pathspecs = command.words_after_program().iter().filter_map(|it| {
        let rest = it.text.strip_prefix(':')?;
        (rest.starts_with(['!', '^']) || rest.starts_with("(exclude")).then_some(rest)
    });
    let whole = command.texts_after_program();
    let leaves_out = [":!", ":^", ":(exclude"];
    let whole = whole.filter(|text| leaves_out.iter().any(|it| text.starts_with(it)));
    behind
        .chain(negated)
        .chain(pathspecs)
        .chain(whole)
        .collect()
}

/// Returns the operands of a git command, without messages about them: `-m "Ignore .env"`.
pub(super) fn with_no_message(command: &Command) -> impl Iterator<Item = &Word> {
    let valued = [
        "-m",
        "--message",
        "-F",
        "--author",
        "--date",
        "-C",
        "-c",
        "--grep",
        "-S",
        "-G",
    ];
    let behind = move |at: usize| {
        let before = at.checked_sub(1).and_then(|it| command.arguments().get(it));
        before.is_some_and(|it| valued.contains(&it.text.as_str()))
    };
    let words = command.arguments().iter().enumerate();
    let kept = words.filter(move |(at, it)| !behind(*at) && !it.text.starts_with("--"));
    kept.map(|(_, it)| it).filter(|it| !it.text.contains(' '))
}
