//! Finding skills in the project's and the user's folder (TO-5).

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::ErrorKind;
use crate::files::text;
use crate::front_matter;
use crate::wording::append;

/// The folders with skills, each of which is a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillFolders {
    /// The folders whose skills count, in order of precedence: the project's `.gemini/skills` if
    /// the workspace is trusted, then the user's, then those of extensions.
    pub used: Vec<PathBuf>,
    /// The folders whose skills don't count: the project's if the workspace must not be trusted.
    pub untrusted: Vec<PathBuf>,
}

/// A skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// When to use it, for the model.
    pub description: String,
    /// Its `SKILL.md`.
    pub file: PathBuf,
}

/// A problem with a skill, which was left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {message}", .file.display(), .line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct SkillProblem {
    /// The file or folder.
    pub file: PathBuf,
    /// The line, from 1, if the problem is in a line.
    pub line: Option<u32>,
    /// What is wrong.
    pub message: String,
}

/// The skills of a session, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skills {
    skills: BTreeMap<String, Skill>,
}

impl Skills {
    /// Finds skills, and returns them with the problems that were found (TO-5).
    pub fn discover(folders: &SkillFolders) -> (Self, Vec<SkillProblem>) {
        let mut skills = Self::default();
        let mut problems = Vec::new();
        for folder in &folders.used {
            for file in files(folder, &mut problems) {
                match read(&file) {
                    Ok(skill) => skills.add(skill, &mut problems),
                    Err(problem) => problems.push(problem),
                }
            }
        }
        for folder in &folders.untrusted {
            let count = files(folder, &mut problems).len();
            if count > 0 {
                problems.push(SkillProblem {
                    file: folder.clone(),
                    line: None,
                    message: format!(
                        "{count} skills are left out, because the workspace isn't trusted"
                    ),
                });
            }
        }
        (skills, problems)
    }

    fn add(&mut self, skill: Skill, problems: &mut Vec<SkillProblem>) {
        if let Some(first) = self.skills.get(&skill.name) {
            problems.push(SkillProblem {
                message: format!(
                    "the skill is left out, because {} has the name \"{}\" too",
                    first.file.display(),
                    skill.name
                ),
                file: skill.file,
                line: None,
            });
        } else {
            self.skills.insert(skill.name.clone(), skill);
        }
    }

    /// Removes the skills that don't count.
    #[must_use]
    pub fn retain(mut self, counts: impl Fn(&Skill) -> bool) -> Self {
        self.skills.retain(|_, it| counts(it));
        self
    }

    /// Returns the skills, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Skill> {
        self.skills.values()
    }

    /// Returns a skill.
    pub fn get(&self, name: &str) -> Option<&Skill> {
        self.skills.get(name)
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }

    /// Returns the description of the skills for the system instruction, or `None` if there are
    /// none.
    pub fn instruction(&self) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let mut text = String::from(
            "These skills are available. When a task matches one, first call `activate_skill` \
             with its name, and follow the instructions that it returns.\n<available_skills>\n",
        );
        for skill in self.iter() {
            append(
                &mut text,
                format_args!("- {}: {}\n", skill.name, one_line(&skill.description)),
            );
        }
        text.push_str("</available_skills>");
        Some(text)
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the files of the skills in a folder, by name.
fn files(folder: &Path, problems: &mut Vec<SkillProblem>) -> Vec<PathBuf> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                problems.push(SkillProblem {
                    file: folder.to_path_buf(),
                    line: None,
                    message: format!("the folder of skills can't be read: {error}"),
                });
            }
            return Vec::new();
        }
    };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && !is_hidden(path))
        .map(|path| path.join("SKILL.md"))
        .collect();
    files.sort();
    files
}

pub(crate) fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.as_encoded_bytes().starts_with(b".")
}

fn read(file: &Path) -> Result<Skill, SkillProblem> {
    let problem = |line, message: String| SkillProblem {
        file: file.to_path_buf(),
        line,
        message: format!("{message}; the skill is left out"),
    };
    let content = match text::read(file) {
        Ok(text) => text.content,
        Err(error) if error.kind == ErrorKind::FileNotFound => {
            return Err(problem(
                None,
                "a skill's folder must contain this file".to_owned(),
            ));
        }
        Err(error) => return Err(problem(None, error.message)),
    };
    let head = front_matter::read(&content)
        .map_err(|(line, message)| problem(Some(line), message.to_owned()))?;
    let missing = |what: &str| problem(Some(1), format!("the front matter has no {what}"));
    Ok(Skill {
        name: head.text("name").ok_or_else(|| missing("name"))?,
        description: head
            .text("description")
            .ok_or_else(|| missing("description"))?,
        file: file.to_path_buf(),
    })
}
