//! `skills list`: what the model may be taught in this folder (AG-CLI-7, TO-5).

use clap::{Args, Subcommand};
use hookloop_manage::text;
use hookloop_session::{Environment, RunOptions, Workspace, skills, skills_kept_out};
use hookloop_text::visible;

use crate::output::{Exit, Output};

/// Holds a command for skills.
#[derive(Debug, Clone, Args)]
pub(crate) struct SkillsArguments {
    /// What is to be done; the list without it
    #[command(subcommand)]
    command: Option<SkillsCommand>,
}

#[derive(Debug, Clone, Copy, Subcommand)]
enum SkillsCommand {
    /// List the skills that the model is offered, and where they come from
    List,
}

/// Runs a command for skills.
pub(crate) fn run(arguments: &SkillsArguments, environment: &Environment) -> Output {
    let SkillsCommand::List = arguments.command.unwrap_or(SkillsCommand::List);
    let workspace = Workspace::open(environment, &RunOptions::default());
    let mut notices = String::new();
    let found = skills(environment, &workspace, &mut |problem| {
        notices.push_str(&text::warning(problem));
    });
    for kept_out in skills_kept_out(environment, &workspace) {
        notices.push_str(&text::warning(&kept_out));
    }
    let line = |skill: &hookloop_tools::Skill| {
        format!(
            "{}: {}\n    from {}\n",
            visible(&skill.name),
            visible(&skill.description),
            visible(&skill.file.to_string_lossy())
        )
    };
    let mut result: String = found.iter().map(line).collect();
    if found.is_empty() {
        result.push_str("No skills are installed (.gemini/skills/NAME/SKILL.md).\n");
    }
    Output {
        result,
        notices,
        exit: Exit::Done,
    }
}
