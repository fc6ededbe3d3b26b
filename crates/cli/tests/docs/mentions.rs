//! Commands and links in running text.

use hookloop_testkit::Sandbox;

/// Checks the commands in code spans against the program's own help; returns how many there are.
pub(crate) fn check(name: &str, page: &str) -> usize {
    let sandbox = Sandbox::new();
    let commands = spans(page)
        .into_iter()
        .filter(|span| span.starts_with("hookloop "));
    let mut count = 0;
    for span in commands {
        let words: Vec<&str> = span.split_whitespace().skip(1).collect();
        let is_name = |word: &&&str| word.chars().all(|it| it.is_ascii_lowercase() || it == '-');
        let path = words
            .iter()
            .take_while(|word| !word.starts_with('-'))
            .take(2);
        let path: Vec<&str> = path.take_while(is_name).copied().collect();
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        let help = sandbox.run(command.args(&path).arg("--help"), b"");
        assert_eq!(help.code, Some(0), "{name}: `{span}`: {}", help.stderr);
        for option in words.iter().filter(|word| word.starts_with("--")) {
            let known = help
                .stdout
                .split(|it: char| !(it.is_ascii_alphanumeric() || it == '-'));
            let mut known = known.filter(|word| word.starts_with("--"));
            assert!(known.any(|it| it == *option), "{name}: `{span}`: {option}");
        }
        count += 1;
    }
    count
}

/// Returns the commands that the help of a group lists.
pub(crate) fn commands_of(group: &str) -> Vec<String> {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    let help = sandbox.run(command.args([group, "--help"]), b"").stdout;
    let (_, rest) = help.split_once("Commands:\n").unwrap();
    let lines = rest.lines().take_while(|line| !line.is_empty());
    // A continuation in a second line is indented further.
    let lines = lines.filter(|line| !line.starts_with("   "));
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Returns the texts between backticks, outside of fenced blocks.
fn spans(page: &str) -> Vec<&str> {
    let outside = page.split("\n```").step_by(2);
    outside
        .flat_map(|text| text.split('\n'))
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .collect()
}
