//! The commands for skills: what the model may be taught in this folder (AG-CLI-7, TO-5).

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use hookloop_manage::{
    AgreeToSkills, CommandFailure, InstalledSkill, KeptOut, Scope, SkillWishes, Task,
    install_skills, link_skills, text, uninstall_skill,
};
use hookloop_session::{Environment, RunOptions, Workspace, skills, skills_kept_out};
use hookloop_text::visible;
use hookloop_tools::Skill;
use tokio_util::sync::CancellationToken;

use crate::commands::extensions::AtTerminal;
use crate::commands::kept_out::{EnableArguments, disable, enable};
use crate::commands::person::Effect;
use crate::output::{Exit, Output};

/// Contains a command for skills.
#[derive(Debug, Clone, Args)]
pub(crate) struct SkillsArguments {
    /// What to do; the list without it
    #[command(subcommand)]
    command: Option<SkillsCommand>,
}

#[derive(Debug, Clone, Subcommand)]
enum SkillsCommand {
    /// List the skills that the model is offered, and where they come from
    List {
        /// Exists in Gemini CLI; here, there are no further skills that it could show
        #[arg(long = "all", short = 'a', hide = true)]
        _all: bool,
    },
    /// Offer a skill to the model again
    Enable(EnableArguments),
    /// Keep a skill from the model
    Disable {
        /// The skill's name
        name: String,
        /// Whose settings to write
        #[arg(short, long, value_enum, default_value = "project")]
        scope: Scope,
    },
    /// Install the skills of a folder or a git repository
    Install {
        /// A folder, or the address of a git repository
        #[arg(value_name = "PATH|URL")]
        source: String,
        /// The folder inside the source that contains the skills
        #[arg(long, value_name = "FOLDER")]
        path: Option<PathBuf>,
        #[command(flatten)]
        add: AddArguments,
    },
    /// Use the skills of a folder where they are, without copying them
    Link {
        /// The folder of the skill, or of several
        path: String,
        #[command(flatten)]
        add: AddArguments,
    },
    /// Remove a skill; if it is linked, only the link
    Uninstall {
        /// The skill's name
        name: String,
        /// Whose skill it is
        #[arg(long, value_enum, default_value = "user")]
        scope: Scope,
    },
}

/// Contains where skills come from, and where they go.
#[derive(Debug, Clone, Args)]
struct AddArguments {
    /// Whose skills they become
    #[arg(long, value_enum, default_value = "user")]
    scope: Scope,
    /// Agree to the skills without being asked
    #[arg(long)]
    consent: bool,
}

impl SkillsArguments {
    /// Returns the command's effect on files that guards depend on (TR-11): skills are instructions
    /// for the agent.
    pub(crate) const fn effect(&self) -> Effect<'_> {
        match &self.command {
            None | Some(SkillsCommand::List { .. }) => Effect::Reads,
            Some(
                SkillsCommand::Enable(_)
                | SkillsCommand::Disable { .. }
                | SkillsCommand::Install { .. }
                | SkillsCommand::Link { .. }
                | SkillsCommand::Uninstall { .. },
            ) => Effect::on_settings(false),
        }
    }
}

/// Runs a command for skills.
pub(crate) fn run(arguments: &SkillsArguments, environment: &Environment) -> Output {
    let run = RunOptions::default();
    let task = Task {
        environment,
        run: &run,
        stop: &CancellationToken::new(),
    };
    let Some(command) = &arguments.command else {
        return list(environment);
    };
    let done = match command {
        SkillsCommand::List { .. } => return list(environment),
        SkillsCommand::Enable(wanted) => return enable(task, KeptOut::Skill, wanted),
        SkillsCommand::Disable { name, scope } => {
            return disable(task, KeptOut::Skill, name, *scope);
        }
        SkillsCommand::Install { source, path, add } => {
            let done = install_skills(task, add.wishes(source, path.as_deref(), &add.asking(task)));
            done.map(|it| describe_all("installed", &it))
        }
        SkillsCommand::Link { path, add } => {
            let done = link_skills(task, add.wishes(path, None, &add.asking(task)));
            done.map(|it| describe_all("linked", &it))
        }
        SkillsCommand::Uninstall { name, scope } => {
            let removed = uninstall_skill(task, name, *scope);
            removed.map(|place| describe("uninstalled", name, &place))
        }
    };
    match done {
        Ok(told) => Output::from_text(told),
        Err(failure) => Output::from_error(&visible(&failure.message), Exit::Failed),
    }
}

impl AddArguments {
    /// Returns what asks a person about the skills, unless they agreed in advance.
    fn asking<'a>(
        &self,
        task: Task<'a>,
    ) -> impl Fn(&[Skill], &str) -> Result<(), CommandFailure> + 'a {
        let asked = AtTerminal {
            environment: task.environment,
            has_agreed: self.consent,
        };
        move |skills, question| asked.agrees_to(&describe_new(skills), question)
    }

    fn wishes<'a>(
        &self,
        source: &'a str,
        path: Option<&'a Path>,
        agree: AgreeToSkills<'a>,
    ) -> SkillWishes<'a> {
        SkillWishes {
            source,
            path,
            scope: self.scope,
            agree,
        }
    }
}

/// Formats the skills to be added, for a person to agree to.
fn describe_new(skills: &[Skill]) -> String {
    let line = |it: &Skill| format!("  {}: {}\n", visible(&it.name), visible(&it.description));
    let lines: String = skills.iter().map(line).collect();
    let about = text::warning(
        "skills are instructions that the model follows, and programs that it may run. Install \
         only what you trust.",
    );
    format!("Skills:\n{lines}{about}")
}

fn describe_all(verb: &str, skills: &[InstalledSkill]) -> String {
    let line = |it: &InstalledSkill| describe(verb, &it.name, &it.place);
    skills.iter().map(line).collect()
}

fn describe(verb: &str, name: &str, place: &Path) -> String {
    let place = place.to_string_lossy();
    format!("{verb}: {}\n    {}\n", visible(name), visible(&place))
}

fn list(environment: &Environment) -> Output {
    let workspace = Workspace::open(environment, &RunOptions::default());
    let mut notices = String::new();
    let found = skills(environment, &workspace, &mut |problem| {
        notices.push_str(&text::warning(problem));
    });
    for kept_out in skills_kept_out(environment, &workspace) {
        notices.push_str(&text::warning(&kept_out));
    }
    let line = |skill: &Skill| {
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
