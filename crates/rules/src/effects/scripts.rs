//! Scripts and tasks of a project that a command runs: what stands in their files is what it does.

use hookloop_shell::{
    Command, Input, Place, Surroundings, Understood, join, join_path, understand,
};
use serde_json::Value;

use super::{Effect, Places};

/// Longer texts are programs rather than scripts.
const LONGEST: usize = 32 * 1024;

/// How many targets of a makefile are followed.
const MOST_TARGETS: usize = 32;

/// What counts of a script: what loads files of secrets or ends its own processes does so in every project.
const COUNTS: &[&str] = &[
    "branch.",
    "git.",
    "delete.root",
    "delete.outside",
    "delete.repository",
    "delete.code",
    "disk",
    "persist",
    "write.system",
    "database",
    "container",
    "cloud",
    "publish",
    "remote.shell",
    "run.downloaded",
    "tool.delete",
];

/// Interpreters, and the option by which they take program text.
const INTERPRETERS: &[(&str, &str)] = &[
    ("python", "-c"),
    ("python3", "-c"),
    ("node", "-e"),
    ("tsx", "-e"),
    ("ts-node", "-e"),
    ("ruby", "-e"),
    ("perl", "-e"),
    ("php", "-r"),
];

/// Options with which nothing is run.
const LOOKS: &[&str] = &[
    "-n",
    "--dry-run",
    "--just-print",
    "--recon",
    "--show",
    "--list",
    "-l",
    "--summary",
    "--check",
    "--help",
    "--version",
    "--evaluate",
    "--choose",
    "--dump",
    "-q",
    "--question",
    "--noexec",
    "--syntax-check",
];

/// Clients of databases, and the option by which they take a query.
const CLIENTS: &[(&str, &str)] = &[
    ("psql", "-c"),
    ("mysql", "-e"),
    ("mariadb", "-e"),
    ("sqlite3", "-cmd"),
    ("mongosh", "--eval"),
    ("mongo", "--eval"),
    ("redis-cli", "--pipe"),
    ("sqlcmd", "-Q"),
    ("clickhouse-client", "-q"),
];

const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh", "source", "."];

/// Keeps of what a script does only what counts.
pub(super) fn counted(effects: &mut Vec<Effect>) {
    effects.retain(|it| COUNTS.iter().any(|name| it.name.starts_with(name)));
}

/// Returns the scripts and tasks that a command runs, understood; none where nobody can look.
pub(super) fn run_by(command: &Command, places: &Places) -> Vec<Understood> {
    if command.place != Place::Here || places.repositories.is_none() {
        return Vec::new();
    }
    let folder = command.folders.first().unwrap_or(&places.workspace);
    let project = Project { folder, places };
    let texts = project.texts(command);
    texts.iter().map(|it| project.understood(it)).collect()
}

/// Where a command runs, and what is there.
struct Project<'p> {
    folder: &'p str,
    places: &'p Places,
}

impl Project<'_> {
    fn read(&self, name: &str) -> Option<String> {
        let repositories = self.places.repositories.as_ref()?;
        let text = repositories.text(&join_path(self.folder, name))?;
        (text.len() <= LONGEST && !text.contains('\0')).then_some(text)
    }

    fn understood(&self, text: &str) -> Understood {
        let absolute = |text: &&str| text.starts_with('/');
        let places = self.places;
        understand(
            text,
            Surroundings {
                folder: Some(self.folder).filter(absolute),
                home: Some(places.home.as_str()).filter(absolute),
                repository: Some(places.workspace.as_str()).filter(absolute),
                ..Surroundings::default()
            },
        )
    }

    fn texts(&self, command: &Command) -> Vec<String> {
        let words: Vec<&str> = command.args().iter().map(|it| it.text.as_str()).collect();
        let mut operands = words.iter().filter(|it| !it.starts_with('-')).copied();
        let program = command.program.as_str();
        let only_looks = words.iter().any(|it| LOOKS.contains(it));
        if only_looks {
            return Vec::new();
        }
        let is_text = words.iter().any(|it| ["-c", "-e", "-r", "-m"].contains(it));
        let interpreter = INTERPRETERS.iter().find(|(name, _)| *name == program);
        let found = match program {
            _ if SHELLS.contains(&program) && !is_text => {
                operands.next().and_then(|it| self.read(it))
            }
            _ if let Some((name, option)) = interpreter.filter(|_| !is_text) => {
                let file = operands.next().and_then(|it| self.read(it));
                file.map(|it| join([*name, *option, it.as_str()]))
            }
            _ if let Some((name, option)) = CLIENTS.iter().find(|(name, _)| *name == program) => {
                let text = self.queries(command);
                text.map(|it| join([*name, *option, it.as_str()]))
            }
            "make" | "gmake" => self.make(&words),
            "just" => self.just(&words),
            "task" | "go-task" => operands.next().and_then(|it| self.task(it)),
            "npm" | "pnpm" | "yarn" | "bun" | "composer" | "deno" | "poe" => {
                self.listed(program, operands)
            }
            _ if command.invoked.contains('/') => self.started(&command.invoked),
            _ => None,
        };
        found.into_iter().collect()
    }

    /// Returns what a client of a database reads from files.
    fn queries(&self, command: &Command) -> Option<String> {
        let endings = [".sql", ".js", ".redis", ".txt"];
        let words = command.args().iter().map(|it| it.text.as_str());
        let words = words.map(|it| it.strip_prefix("--file=").unwrap_or(it));
        let file = match &command.input {
            Input::File(path) => Some(path.clone()),
            _ => None,
        };
        let named = words.filter(|it| endings.iter().any(|end| it.ends_with(end)));
        let named = named.map(str::to_owned).chain(file);
        let texts: Vec<String> = named.filter_map(|it| self.read(&it)).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// Returns what a file does that is started by its path: its first line says what reads it.
    fn started(&self, path: &str) -> Option<String> {
        let text = self.read(path)?;
        let first = text.lines().next().unwrap_or("").strip_prefix("#!")?;
        let name = first.rsplit(['/', ' ']).next().unwrap_or("");
        if SHELLS.contains(&name) {
            return Some(text);
        }
        let (name, option) = INTERPRETERS.iter().find(|(known, _)| *known == name)?;
        Some(join([*name, *option, text.as_str()]))
    }

    /// Returns what a task does that the file of a package lists, with what runs before and behind it.
    fn listed<'w>(
        &self,
        program: &str,
        mut operands: impl Iterator<Item = &'w str>,
    ) -> Option<String> {
        let runs = ["run", "run-script", "task", "exec", "rum"];
        let first = operands.next()?;
        let name = if runs.contains(&first) {
            operands.next()?
        } else {
            first
        };
        if program == "poe" {
            let table: toml::Value = toml::from_str(&self.read("pyproject.toml")?).ok()?;
            let task = table.get("tool")?.get("poe")?.get("tasks")?.get(name)?;
            let text = task.as_str().or_else(|| task.get("cmd")?.as_str())?;
            return Some(text.to_owned());
        }
        let (file, key) = match program {
            "composer" => ("composer.json", "scripts"),
            "deno" => ("deno.json", "tasks"),
            _ => ("package.json", "scripts"),
        };
        let list: Value = serde_json::from_str(&self.read(file)?).ok()?;
        let of = |name: &str| -> Option<String> {
            match list.get(key)?.get(name)? {
                Value::String(text) => Some(text.clone()),
                Value::Array(lines) => {
                    let lines = lines.iter().filter_map(Value::as_str);
                    Some(lines.collect::<Vec<_>>().join("\n"))
                }
                _ => None,
            }
        };
        let around = [format!("pre{name}"), name.to_owned(), format!("post{name}")];
        let texts: Vec<String> = around.iter().filter_map(|it| of(it)).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    fn make(&self, words: &[&str]) -> Option<String> {
        let behind = |option: &str| {
            let at = words.iter().position(|it| *it == option)?;
            words.get(at + 1).copied()
        };
        let folder = behind("-C").map(|it| join_path(self.folder, it));
        let folder = folder.as_deref().unwrap_or(self.folder);
        let inside = |name: &str| self.read(&join_path(folder, name));
        let text = match behind("-f").or_else(|| behind("--file")) {
            Some(file) => self.read(file),
            None => inside("GNUmakefile")
                .or_else(|| inside("makefile"))
                .or_else(|| inside("Makefile")),
        }?;
        let values = [behind("-C"), behind("-f"), behind("--file"), behind("-j")];
        let named = words
            .iter()
            .filter(|it| !it.starts_with('-') && !it.contains('='));
        let named = named.filter(|it| !values.contains(&Some(**it)));
        let recipes = Recipes {
            text: &text,
            is_make: true,
        };
        let lines = recipes.of(named.map(|it| (*it).to_owned()).collect());
        let lines = lines.iter().map(|it| {
            let plain = it.trim_start_matches(['@', '-', '+', ' ']);
            plain
                .replace("$(", "${")
                .replace("$$", "$")
                .replace(')', "}")
        });
        Some(lines.collect::<Vec<_>>().join("\n"))
    }

    fn just(&self, words: &[&str]) -> Option<String> {
        let text = self.read("justfile").or_else(|| self.read("Justfile"))?;
        let names = words
            .iter()
            .filter(|it| !it.starts_with('-') && !it.contains(['.', '/', '=']));
        let names = names.filter(|it| !it.eq_ignore_ascii_case("justfile"));
        let recipes = Recipes {
            text: &text,
            is_make: false,
        };
        let lines = recipes.of(names.map(|it| (*it).to_owned()).collect());
        let lines = lines
            .iter()
            .map(|it| it.trim_start_matches(['@', '-']).to_owned());
        Some(lines.collect::<Vec<_>>().join("\n"))
    }

    /// Returns the commands of a task of a taskfile: the lines of its list, and its `cmd`.
    fn task(&self, name: &str) -> Option<String> {
        let text = self
            .read("Taskfile.yml")
            .or_else(|| self.read("Taskfile.yaml"))?;
        let head = format!("{name}:");
        let mut lines = text.lines().skip_while(|it| {
            it.trim() != head && !it.trim_start().starts_with(&format!("{head} "))
        });
        let first = lines.next()?;
        let indent = |line: &str| line.len() - line.trim_start().len();
        let inside = lines.take_while(|it| it.trim().is_empty() || indent(it) > indent(first));
        let commands = inside.filter_map(|line| {
            let line = line.trim();
            let line = line
                .strip_prefix("- ")
                .or_else(|| line.strip_prefix("cmds: ["))?;
            let line = line.trim_start_matches("cmd:").trim_end_matches(']').trim();
            Some(line.trim_matches(['"', '\'']).to_owned())
        });
        Some(commands.collect::<Vec<_>>().join("\n"))
    }
}

/// A file of targets with what is done for each.
struct Recipes<'t> {
    text: &'t str,
    is_make: bool,
}

impl Recipes<'_> {
    /// Returns the lines of targets and of what they need first; of the first target where none is named.
    fn of(&self, mut open: Vec<String>) -> Vec<String> {
        let mut done: Vec<String> = Vec::new();
        let mut lines = Vec::new();
        if open.is_empty() {
            open.extend(self.heads().next().map(|(name, _, _)| name.to_owned()));
        }
        while let Some(name) = open.pop().filter(|_| done.len() < MOST_TARGETS) {
            if done.contains(&name) {
                continue;
            }
            for (_, needs, at) in self.heads().filter(|(known, _, _)| *known == name) {
                open.extend(needs.split_whitespace().map(str::to_owned));
                let body = self.text.lines().skip(at + 1);
                let body =
                    body.take_while(|it| it.starts_with(['\t', ' ']) || it.trim().is_empty());
                lines.extend(
                    body.map(|it| it.trim().to_owned())
                        .filter(|it| !it.is_empty()),
                );
            }
            done.push(name);
        }
        lines
    }

    /// Returns the targets with what they need, and the numbers of their lines.
    fn heads(&self) -> impl Iterator<Item = (&str, &str, usize)> {
        let lines = self.text.lines().enumerate();
        lines.flat_map(|(at, line)| {
            let is_head = !line.starts_with(['\t', ' ', '#', '.']);
            let split = line
                .split_once(':')
                .filter(|(_, behind)| is_head && !behind.starts_with('='));
            let (names, needs) = split.unwrap_or(("", ""));
            // A recipe of `just` has parameters behind its name.
            let most = if self.is_make { usize::MAX } else { 1 };
            let names = names.split_whitespace().take(most);
            names.map(move |it| (it.trim_start_matches('@'), needs, at))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Recipes;

    const TEXT: &str = ".PHONY: all\nX := 1\nall: build\nbuild: lint\n\tcc a.c\nlint:\n\t@true\nnuke:\n\trm -rf ~/x\n";

    /// HT-40: the recipes of a target and of what it needs are found, and nothing else.
    #[test]
    fn recipes_of_targets_are_found() {
        let recipes = Recipes {
            text: TEXT,
            is_make: true,
        };
        assert_eq!(recipes.of(Vec::new()), ["cc a.c", "@true"]);
        assert_eq!(recipes.of(vec!["nuke".to_owned()]), ["rm -rf ~/x"]);
        assert!(recipes.of(vec!["none".to_owned()]).is_empty());
    }
}
