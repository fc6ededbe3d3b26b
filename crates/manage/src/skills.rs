//! Adds and removes skills, as in Gemini CLI (AG-CLI-7, TO-5). A function asks for a person's
//! consent; no answer means no.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use hookloop_extensions::{Around, Source, already_exists, copy_tree, fetch, not_writable};
use hookloop_session::Workspace;
use hookloop_tools::{Skill, SkillFolders, SkillProblem, Skills};
use tempfile::TempDir;

use crate::Task;
use crate::failure::{CommandFailure, FailureCode};
use crate::near_matches::near_matches;
use crate::scope::Scope;

/// Asks for consent to skills. Receives the skills and the question, not escaped.
pub type AgreeToSkills<'a> = &'a dyn Fn(&[Skill], &str) -> Result<(), CommandFailure>;

/// The requested skills.
#[derive(Clone, Copy)]
pub struct SkillWishes<'a> {
    /// A folder, or the address of a repository.
    pub source: &'a str,
    /// The folder inside the source to use.
    pub path: Option<&'a Path>,
    /// The scope that gets the skills.
    pub scope: Scope,
    /// Asks the person.
    pub agree: AgreeToSkills<'a>,
}

/// An installed skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledSkill {
    /// Its name.
    pub name: String,
    /// Its folder, or the link to it.
    pub place: PathBuf,
}

/// Installs the skills of a folder or a repository: the folder itself if it is a skill, or all
/// skills in it.
///
/// # Errors
/// The source can't be read or contains no skills, one of them already exists, or nobody agrees;
/// then nothing is installed.
pub fn install_skills(
    task: Task<'_>,
    wishes: SkillWishes<'_>,
) -> Result<Vec<InstalledSkill>, CommandFailure> {
    let folder = folder_of(task, wishes.scope);
    // On the same file system, so that a rename is enough in the end.
    let staging = staged_beside(&folder)?;
    let whole = source_folder(task, wishes.source, &staging.path().join("fetched"))?;
    let wanted = inner_folder(&whole, wishes.path)?;
    let copied = staging.path().join("new").join(name_of(&wanted)?);
    copy_tree(&wanted, &copied)?;
    let skills = find_skills(&copied)?;
    let places = free_places(&folder, &skills)?;
    let from = wishes.source;
    (wishes.agree)(
        &skills,
        &format!("Install {} from {from}?", count_skills(&skills)),
    )?;
    let pairs = skills.iter().zip(places);
    let put = |(skill, place): (&Skill, PathBuf)| {
        fs::rename(own_folder(skill), &place).map_err(|error| not_writable(&place, &error))?;
        Ok(to_installed(skill, place))
    };
    pairs.map(put).collect()
}

/// Links the skills of a folder: later changes take effect at once.
///
/// # Errors
/// The folder contains no skills, one of them already exists, or nobody agrees.
pub fn link_skills(
    task: Task<'_>,
    wishes: SkillWishes<'_>,
) -> Result<Vec<InstalledSkill>, CommandFailure> {
    let folder = folder_of(task, wishes.scope);
    let whole = local_folder(task, wishes.source)?;
    let skills = find_skills(&inner_folder(&whole, wishes.path)?)?;
    let places = free_places(&folder, &skills)?;
    let question = format!(
        "Link {} to {}? Changes there take effect at once.",
        count_skills(&skills),
        whole.display()
    );
    (wishes.agree)(&skills, &question)?;
    fs::create_dir_all(&folder).map_err(|error| not_writable(&folder, &error))?;
    let pairs = skills.iter().zip(places);
    let put = |(skill, place): (&Skill, PathBuf)| {
        link(own_folder(skill), &place).map_err(|error| not_writable(&place, &error))?;
        Ok(to_installed(skill, place))
    };
    pairs.map(put).collect()
}

/// Removes a skill of a scope, and returns its folder. If it is linked, only the link is removed.
///
/// # Errors
/// The scope has no such skill, or its folder can't be removed.
pub fn uninstall_skill(
    task: Task<'_>,
    name: &str,
    scope: Scope,
) -> Result<PathBuf, CommandFailure> {
    let folder = folder_of(task, scope);
    let (skills, _) = discovered(vec![folder.clone()]);
    let Some(skill) = skills.iter().find(|it| it.name == name) else {
        let names: Vec<&str> = skills.iter().map(|it| it.name.as_str()).collect();
        let near = near_matches(name, &names);
        let message = format!(
            "{} has no skill \"{name}\"; `skills list` shows where each of them is",
            folder.display()
        );
        return Err(CommandFailure::new(FailureCode::NoSource, message).with_candidates(near));
    };
    let place = own_folder(skill).to_path_buf();
    // Removed atomically, not file by file while a session may read it.
    let staging = staged_beside(&folder)?;
    fs::rename(&place, staging.path().join("removed"))
        .map_err(|error| not_writable(&place, &error))?;
    Ok(place)
}

fn folder_of(task: Task<'_>, scope: Scope) -> PathBuf {
    let workspace = Workspace::open(task.environment, task.run);
    scope.folder(&workspace, task.environment).join("skills")
}

fn staged_beside(folder: &Path) -> Result<TempDir, CommandFailure> {
    let make = || {
        fs::create_dir_all(folder)?;
        tempfile::Builder::new()
            .prefix(".staging-")
            .tempdir_in(folder)
    };
    Ok(make().map_err(|error| not_writable(folder, &error))?)
}

/// Returns the folder of a source; a repository is fetched.
fn source_folder(task: Task<'_>, source: &str, to: &Path) -> Result<PathBuf, CommandFailure> {
    let environment = task.environment;
    match Source::parse(source, None, &environment.current_dir) {
        Ok(Source::Git { url, reference }) => {
            let around = Around {
                variables: &environment.variables,
                current_dir: &environment.current_dir,
                scratch_dir: &environment.scratch_dir,
            };
            fetch(&around, &url, reference.as_deref(), to)?;
            Ok(to.to_path_buf())
        }
        Err(failure) if source.contains("://") || source.contains("::") => Err(failure.into()),
        _ => local_folder(task, source),
    }
}

fn local_folder(task: Task<'_>, source: &str) -> Result<PathBuf, CommandFailure> {
    let whole = task.environment.current_dir.join(source);
    let wrong = |why: String| Err(CommandFailure::bad_input(why));
    match whole.canonicalize() {
        Ok(folder) if folder.is_dir() => Ok(folder),
        Ok(_) => wrong(format!("{} isn't a folder", whole.display())),
        Err(error) => wrong(format!("{} can't be read: {error}", whole.display())),
    }
}

/// Returns a folder inside of another.
fn inner_folder(whole: &Path, path: Option<&Path>) -> Result<PathBuf, CommandFailure> {
    let Some(path) = path else {
        return Ok(whole.to_path_buf());
    };
    let is_plain = |it: Component<'_>| matches!(it, Component::Normal(_) | Component::CurDir);
    let folder = whole.join(path);
    let real = folder.canonicalize().ok();
    match real.filter(|it| path.components().all(is_plain) && it.starts_with(whole)) {
        Some(real) if real.is_dir() => Ok(real),
        _ => Err(CommandFailure::bad_input(format!(
            "{} isn't a folder in the source",
            path.display()
        ))),
    }
}

fn name_of(folder: &Path) -> Result<PathBuf, CommandFailure> {
    let name = folder.file_name().map(PathBuf::from);
    name.ok_or_else(|| {
        CommandFailure::bad_input(format!("{} isn't a skill's folder", folder.display()))
    })
}

fn discovered(used: Vec<PathBuf>) -> (Skills, Vec<SkillProblem>) {
    let untrusted = Vec::new();
    Skills::discover(&SkillFolders { used, untrusted })
}

/// Finds the skills in a folder: the folder itself, or skills in it or in its subfolder `skills`.
fn find_skills(folder: &Path) -> Result<Vec<Skill>, CommandFailure> {
    let is_skill = folder.join("SKILL.md").is_file();
    let (skills, problems) = match folder.parent() {
        Some(above) if is_skill => discovered(vec![above.to_path_buf()]),
        _ => discovered(vec![folder.to_path_buf(), folder.join("skills")]),
    };
    let is_meant = |file: &Path| !is_skill || file.parent() == Some(folder);
    if let Some(problem) = problems
        .iter()
        .find(|it| it.file.is_file() && is_meant(&it.file))
    {
        return Err(CommandFailure::bad_input(problem.to_string()));
    }
    let skills: Vec<Skill> = skills
        .iter()
        .filter(|it| is_meant(&it.file))
        .cloned()
        .collect();
    if skills.is_empty() {
        let message = "no skill was found: neither SKILL.md nor NAME/SKILL.md exists";
        return Err(CommandFailure::bad_input(message));
    }
    Ok(skills)
}

/// Returns the target folders of skills, if none of them exists.
fn free_places(folder: &Path, skills: &[Skill]) -> Result<Vec<PathBuf>, CommandFailure> {
    let is_plain = |it: char| it.is_alphanumeric() || matches!(it, '-' | '_' | '.' | ' ');
    let (present, _) = discovered(vec![folder.to_path_buf()]);
    let place = |skill: &Skill| {
        let name = &skill.name;
        if name.starts_with('.') || !name.chars().all(is_plain) {
            return Err(CommandFailure::bad_input(format!(
                "\"{name}\" can't be the name of a skill's folder: use letters, digits, \"-\", \
                 \"_\" and \".\""
            )));
        }
        if let Some(other) = present.get(name) {
            return Err(already_exists(own_folder(other)).into());
        }
        let place = folder.join(name);
        if place.symlink_metadata().is_ok() {
            return Err(already_exists(&place).into());
        }
        Ok(place)
    };
    skills.iter().map(place).collect()
}

/// Returns the folder of a skill.
fn own_folder(skill: &Skill) -> &Path {
    skill.file.parent().unwrap_or(&skill.file)
}

fn to_installed(skill: &Skill, place: PathBuf) -> InstalledSkill {
    InstalledSkill {
        name: skill.name.clone(),
        place,
    }
}

fn count_skills(skills: &[Skill]) -> String {
    match skills {
        [one] => format!("the skill \"{}\"", one.name),
        several => format!("{} skills", several.len()),
    }
}

#[cfg(unix)]
fn link(target: &Path, place: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, place)
}

#[cfg(not(unix))]
fn link(_target: &Path, _place: &Path) -> io::Result<()> {
    Err(io::Error::other("links can't be created on this system"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::World;

    const AGREES: AgreeToSkills<'static> = &|_, _| Ok(());

    fn skill(world: &World, folder: &str, name: &str) {
        let folder = world.path(folder);
        fs::create_dir_all(&folder).unwrap();
        let text = format!("---\nname: {name}\ndescription: About it.\n---\nDo it.\n");
        fs::write(folder.join("SKILL.md"), text).unwrap();
    }

    fn wishes<'a>(source: &'a str, agree: AgreeToSkills<'a>) -> SkillWishes<'a> {
        SkillWishes {
            source,
            path: None,
            scope: Scope::User,
            agree,
        }
    }

    /// AG-CLI-7, TO-5: a folder's skills are installed together after consent, never over an
    /// existing one, and uninstalled by name.
    #[test]
    fn skills_come_and_go() {
        let world = World::new();
        skill(&world, "many/skills/one", "one");
        skill(&world, "many/two", "two");
        let source = world.path("many").display().to_string();
        let refuses: AgreeToSkills<'_> = &|_, _| Err(CommandFailure::bad_input("no"));
        assert!(install_skills(world.task(), wishes(&source, refuses)).is_err());
        let folder = world.path("home/.gemini/skills");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        let installed = install_skills(world.task(), wishes(&source, AGREES)).unwrap();
        let names: Vec<&str> = installed.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["one", "two"]);
        assert!(folder.join("one/SKILL.md").is_file());
        assert!(install_skills(world.task(), wishes(&source, AGREES)).is_err());
        let gone = uninstall_skill(world.task(), "one", Scope::User).unwrap();
        assert_eq!(gone, folder.join("one"));
        assert!(!gone.exists() && folder.join("two").is_dir());
        assert!(uninstall_skill(world.task(), "two", Scope::Project).is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    /// AG-CLI-7: one folder of a source may be chosen, and none outside of it; a linked skill stays
    /// where it is when it is uninstalled.
    #[cfg(unix)]
    #[test]
    fn a_part_counts_and_a_link_is_only_a_link() {
        let world = World::new();
        skill(&world, "source/deep/one", "one");
        skill(&world, "other", "other");
        let source = world.path("source").display().to_string();
        for path in ["../other", "missing", "/"] {
            let wishes = SkillWishes {
                path: Some(Path::new(path)),
                ..wishes(&source, AGREES)
            };
            assert!(install_skills(world.task(), wishes).is_err(), "{path}");
        }
        let wishes = SkillWishes {
            path: Some(Path::new("deep")),
            ..wishes(&source, AGREES)
        };
        let linked = link_skills(world.task(), wishes).unwrap();
        assert!(linked[0].place.is_symlink());
        uninstall_skill(world.task(), "one", Scope::User).unwrap();
        assert!(!linked[0].place.is_symlink());
        assert!(world.path("source/deep/one/SKILL.md").is_file());
    }
}
