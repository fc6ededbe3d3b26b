//! Guards that let another process decide, and ignore how it ended (CM-3, IO-13).

use super::source::{Call, Source};
use super::{Flaw, exits_with_two, may_refuse_here};
use crate::refusal::Language;

/// What starts a process and returns its result.
const STARTS: [(Language, &str); 9] = [
    (Language::Python, "subprocess.run"),
    (Language::Python, "subprocess.call"),
    (Language::Python, "subprocess.Popen"),
    (Language::Python, "os.system"),
    (Language::JavaScript, "exec"),
    (Language::JavaScript, "execFile"),
    (Language::JavaScript, "spawn"),
    (Language::JavaScript, "spawnSync"),
    (Language::JavaScript, "Worker"),
];

/// Looks for a process that refuses with exit code 2, whose code is ignored.
pub(super) fn find(source: &Source<'_>) -> Option<Flaw> {
    let own = STARTS
        .iter()
        .filter(|(language, _)| *language == source.language);
    own.into_iter().find_map(|(_, name)| {
        let mut calls = source.calls(name);
        calls.find_map(|call| check_call(source, name, &call))
    })
}

fn check_call(source: &Source<'_>, name: &str, call: &Call<'_>) -> Option<Flaw> {
    let start = statement_start(source, call.start);
    let written = &source.text[call.start..call.end];
    let refuses = call.arguments.iter().any(|it| is_text_that_refuses(it));
    let checks = written.contains("check=True") || written.contains("check = True");
    let rest = source.text_without(start..call.end);
    let looks = [
        ".on(",
        "returncode",
        ".status",
        "poll(",
        ".wait(",
        "communicate(",
    ];
    let is_looked_at = looks.iter().any(|it| rest.contains(it));
    if !refuses || checks || is_looked_at || takes_code(call) || may_refuse_here(&rest) {
        return None;
    }
    if !source.is_dropped(start, call.end) {
        return None;
    }
    let line = source.line_of(call.start);
    if name == "Worker" {
        let why = "the exit code of a worker ends only the worker's thread";
        let help = "write .on('exit', (code) => process.exit(code)) after it, or refuse in the program itself";
        return Some(Flaw::new(line, why, help));
    }
    let help = match source.language {
        Language::Python if name == "os.system" => {
            "write sys.exit(os.waitstatus_to_exitcode(os.system(…)))".to_owned()
        }
        Language::Python => "write sys.exit(subprocess.run(…).returncode)".to_owned(),
        _ => "write process.exit(spawnSync(…).status)".to_owned(),
    };
    let why = format!("what \"{name}\" starts refuses with exit code 2, and its code is ignored");
    Some(Flaw::new(line, why, help))
}

/// Returns whether a function that is called at the end receives the code.
fn takes_code(call: &Call<'_>) -> bool {
    let Some(last) = call.arguments.last() else {
        return false;
    };
    let is_function = last.contains("=>") || last.starts_with("function");
    let parameters = last.trim_start_matches("function").trim_start();
    let has_none = parameters.starts_with("()") || parameters.starts_with("( )");
    let is_name = last.chars().all(super::source::is_part) && call.arguments.len() > 1;
    is_function && !has_none || is_name
}

/// Returns whether an argument contains a text in quotes that ends with 2.
fn is_text_that_refuses(argument: &str) -> bool {
    let parts = argument.split(['"', '\'', '`']);
    let quoted = parts.skip(1).step_by(2);
    let mut quoted = quoted.map(|it| it.replace([';', '&', '|', '{'], "\n"));
    quoted.any(|it| exits_with_two(&it))
}

/// Returns where the statement that ends with a call begins: `require('child_process').exec(…)`.
fn statement_start(source: &Source<'_>, at: usize) -> usize {
    let before = &source.plain[..at];
    let trimmed = before.trim_end_matches(|it: char| {
        super::source::is_part(it) || matches!(it, '.' | '(' | ')' | '\'' | '"')
    });
    let start = &before[trimmed.len()..];
    let start = if start.starts_with(')') {
        before.len()
    } else {
        trimmed.len()
    };
    if source.plain[..start].ends_with("new ") {
        start - 4
    } else {
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(language: Language, text: &str) -> bool {
        find(&Source::read(text, language)).is_some()
    }

    /// CM-3: a process whose refusal is ignored is found, and one whose code counts isn't.
    #[test]
    fn codes_of_processes_that_nobody_takes_are_found() {
        use Language::{JavaScript, Python};
        for (language, text) in [
            (
                Python,
                "subprocess.run(['bash','-c','[[ \"$1\" == *rm* ]] && exit 2 || exit 0','-',cmd])",
            ),
            (Python, "os.system('case x in rm*) exit 2;; esac')\n"),
            (
                Python,
                "import subprocess\nif x:\n    subprocess.call(['sh', '-c', 'exit 2'])\n",
            ),
            (
                JavaScript,
                "require('child_process').exec('exit 2',()=>{});",
            ),
            (
                JavaScript,
                "const {spawnSync} = require('child_process');\nspawnSync('bash', ['-c', 'exit 2']);",
            ),
            (JavaScript, "new Worker(`process.exit(2)`,{eval:true});"),
        ] {
            assert!(found(language, text), "{text}");
        }
        for (language, text) in [
            (
                Python,
                "subprocess.run(['bash', '-c', 'exit 2'], check=True)",
            ),
            (
                Python,
                "sys.exit(subprocess.run(['bash', '-c', 'exit 2']).returncode)",
            ),
            (
                Python,
                "code = subprocess.call(['bash', '-c', 'exit 2'])\nsys.exit(code)",
            ),
            (Python, "subprocess.run(['notify-send', 'a tool runs'])"),
            (Python, "os.system('x || exit 2')\nsys.exit(2)"),
            (
                JavaScript,
                "exec('exit 2', (error) => process.exit(error ? 2 : 0));",
            ),
            (
                JavaScript,
                "const child = spawn('sh', ['-c', 'exit 2']);\nchild.on('exit', (c) => process.exit(c));",
            ),
            (
                JavaScript,
                "process.exit(spawnSync('sh', ['-c', 'exit 2']).status);",
            ),
            (
                JavaScript,
                "new Worker('process.exit(2)', {eval: true}).on('exit', (c) => process.exit(c));",
            ),
            (JavaScript, "exec('git fetch', () => {});"),
        ] {
            assert!(!found(language, text), "{text}");
        }
    }
}
