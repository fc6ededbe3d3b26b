//! What outlives a session: memory and skills (TO-5).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_tools::{
    ActivateSkill, NoSession, Output, RunContext, SaveMemory, SkillFolders, Skills, Subject, Tool,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::bench::object;

async fn run(tool: &dyn Tool, arguments: Value) -> Output {
    let context = RunContext {
        cancel: CancellationToken::new(),
        progress: &|_| {},
        services: &NoSession,
    };
    tool.run(object(arguments).into(), context).await
}

/// `save_memory` creates the file with its folder, then appends; the preview shows the change.
#[tokio::test]
async fn facts_are_remembered() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(".gemini/GEMINI.md");
    let tool = SaveMemory::new(file.clone());
    let output = run(&tool, json!({"fact": "- likes\ntea"})).await;
    assert_eq!(
        output.llm_content,
        "Okay, I've remembered that: \"likes tea\""
    );
    let preview = tool.preview(&object(json!({"fact": "has a cat"})));
    assert!(matches!(preview.subject, Subject::Edit { diff, .. } if diff.contains("+- has a cat")));
    run(&tool, json!({"fact": "has a cat"})).await;
    let text = fs::read_to_string(&file).expect("the file");
    assert_eq!(text, "## Gemini Added Memories\n- likes tea\n- has a cat\n");
    assert!(tool.validate(&object(json!({"fact": " - "}))).is_err());
}

/// TO-1: a file that can't be read as text stays unchanged; a link stays a link.
#[cfg(unix)]
#[tokio::test]
async fn memory_is_never_destroyed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, target) = (
        folder.path().join("GEMINI.md"),
        folder.path().join("dotfile"),
    );
    fs::write(&target, b"caf\xe9 \xff\0").expect("a file");
    std::os::unix::fs::symlink(&target, &file).expect("a link");
    let tool = SaveMemory::new(file.clone());
    assert!(run(&tool, json!({"fact": "x"})).await.error.is_some());
    assert_eq!(fs::read(&target).expect("the file"), b"caf\xe9 \xff\0");
    fs::write(&target, "mine\n").expect("a file");
    assert_eq!(run(&tool, json!({"fact": "x"})).await.error, None);
    assert!(file.is_symlink());
    let text = fs::read_to_string(&target).expect("the file");
    assert!(
        text.starts_with("mine\n") && text.ends_with("- x\n"),
        "{text}"
    );
}

fn skill(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name).join("SKILL.md");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, text).expect("a file");
    file
}

fn head(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nDo it as in {name}.\n")
}

/// TO-5: skills of project and user are found and listed; the project's wins; what is broken,
/// shadowed or not trusted is reported with its place.
#[test]
fn skills_are_found_and_problems_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (project, user) = (folder.path().join("project"), folder.path().join("user"));
    skill(&project, "a", &head("alpha", "first\n  of all"));
    let shadowed = skill(&user, "a", &head("alpha", "second"));
    skill(&user, "b", &head("beta", "of the user"));
    let broken = skill(&user, "c", "name: no head");
    let nameless = skill(&user, "d", "---\ndescription: x\n---\n");
    fs::create_dir(user.join("e")).expect("a folder");
    fs::create_dir(user.join(".git")).expect("a folder");
    let (skills, problems) = Skills::discover(&SkillFolders {
        used: vec![project.clone(), user.clone(), folder.path().join("none")],
        untrusted: Vec::new(),
    });
    let names: Vec<&str> = skills.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["alpha", "beta"]);
    let instruction = skills.instruction().expect("a text");
    assert!(instruction.contains("\n- alpha: first of all\n- beta: of the user\n"));
    let reported: Vec<String> = problems.iter().map(ToString::to_string).collect();
    for (reported, (file, line, words)) in reported.iter().zip([
        (&shadowed, "", "has the name \"alpha\" too"),
        (&broken, ":1", "three dashes"),
        (&nameless, ":1", "no name"),
        (&user.join("e/SKILL.md"), "", "must contain this file"),
    ]) {
        let place = format!("{}{line}: ", file.display());
        assert!(
            reported.starts_with(&place) && reported.contains(words),
            "{reported}"
        );
    }
    assert_eq!(reported.len(), 4);
    let (skills, problems) = Skills::discover(&SkillFolders {
        used: Vec::new(),
        untrusted: vec![project.clone()],
    });
    assert!(skills.is_empty() && skills.instruction().is_none());
    assert!(
        problems[0].to_string().contains("1 skills are left out"),
        "{problems:?}"
    );
}

/// TO-5: an active skill gives its instructions and names its files.
#[tokio::test]
async fn a_skill_gives_its_instructions() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = skill(folder.path(), "a", &head("alpha", "first"));
    fs::create_dir(folder.path().join("a/scripts")).expect("a folder");
    fs::write(folder.path().join("a/scripts/run.sh"), "").expect("a file");
    let (skills, _) = Skills::discover(&SkillFolders {
        used: vec![folder.path().to_owned()],
        untrusted: Vec::new(),
    });
    let tool = ActivateSkill::new(Arc::new(skills));
    let output = run(&tool, json!({"name": "alpha"})).await;
    for part in [
        "<activated_skill name=\"alpha\">",
        "Do it as in alpha.",
        "SKILL.md\n",
        &format!("{}\n", Path::new("scripts").join("run.sh").display()),
    ] {
        assert!(output.llm_content.contains(part), "{part} in {output:?}");
    }
    assert!(!output.llm_content.contains("description:"));
    assert!(tool.validate(&object(json!({"name": "beta"}))).is_err());
    fs::remove_file(file).expect("the file");
    assert!(run(&tool, json!({"name": "alpha"})).await.error.is_some());
}
