//! Programs that read their task from files in the folder: which files, and which task (TR-8).
//!
//! The result depends only on the program's words and its folder. The caller reads the files.

use crate::build_files::JUSTFILES;
use crate::same_programs::usual_name;
use crate::understood::Command;

/// What a program runs because files tell it to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runner {
    /// The files that define what it does.
    pub reads: Vec<RunnerFile>,
    /// The tasks in those files that it is asked to run.
    pub tasks: Vec<String>,
    /// The workspace packages in whose folders it does the same.
    pub members: Members,
    /// Folders in which it looks for programs first, here and in each folder above.
    pub searched: &'static [&'static str],
    /// How it runs its tasks.
    pub work: Option<Work>,
}

/// Packages of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Members {
    /// Only the package of the folder.
    #[default]
    None,
    /// The packages with these names, or in these folders.
    Named(Vec<String>),
    /// All packages.
    All,
}

/// A file that defines what a program does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunnerFile {
    /// Its possible names, in the order of the search; the first that exists counts.
    pub names: &'static [&'static str],
    /// Where it is looked for.
    pub looked_up: LookupPlace,
}

/// Where a program looks for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookupPlace {
    /// In the folder, or in the nearest folder above that contains it.
    Nearest,
    /// In the folder and in each folder above; all of them count.
    Each,
    /// In the home folder.
    Home,
}

/// How a program runs the tasks that files define.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// It runs the recipes of targets.
    Recipes(Recipes),
    /// It runs scripts of a package, or programs of installed packages.
    Package,
    /// It builds and runs a Rust package: the one with this name, the one with this manifest, or
    /// else that of the folder.
    Cargo {
        /// `-p`.
        package: Option<String>,
        /// `--manifest-path`.
        description: Option<String>,
    },
    /// It builds and runs Go packages, given as folders or files.
    Go(Vec<String>),
    /// It runs programs of a Python environment.
    Python,
    /// It runs lines of a file with a format of its own.
    Lines,
}

/// How recipes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipes {
    /// After a tab.
    Make,
    /// After white space of any kind.
    Just,
}

/// Subcommands that run a script of a package by its name, and those that are one.
const NAMED: [&str; 5] = ["test", "start", "stop", "restart", "t"];

const fn nearest(names: &'static [&'static str]) -> RunnerFile {
    RunnerFile {
        names,
        looked_up: LookupPlace::Nearest,
    }
}

const fn each(names: &'static [&'static str]) -> RunnerFile {
    RunnerFile {
        names,
        looked_up: LookupPlace::Each,
    }
}

const fn home(names: &'static [&'static str]) -> RunnerFile {
    RunnerFile {
        names,
        looked_up: LookupPlace::Home,
    }
}

const PACKAGE: &[RunnerFile] = &[
    nearest(&["package.json"]),
    each(&[".npmrc"]),
    each(&[".yarnrc.yml"]),
    each(&[".yarnrc"]),
    nearest(&["pnpm-workspace.yaml"]),
    home(&[".npmrc"]),
    home(&[".yarnrc.yml"]),
    home(&[".yarnrc"]),
    home(&[".config/pnpm/rc"]),
    home(&[".bunfig.toml"]),
];

const CARGO: &[RunnerFile] = &[
    each(&[".cargo/config.toml"]),
    each(&[".cargo/config"]),
    each(&["rust-toolchain.toml"]),
    each(&["rust-toolchain"]),
    home(&[".cargo/config.toml"]),
    home(&[".cargo/config"]),
];

const PYTHON: &[RunnerFile] = &[
    nearest(&["pyproject.toml"]),
    nearest(&["uv.toml"]),
    nearest(&["poetry.toml"]),
    nearest(&["Pipfile"]),
    nearest(&[".python-version"]),
    home(&[".config/uv/uv.toml"]),
    home(&[".config/pypoetry/config.toml"]),
];

/// Programs whose files can be found without anything else.
const OTHERS: &[(&str, &[RunnerFile])] = &[
    (
        "task",
        &[nearest(&[
            "Taskfile.yml",
            "taskfile.yml",
            "Taskfile.yaml",
            "taskfile.yaml",
            "Taskfile.dist.yml",
        ])],
    ),
    (
        "rake",
        &[nearest(&[
            "rakefile",
            "Rakefile",
            "rakefile.rb",
            "Rakefile.rb",
        ])],
    ),
    ("invoke", &[nearest(&["tasks.py"])]),
    ("inv", &[nearest(&["tasks.py"])]),
    ("fab", &[nearest(&["fabfile.py"])]),
    ("nox", &[nearest(&["noxfile.py"])]),
    ("doit", &[nearest(&["dodo.py"])]),
    (
        "tox",
        &[
            nearest(&["tox.ini"]),
            nearest(&["setup.cfg"]),
            nearest(&["tox.toml"]),
        ],
    ),
    (
        "gradle",
        &[
            nearest(&["build.gradle", "build.gradle.kts"]),
            nearest(&["settings.gradle", "settings.gradle.kts"]),
            nearest(&["gradle.properties"]),
            home(&[".gradle/gradle.properties"]),
            home(&[".gradle/init.gradle"]),
        ],
    ),
    (
        "mvn",
        &[
            nearest(&["pom.xml"]),
            nearest(&[".mvn/maven.config"]),
            nearest(&[".mvn/jvm.config"]),
            nearest(&[".mvn/extensions.xml"]),
            home(&[".m2/settings.xml"]),
            home(&[".mavenrc"]),
        ],
    ),
    (
        "mise",
        &[
            each(&["mise.toml"]),
            each(&[".mise.toml"]),
            each(&["mise.local.toml"]),
            home(&[".config/mise/config.toml"]),
        ],
    ),
    (
        "deno",
        &[
            nearest(&["deno.json", "deno.jsonc"]),
            nearest(&["package.json"]),
        ],
    ),
    (
        "bundle",
        &[
            nearest(&["Gemfile"]),
            nearest(&[".bundle/config"]),
            home(&[".bundle/config"]),
        ],
    ),
    ("composer", &[nearest(&["composer.json"])]),
    ("lefthook", &[nearest(&["lefthook.yml", "lefthook.yaml"])]),
    ("pre-commit", &[nearest(&[".pre-commit-config.yaml"])]),
    (
        "cmake",
        &[
            nearest(&["CMakeLists.txt"]),
            nearest(&["CMakePresets.json"]),
        ],
    ),
    ("ninja", &[nearest(&["build.ninja"])]),
    ("ant", &[nearest(&["build.xml"])]),
    ("mix", &[nearest(&["mix.exs"])]),
    (
        "bazel",
        &[
            nearest(&["WORKSPACE", "MODULE.bazel"]),
            each(&[".bazelrc"]),
            home(&[".bazelrc"]),
        ],
    ),
    ("direnv", &[each(&[".envrc"])]),
];

/// Finds what a command runs because files in its folders tell it to. Returns `None` for a program
/// that takes its task only from its words.
pub fn runner(command: &Command) -> Option<Runner> {
    from_program(&command.program, command)
}

/// Finds the same for programs that start another one: `uv run x` runs `x` in an environment.
pub fn runner_around(command: &Command) -> Option<Runner> {
    let bare = Command {
        folders: command.folders.clone(),
        ..Command::default()
    };
    let mut around = command.through.iter().rev();
    around.find_map(|program| {
        let mut runner = from_program(program, &bare)?;
        if runner.work == Some(Work::Package) {
            runner.tasks.push(command.program.clone());
        }
        Some(runner)
    })
}

fn from_program(program: &str, command: &Command) -> Option<Runner> {
    let found = match usual_name(program) {
        "make" => Runner {
            tasks: operands(command),
            work: Some(Work::Recipes(Recipes::Make)),
            ..Runner::default()
        },
        "just" => Runner {
            reads: vec![nearest(JUSTFILES)],
            tasks: operands(command),
            work: Some(Work::Recipes(Recipes::Just)),
            ..Runner::default()
        },
        "npm" | "pnpm" | "yarn" | "bun" | "npx" | "bunx" | "pnpx" => Runner {
            reads: PACKAGE.to_vec(),
            tasks: scripts(command),
            members: workspace_members(command),
            searched: &["node_modules/.bin"],
            work: Some(Work::Package),
        },
        "node" => {
            let script = value(command, &["--run"])?;
            Runner {
                reads: PACKAGE.to_vec(),
                tasks: vec![script],
                searched: &["node_modules/.bin"],
                work: Some(Work::Package),
                ..Runner::default()
            }
        }
        "cargo" => Runner {
            reads: CARGO.to_vec(),
            work: Some(Work::Cargo {
                package: value(command, &["-p", "--package"]),
                description: value(command, &["--manifest-path"]),
            }),
            ..Runner::default()
        },
        "go" => Runner {
            reads: vec![
                nearest(&["go.mod"]),
                nearest(&["go.work"]),
                home(&[".config/go/env"]),
            ],
            work: Some(Work::Go(go_packages(command))),
            ..Runner::default()
        },
        "uv" | "uvx" | "poetry" | "pdm" | "hatch" | "pipenv" | "rye" | "pipx" => Runner {
            reads: PYTHON.to_vec(),
            searched: &[".venv/bin"],
            work: Some(Work::Python),
            ..Runner::default()
        },
        _ => {
            let (_, reads) = OTHERS.iter().find(|(name, _)| *name == program)?;
            Runner {
                reads: reads.to_vec(),
                tasks: operands(command),
                work: Some(Work::Lines),
                ..Runner::default()
            }
        }
    };
    Some(found)
}

fn operands(command: &Command) -> Vec<String> {
    command.operands().map(|it| it.text.clone()).collect()
}

fn value(command: &Command, options: &[&str]) -> Option<String> {
    let mut values = command.values_of(options).into_iter();
    values.next().map(|it| it.text)
}

/// `npm run x`, `npm test`, `yarn x`: what may be the name of a script.
fn scripts(command: &Command) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for word in command.words_after_program() {
        let is_named = NAMED.contains(&word.text.as_str());
        if is_named {
            let name = if word.text == "t" { "test" } else { &word.text };
            names.push(name.to_owned());
        }
    }
    // `yarn guard`
    let subcommand = command.subcommand.iter().flat_map(|it| it.split(' '));
    let operands = command.operands().map(|it| it.text.as_str());
    for name in subcommand.chain(operands) {
        if names.iter().all(|it| it != name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// `npm run x -w pk`, `pnpm --filter pk x`, `yarn workspace pk x`: in which packages scripts are
/// looked for.
fn workspace_members(command: &Command) -> Members {
    const OPTIONS: [&str; 6] = [
        "-w",
        "--workspace",
        "-F",
        "--filter",
        "--filter-prod",
        "workspace",
    ];
    let mut settings = command.env.iter().map(|it| it.name.to_ascii_lowercase());
    if settings.any(|it| it.starts_with("npm_config_workspace")) {
        return Members::All;
    }
    let words: Vec<&str> = command.words.iter().map(|it| it.text.as_str()).collect();
    let own = words.iter().skip(1).take_while(|it| **it != "--");
    let mut named = Vec::new();
    for (at, word) in own.enumerate() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (*word, None),
        };
        if OPTIONS.contains(&option) {
            let value = value.or_else(|| words.get(at + 2).copied());
            named.extend(value.map(str::to_owned));
            continue;
        }
        let is_each = ["-ws", "--ws", "-r", "--recursive", "-rw", "-wr"].contains(&option)
            // Option names may be abbreviated.
            || option.starts_with("--wo") || option == "workspaces" || option.starts_with("--rec");
        if is_each && value != Some("false") {
            return Members::All;
        }
    }
    // A pattern, or a selection by dependency.
    let is_pattern =
        |it: &String| it.contains(['*', '!', '^', '{', '[', '$']) || it.contains("...");
    match &named[..] {
        [] => Members::None,
        all if all.iter().any(is_pattern) => Members::All,
        _ => Members::Named(named),
    }
}

/// `go run ./cmd/guard -- x`, `go run main.go`.
fn go_packages(command: &Command) -> Vec<String> {
    let is_source = |it: &str| it.strip_suffix(".go").is_some();
    let folders = value(command, &["-C"]);
    let mut operands = operands(command);
    operands.retain(|it| it != "run" && it != "tool" && Some(it) != folders.as_ref());
    let files = operands.iter().take_while(|it| is_source(it)).count();
    operands.truncate(files.max(1));
    operands
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Surroundings, understand};

    fn found(text: &str) -> Option<Runner> {
        let place = Surroundings {
            folder: Some("/p"),
            ..Surroundings::default()
        };
        let understood = understand(text, place);
        let mut commands = understood.commands.iter();
        commands.find_map(|it| runner(it).or_else(|| runner_around(it)))
    }

    /// TR-8: what files tell a program to do is found in its words.
    #[test]
    fn tasks_of_files_are_found() {
        for (text, tasks) in [
            ("npm run -s guard", vec!["guard"]),
            ("npm --prefix t run guard", vec!["guard"]),
            ("npm test --silent", vec!["test"]),
            ("npm t", vec!["test"]),
            ("yarn guard", vec!["guard"]),
            ("make -s guard", vec!["guard"]),
            ("just guard", vec!["guard"]),
            ("npx --no-install guard", vec!["guard"]),
        ] {
            let runner = found(text).unwrap_or_default();
            let has = |task: &&str| runner.tasks.iter().any(|it| it == task);
            assert!(tasks.iter().all(has), "{text}: {runner:?}");
        }
    }

    /// TR-8: the packages of a workspace in which a script is looked for are recognised however
    /// they are named.
    #[test]
    fn members_of_workspaces_are_found() {
        let named = Members::Named(vec!["pk".to_owned()]);
        for (text, members) in [
            ("npm run x", Members::None),
            ("npm run x -- -w pk", Members::None),
            ("npm run x -w pk", named.clone()),
            ("npm -w pk run x", named.clone()),
            ("npm run x --workspace=pk", named.clone()),
            ("pnpm --filter pk run x", named.clone()),
            ("pnpm -F pk x", named.clone()),
            ("yarn workspace pk run x", named.clone()),
            ("bun run --filter pk x", named),
            ("npm run x -ws", Members::All),
            ("npm run x --workspaces", Members::All),
            ("npm run x --works=pk", Members::All),
            ("pnpm -r run x", Members::All),
            ("pnpm --filter '...pk' x", Members::All),
            ("yarn workspaces foreach run x", Members::All),
            ("npm_config_workspace=pk npm run x", Members::All),
        ] {
            assert_eq!(found(text).unwrap_or_default().members, members, "{text}");
        }
        assert_eq!(found("node --run x").unwrap_or_default().tasks, ["x"]);
    }

    /// TR-8: for programs that build or choose an environment, the files that they read are known;
    /// others read none.
    #[test]
    fn files_of_runners_are_known() {
        for (text, file) in [
            ("cargo run -q", ".cargo/config.toml"),
            ("go run ./cmd/guard", "go.mod"),
            ("uv run guard.py", "pyproject.toml"),
            ("poetry run python guard.py", "poetry.toml"),
            ("npm run guard", ".npmrc"),
            ("task guard", "Taskfile.yml"),
            ("deno task guard", "deno.json"),
        ] {
            let runner = found(text).unwrap_or_default();
            let mut names = runner.reads.iter().flat_map(|it| it.names);
            assert!(names.any(|it| *it == file), "{text}: {runner:?}");
        }
        for text in ["sh guard.sh", "python3 guard.py", "jq -e .", "grep -q x"] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
