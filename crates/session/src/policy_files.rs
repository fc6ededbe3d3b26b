//! The policy files of a session: what they say, what keeps a session from starting, and what has
//! no effect (TO-6). A session and `hooks check` find the same (CM-3).

use std::io;
use std::path::{Path, PathBuf};

use hookloop_agent::{
    DoubtfulRule, PolicyFile, PolicyFileError, Rule, read_named_policy_file, read_policy_file,
};
use hookloop_hook::{Layer, Position, Problem, ProblemCode, Source};
use hookloop_settings::{FileId, Provided, Settings, is_absent};

use crate::environment::Environment;
use crate::exit::SessionError;

/// What a person can do about a file of rules that can't be read.
const READABLE: &str = "make it readable or remove it: it could contain the rule that refuses, so \
                        no session starts until then";

/// The rules of all policy files.
#[derive(Debug, Default)]
pub(crate) struct PolicyFiles {
    rules: Vec<Rule>,
    unusable: Vec<Unusable>,
    ineffective: Vec<Problem>,
}

/// A file or folder of rules that can't be used. It could contain the rule that refuses, so no
/// session starts.
#[derive(Debug)]
struct Unusable {
    error: SessionError,
    problem: Problem,
}

impl PolicyFiles {
    /// Reads the user's policy files, and those that settings and options name (TO-6).
    pub(crate) fn read(
        options: &[PathBuf],
        environment: &Environment,
        settings: &Settings,
        project_root: &Path,
    ) -> Self {
        let mut all = Self {
            ineffective: unread_folders(&user_folder(environment)),
            ..Self::default()
        };
        let unread = project_files(environment, project_root);
        all.ineffective.extend(unread);
        let folder = user_folder(environment).join("policies");
        if let Err(error) = all.read_folder(&folder, Some(Layer::User)) {
            let message = format!(
                "the policy files in {} can't be found: {error}",
                folder.display()
            );
            all.unusable.push(Unusable {
                error: SessionError::Configuration(message.clone()),
                problem: unreadable(of_layer(&folder, Some(Layer::User)), message),
            });
        }
        for named in &settings.agent.policy_paths {
            all.read_named(named, environment);
        }
        for file in named_by_options(options, environment) {
            all.add(&file, read_named_policy_file(&file), None);
        }
        all
    }

    /// Returns the rules, unless a file can't be used.
    pub(crate) fn into_rules(self) -> Result<Vec<Rule>, SessionError> {
        match self.unusable.into_iter().next() {
            Some(unusable) => Err(unusable.error),
            None => Ok(self.rules),
        }
    }

    /// Returns what was meant to be a rule and has no effect: a session reports it, and starts.
    pub(crate) fn ineffective(&self) -> &[Problem] {
        &self.ineffective
    }

    /// Returns what keeps a session from starting, and what has no effect.
    pub(crate) fn into_problems(self) -> Vec<Problem> {
        let unusable = self.unusable.into_iter();
        unusable
            .map(|it| it.problem)
            .chain(self.ineffective)
            .collect()
    }

    /// Reads a file or folder that settings name. A missing one could have contained the rule that
    /// refuses.
    fn read_named(&mut self, named: &Provided<String>, environment: &Environment) {
        let path = named_place(named, environment);
        let read = std::fs::metadata(&path).and_then(|it| {
            if it.is_dir() {
                self.read_folder(&path, named.layer())
            } else {
                self.add(&path, read_policy_file(&path), named.layer());
                Ok(())
            }
        });
        if let Err(error) = read {
            let message = format!(
                "the policy files in {} can't be read: {error}",
                path.display()
            );
            let source = named.source.clone();
            self.unusable.push(Unusable {
                error: SessionError::Configuration(format!("{}{message}", named.place())),
                problem: unreadable(source.unwrap_or_else(|| of_layer(&path, None)), message),
            });
        }
    }

    fn read_folder(&mut self, folder: &Path, layer: Option<Layer>) -> io::Result<()> {
        for file in sorted_policy_files(folder)? {
            self.add(&file, read_policy_file(&file), layer);
        }
        self.ineffective.extend(unread_files(folder, layer));
        Ok(())
    }

    fn add(
        &mut self,
        path: &Path,
        read: Result<PolicyFile, PolicyFileError>,
        layer: Option<Layer>,
    ) {
        match read {
            Ok(file) => {
                let doubtful = file.doubtful.into_iter();
                self.ineffective
                    .extend(doubtful.map(|it| of_rule(path, it, layer)));
                self.rules.extend(file.rules);
            }
            Err(error) => self.unusable.push(Unusable {
                problem: of_file(&error, layer),
                error: error.into(),
            }),
        }
    }
}

/// Returns what is wrong with a policy file, as a diagnostic.
fn of_file(error: &PolicyFileError, layer: Option<Layer>) -> Problem {
    match error {
        PolicyFileError::Read { path, source } => unreadable(
            of_layer(path, layer),
            format!("the policy file can't be read: {source}"),
        ),
        PolicyFileError::Wrong {
            path,
            line,
            column,
            problem,
        } => Problem::new(
            ProblemCode::InvalidValue,
            of_layer(path, layer).at(position(*line, *column)),
            format!("the policy file can't be used: {}", problem.trim_end()),
            "correct the rule: it could be the one that refuses, so no session starts until then",
        ),
    }
}

fn unreadable(source: Source, message: String) -> Problem {
    Problem::new(ProblemCode::UnreadableFile, source, message, READABLE)
}

fn of_layer(path: &Path, layer: Option<Layer>) -> Source {
    Source {
        layer,
        ..Source::of_file(path)
    }
}

fn position(line: usize, column: usize) -> Position {
    let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
    Position {
        line: number(line),
        column: number(column),
    }
}

fn user_folder(environment: &Environment) -> PathBuf {
    environment.home.join(".gemini")
}

fn named_by_options(options: &[PathBuf], environment: &Environment) -> Vec<PathBuf> {
    let named = options.iter();
    named.map(|it| environment.current_dir.join(it)).collect()
}

/// Returns the file or folder of rules that settings name. A relative one is beside the settings:
/// the project of a session can't substitute other rules.
fn named_place(named: &Provided<String>, environment: &Environment) -> PathBuf {
    let source = named.source.as_ref();
    let beside = source.and_then(|it| it.file.parent());
    beside
        .unwrap_or(&environment.current_dir)
        .join(&named.value)
}

/// Returns the files and folders of rules that options and settings name: guards depend on them.
pub(crate) fn named_places(
    options: &[PathBuf],
    environment: &Environment,
    settings: &Settings,
) -> Vec<PathBuf> {
    let named = settings.agent.policy_paths.iter();
    let named = named.map(|it| named_place(it, environment));
    named
        .chain(named_by_options(options, environment))
        .collect()
}

/// Returns the policy files in a folder. A missing one contains none; one that can't be read, or is
/// a link to nothing, could contain the rule that refuses.
fn policy_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if is_absent(folder)? {
        return Ok(Vec::new());
    }
    let paths: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    Ok(paths.into_iter().filter(|it| is_policy(it)).collect())
}

fn sorted_policy_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = policy_files(folder)?;
    files.sort();
    Ok(files)
}

/// Names what is in a folder of policies but isn't read (TO-6): a rule in it refuses nothing.
fn unread_files(folder: &Path, layer: Option<Layer>) -> Vec<Problem> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|it| it.path()).collect();
    paths.sort();
    let unread = paths.iter().filter_map(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            let contains_some = policy_files(path).is_ok_and(|it| !it.is_empty());
            contains_some.then(|| {
                misplaced(
                    path,
                    layer,
                    "folders in the folder of policies aren't read, so its rules have no effect",
                    format!("move its files into {}", folder.display()),
                )
            })
        } else {
            let is_unread = !is_policy(path) && !is_aside(&name);
            is_unread.then(|| {
                misplaced(
                    path,
                    layer,
                    "only files that end with .toml are read as policies, so its rules have no \
                     effect",
                    "write them as TOML into a file whose name ends with .toml".to_owned(),
                )
            })
        }
    });
    unread.collect()
}

/// Names folders that were meant to be that of the user's policies (TO-6).
fn unread_folders(user_folder: &Path) -> Vec<Problem> {
    let folder = user_folder.join("policies");
    let others = ["policy", "Policies", "rules"].map(|it| user_folder.join(it));
    let unread = others.into_iter().filter(|other| {
        // Where case doesn't count, both may be one.
        let is_same = FileId::of(other).is_some_and(|it| it.is_at(&folder));
        !is_same && policy_files(other).is_ok_and(|it| !it.is_empty())
    });
    let problems = unread.map(|other| {
        misplaced(
            &other,
            Some(Layer::User),
            "nothing reads this folder, so the rules in it have no effect",
            format!("policies belong in {}", folder.display()),
        )
    });
    problems.collect()
}

fn misplaced(path: &Path, layer: Option<Layer>, message: &str, help: String) -> Problem {
    let code = ProblemCode::MisplacedFile;
    Problem::new(code, of_layer(path, layer), message, help)
}

/// Returns the problem that a rule may never apply.
fn of_rule(path: &Path, rule: DoubtfulRule, layer: Option<Layer>) -> Problem {
    let place = of_layer(path, layer).at(position(rule.line, rule.column));
    Problem::new(ProblemCode::MatcherNoTool, place, rule.problem, rule.remedy)
}

/// Returns whether a file's name shows that it isn't meant as rules: notes, backup copies of
/// editors, hidden files.
fn is_aside(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let ends = [
        ".md",
        "~",
        ".bak",
        ".orig",
        ".swp",
        ".tmp",
        ".off",
        ".disabled",
    ];
    name.starts_with('.') || name.starts_with("readme") || ends.iter().any(|it| name.ends_with(it))
}

/// Returns whether a file is read as a policy.
fn is_policy(path: &Path) -> bool {
    path.extension()
        .is_some_and(|it| it.eq_ignore_ascii_case("toml"))
}

/// Names the policy files of a project, which have no effect: a rule of high priority could
/// override a stricter one of the user's.
fn project_files(environment: &Environment, project_root: &Path) -> Vec<Problem> {
    let folder = project_root.join(".gemini").join("policies");
    if folder == user_folder(environment).join("policies") {
        return Vec::new();
    }
    let name = |path: PathBuf| {
        misplaced(
            &path,
            Some(Layer::Project),
            "policy files of a project have no effect",
            "use it with --policy, or copy it to ~/.gemini/policies".to_owned(),
        )
    };
    match sorted_policy_files(&folder) {
        Ok(files) => files.into_iter().map(name).collect(),
        Err(_) => vec![name(folder)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TO-6, CM-3: what keeps a session from starting is an error of `check`, with its place.
    #[test]
    fn what_stops_a_session_is_a_problem_with_its_place() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".gemini/policies");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(
            folder.join("a.toml"),
            "[[rule]]\ntoolName = \"glob\"\ndecision = \"no\"\n",
        )
        .unwrap();
        std::fs::create_dir(folder.join("b.toml")).unwrap();
        let environment = Environment {
            home: home.path().to_owned(),
            ..Environment::from_variables(&[])
        };
        let project = home.path().join("project");
        let read = || PolicyFiles::read(&[], &environment, &Settings::default(), &project);
        let problems = read().into_problems();
        let places: Vec<String> = problems.iter().map(|it| it.source.to_string()).collect();
        let [wrong, folder_in_place] = &places[..] else {
            panic!("{problems:?}");
        };
        assert!(wrong.ends_with("a.toml:3:12"), "{wrong}");
        assert!(folder_in_place.ends_with("b.toml"), "{folder_in_place}");
        assert!(read().into_rules().is_err());
    }
}
