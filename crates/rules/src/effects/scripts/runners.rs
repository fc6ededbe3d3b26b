//! Tasks that are written in the language of their runner: rake, invoke, nox, doit, gulp, gradle,
//! tox.

use hookloop_shell::join;

use super::{Project, after_options};

/// How many tasks are followed.
const MAX_TASKS: usize = 16;

/// A runner of tasks.
struct Runner {
    programs: &'static [&'static str],
    files: &'static [&'static str],
    /// Options that have a value.
    valued: &'static [&'static str],
    /// Options with which nothing is run.
    looks: &'static [&'static str],
    /// What a task's first line contains, with `NAME` for its name.
    heads: &'static [&'static str],
    /// An interpreter whose strings and calls look the same, and its option for program text.
    reads: [&'static str; 2],
}

const RUNNERS: &[Runner] = &[
    Runner {
        programs: &["rake"],
        files: &["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"],
        valued: &["-f", "-C", "-I", "-r"],
        looks: &["-T", "-P", "-D", "-n", "-W", "--tasks", "--prereqs"],
        heads: &["task :NAME", "task 'NAME'", "task \"NAME\"", "task NAME:"],
        reads: ["ruby", "-e"],
    },
    Runner {
        programs: &["invoke", "inv", "fab"],
        files: &["tasks.py", "fabfile.py", "tasks/__init__.py"],
        valued: &["-c", "-r", "-H", "--collection"],
        looks: &["-l", "--list", "--help", "-R", "--dry"],
        heads: &["def NAME("],
        reads: ["python", "-c"],
    },
    Runner {
        programs: &["nox"],
        files: &["noxfile.py"],
        valued: &["-f"],
        looks: &["-l", "--list"],
        heads: &["def NAME("],
        reads: ["python", "-c"],
    },
    Runner {
        programs: &["doit"],
        files: &["dodo.py"],
        valued: &["-f", "-d"],
        looks: &["list", "info", "clean", "help"],
        heads: &["def task_NAME("],
        reads: ["python", "-c"],
    },
    Runner {
        programs: &["gulp", "grunt"],
        files: &["gulpfile.js", "gulpfile.mjs", "gulpfile.ts", "Gruntfile.js"],
        valued: &["-f", "--gulpfile"],
        looks: &["--tasks", "-T", "--help", "--version"],
        heads: &[
            "exports.NAME",
            "task('NAME'",
            "task(\"NAME\"",
            "Task('NAME'",
            "function NAME(",
        ],
        reads: ["node", "-e"],
    },
    Runner {
        programs: &["gradle", "gradlew"],
        files: &["build.gradle", "build.gradle.kts"],
        valued: &["-p", "-b"],
        looks: &["tasks", "--dry-run", "-m", "help"],
        heads: &[
            "task NAME",
            "register(\"NAME\"",
            "register('NAME'",
            "task(\"NAME\"",
        ],
        reads: ["ruby", "-e"],
    },
];

/// Returns whether a program runs such tasks.
pub(super) fn is_runner(program: &str) -> bool {
    program == "tox" || RUNNERS.iter().any(|it| it.programs.contains(&program))
}

/// Returns what the tasks that a runner is given do, as shell text.
pub(super) fn task(project: &Project<'_>, program: &str, words: &[&str]) -> Option<String> {
    if program == "tox" {
        return tox(project, words);
    }
    let runner = RUNNERS.iter().find(|it| it.programs.contains(&program))?;
    if words.iter().any(|it| runner.looks.contains(it)) {
        return None;
    }
    let named = words.windows(2).find(|it| it[0] == "-f");
    let text = match named {
        Some(pair) => project.read(pair[1]),
        None => runner.files.iter().find_map(|it| project.read(it)),
    }?;
    let goals = match program {
        "nox" => after_sessions(words),
        _ => after_options(words, runner.valued).to_vec(),
    };
    let goals = goals
        .into_iter()
        .filter(|it| !it.starts_with('-') && !it.contains('='));
    let mut open: Vec<String> = goals.map(last_part).collect();
    if open.is_empty() && program == "nox" {
        return Some(runner.read(&text));
    }
    if open.is_empty() {
        open.push("default".to_owned());
    }
    let mut done: Vec<String> = Vec::new();
    let mut blocks = Vec::new();
    while let Some(name) = open.pop().filter(|_| done.len() < MAX_TASKS) {
        if done.contains(&name) {
            continue;
        }
        let found = block(&text, &runner.heads_of(&name));
        if let Some(first) = found.first() {
            open.extend(prerequisites(first, &name));
        }
        blocks.extend(found.into_iter().map(str::to_owned));
        done.push(name);
    }
    let block = blocks.join("\n");
    (!block.is_empty()).then(|| match program {
        // Its actions are strings in a list.
        "doit" => texts_of(&block).join("\n"),
        _ => runner.read(&block),
    })
}

impl Runner {
    fn heads_of(&self, name: &str) -> Vec<String> {
        self.heads
            .iter()
            .map(|it| it.replace("NAME", name))
            .collect()
    }

    fn read(&self, block: &str) -> String {
        let block = block.replace("commandLine", "system");
        join([self.reads[0], self.reads[1], block.as_str()])
    }
}

/// Returns the name of a task without the groups that it is in, as functions are called.
fn last_part(name: &str) -> String {
    let name = name.split('[').next().unwrap_or(name);
    let last = name.rsplit([':', '.']).next().unwrap_or(name);
    last.replace('-', "_")
}

/// Returns the sessions that `nox` is given to run.
fn after_sessions<'w>(words: &[&'w str]) -> Vec<&'w str> {
    const OPTIONS: &[&str] = &["-s", "--session", "--sessions", "-e"];
    let at = words.iter().position(|it| OPTIONS.contains(it));
    let behind = at.map_or(&[][..], |at| &words[at + 1..]);
    behind
        .iter()
        .take_while(|it| !it.starts_with('-'))
        .copied()
        .collect()
}

/// Returns the lines of a definition: its first one, and the more deeply indented ones, with what
/// closes them.
fn block<'t>(text: &'t str, heads: &[String]) -> Vec<&'t str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_head = |line: &&str| {
        let line = line.trim_start();
        heads.iter().any(|head| {
            let begins = line.split_once(head.as_str()).map(|(_, it)| it);
            let goes_on = |it: char| it.is_alphanumeric() || it == '_';
            begins.is_some_and(|it| head.ends_with(['(', ':']) || !it.starts_with(goes_on))
        })
    };
    let mut lines = text.lines().skip_while(|it| !is_head(it));
    let Some(first) = lines.next() else {
        return Vec::new();
    };
    let column = indent(first);
    let closes = |line: &str| line.trim_start().starts_with(['}', ')', ']']);
    let inside = lines.take_while(|it| {
        it.trim().is_empty() || indent(it) > column || closes(it) && indent(it) == column
    });
    std::iter::once(first).chain(inside).collect()
}

/// Returns the tasks that a task needs, as its first line names them: `task default: [:ship]`.
fn prerequisites(first: &str, name: &str) -> Vec<String> {
    let Some((_, behind)) = first.split_once(name) else {
        return Vec::new();
    };
    let Some((_, behind)) = behind.split_once(['=', ':', '(', ',']) else {
        return Vec::new();
    };
    let is_name = |it: char| it.is_alphanumeric() || it == '_';
    let words = behind.split(|it| !is_name(it));
    let words = words.filter(|it| !it.is_empty() && !["do", "end", "function"].contains(it));
    words.map(str::to_owned).take(MAX_TASKS).collect()
}

/// Returns the strings of a text.
fn texts_of(text: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'']) {
        let quote = &rest[at..=at];
        let behind = &rest[at + 1..];
        let Some((inner, after)) = behind.split_once(quote) else {
            break;
        };
        texts.push(inner.to_owned());
        rest = after;
    }
    texts
}

/// Returns the commands of environments of `tox`.
fn tox(project: &Project<'_>, words: &[&str]) -> Option<String> {
    const QUERY_OPTIONS: &[&str] = &["list", "l", "config", "c", "--showconfig", "-a", "--notest"];
    if words.iter().any(|it| QUERY_OPTIONS.contains(it)) {
        return None;
    }
    let text = project.read("tox.ini")?;
    let named = words.windows(2).find(|it| ["-e", "--env"].contains(&it[0]));
    let heads: Vec<String> = match named {
        Some(pair) => pair[1]
            .split(',')
            .map(|it| format!("[testenv:{it}]"))
            .collect(),
        None => vec!["[testenv]".to_owned()],
    };
    let mut lines = Vec::new();
    for head in heads {
        let section = text.lines().skip_while(|it| it.trim() != head).skip(1);
        let mut in_commands = false;
        for line in section.take_while(|it| !it.starts_with('[')) {
            let key = line
                .split_once('=')
                .filter(|_| !line.starts_with([' ', '\t']));
            if let Some((key, value)) = key {
                in_commands = key.trim().starts_with("commands");
                if in_commands {
                    lines.push(value.trim().to_owned());
                }
            } else if in_commands {
                lines.push(line.trim().trim_start_matches('-').to_owned());
            }
        }
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}
