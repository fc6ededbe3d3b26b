//! What the user and the project provide for the model: context files, skills, sub-agents, and the
//! tools for them (TO-4, TO-5).

use std::path::PathBuf;
use std::sync::Arc;

use hookloop_agent::{
    CONTEXT_FILE_NAME, ContextFile, context_instruction, context_paths, read_context_files,
    user_context_paths,
};
use hookloop_settings::WorkspaceTrust;
use hookloop_tools::{
    ActivateSkill, AgentFolders, AskUser, Asker, DelegateToAgent, GoogleWebSearch, SaveMemory,
    Skill, SkillFolders, Skills, SubAgents, Tool, WebFetch, WriteTodos,
};

use crate::environment::Environment;
use crate::workspace::Workspace;

/// What the user and the project provide for the model.
pub(crate) struct Assets {
    context: Context,
    skills: Arc<Skills>,
    agents: Arc<SubAgents>,
}

/// The context files of a session.
pub(crate) struct Context {
    /// Those that the model reads, the most general first.
    pub(crate) files: Vec<ContextFile>,
    /// Those of a project that is marked `DO_NOT_TRUST`, which aren't read.
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "only a terminal session lists them")
    )]
    pub(crate) left_out: Vec<PathBuf>,
}

impl Assets {
    /// Finds them; what can't be used is reported. A folder that is marked `DO_NOT_TRUST` provides
    /// nothing (TR-5).
    pub(crate) fn find(
        environment: &Environment,
        workspace: &Workspace,
        tell: &dyn Fn(&str),
    ) -> Self {
        Self {
            context: context(environment, workspace, tell),
            skills: Arc::new(skills(environment, workspace, &mut |it| tell(it))),
            agents: Arc::new(agents(environment, workspace, tell)),
        }
    }

    /// Reads the context files again; what can't be used is reported.
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "only a terminal session reads them again")
    )]
    pub(crate) fn refresh(
        &mut self,
        environment: &Environment,
        workspace: &Workspace,
        tell: &dyn Fn(&str),
    ) {
        self.context = context(environment, workspace, tell);
    }

    /// Returns the context files.
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "only a terminal session shows them")
    )]
    pub(crate) const fn context(&self) -> &Context {
        &self.context
    }

    /// Adds context and skills to the instructions for the model.
    pub(crate) fn instruction(&self, own: &str) -> String {
        let parts = [
            Some(own.to_owned()),
            self.skills.instruction(),
            context_instruction(&self.context.files),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }

    /// Returns the tools that aren't about files and commands.
    pub(crate) fn tools(
        &self,
        environment: &Environment,
        asker: Option<Arc<dyn Asker>>,
    ) -> Vec<Arc<dyn Tool>> {
        let mut tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(WriteTodos::default()),
            Arc::new(SaveMemory::new(memory_file(environment))),
            Arc::new(AskUser::new(asker)),
            Arc::new(WebFetch::default()),
            Arc::new(GoogleWebSearch::default()),
        ];
        if !self.skills.is_empty() {
            tools.push(Arc::new(ActivateSkill::new(Arc::clone(&self.skills))));
        }
        if !self.agents.is_empty() {
            tools.push(Arc::new(DelegateToAgent::new(Arc::clone(&self.agents))));
        }
        tools
    }
}

/// Returns the user's context file, which the model and `/memory add` add to.
pub(crate) fn memory_file(environment: &Environment) -> PathBuf {
    environment.home.join(".gemini").join(CONTEXT_FILE_NAME)
}

fn is_distrusted(workspace: &Workspace) -> bool {
    matches!(
        workspace.settings.workspace,
        WorkspaceTrust::DoNotTrust { .. }
    )
}

/// Returns the names of files with instructions for the model (TO-5).
pub(crate) fn context_file_names(workspace: &Workspace) -> Vec<String> {
    let configured = workspace.settings.agent.context_file_names.as_ref();
    configured.map_or_else(|| vec![CONTEXT_FILE_NAME.to_owned()], |it| it.value.clone())
}

fn context(environment: &Environment, workspace: &Workspace, tell: &dyn Fn(&str)) -> Context {
    let names = context_file_names(workspace);
    let home = &environment.home;
    let all = context_paths(
        &environment.current_dir,
        &workspace.project_root,
        home,
        &names,
    );
    let (paths, left_out) = if is_distrusted(workspace) {
        let own = user_context_paths(home, &names);
        let others = all
            .into_iter()
            .filter(|it| !own.contains(it) && it.path.exists())
            .map(|it| it.path);
        let others = others.collect();
        (own, others)
    } else {
        (all, Vec::new())
    };
    let (files, problems) = read_context_files(&paths);
    for problem in problems {
        tell(&problem.to_string());
    }
    Context { files, left_out }
}

/// The folders of one kind, as far as the workspace is trusted.
struct Folders {
    /// Those whose content counts, the one that wins first.
    used: Vec<PathBuf>,
    untrusted: Vec<PathBuf>,
}

/// Finds the user's and the project's folder. The project's takes precedence if the workspace is
/// trusted; an untrusted repository adds to what the user has, and replaces none of it.
fn folders(environment: &Environment, workspace: &Workspace, name: &str) -> Folders {
    let own = environment.home.join(".gemini").join(name);
    let of_project = workspace.project_root.join(".gemini").join(name);
    if is_distrusted(workspace) {
        return Folders {
            used: vec![own],
            untrusted: vec![of_project],
        };
    }
    let used = if workspace.settings.workspace.is_trusted() {
        vec![of_project, own]
    } else {
        vec![own, of_project]
    };
    Folders {
        used,
        untrusted: Vec::new(),
    }
}

/// Returns the skills that a session in this workspace offers (TO-5). Skills that can't be used are
/// reported.
pub fn skills(
    environment: &Environment,
    workspace: &Workspace,
    tell: &mut dyn FnMut(&str),
) -> Skills {
    let Folders { used, untrusted } = folders(environment, workspace, "skills");
    let (skills, problems) = Skills::discover(&SkillFolders { used, untrusted });
    for problem in problems {
        tell(&problem.to_string());
    }
    let restrictions = &workspace.settings.agent.restrictions;
    skills.retain(|it| restrictions.of_skill(&it.name).is_none())
}

/// Returns the skills of this workspace, including those that settings exclude from sessions
/// (TO-5).
pub fn installed_skills(environment: &Environment, workspace: &Workspace) -> Skills {
    let used = folders(environment, workspace, "skills").used;
    let untrusted = Vec::new();
    Skills::discover(&SkillFolders { used, untrusted }).0
}

/// Returns the names of the skills that settings exclude from sessions in this workspace, with the
/// place (AG-CLI-9).
pub fn skills_kept_out(environment: &Environment, workspace: &Workspace) -> Vec<String> {
    let skills = installed_skills(environment, workspace);
    let restrictions = &workspace.settings.agent.restrictions;
    let line = |skill: &Skill| {
        let restriction = restrictions.of_skill(&skill.name)?;
        let (place, name) = (restriction.place(), &skill.name);
        Some(format!("{place} disables the skill \"{name}\""))
    };
    skills.iter().filter_map(line).collect()
}

/// Returns the names of the sub-agents that a session in this workspace has.
pub(crate) fn agent_names(environment: &Environment, workspace: &Workspace) -> Vec<String> {
    let found = agents(environment, workspace, &|_| {});
    found.iter().map(|it| it.name.clone()).collect()
}

/// Returns the names of the sub-agents of this workspace, including those that settings exclude
/// from sessions.
pub(crate) fn installed_agents(environment: &Environment, workspace: &Workspace) -> Vec<String> {
    let used = folders(environment, workspace, "agents").used;
    let untrusted = Vec::new();
    let found = SubAgents::discover(&AgentFolders { used, untrusted }).0;
    found.iter().map(|it| it.name.clone()).collect()
}

fn agents(environment: &Environment, workspace: &Workspace, tell: &dyn Fn(&str)) -> SubAgents {
    let Folders { used, untrusted } = folders(environment, workspace, "agents");
    let (agents, problems) = SubAgents::discover(&AgentFolders { used, untrusted });
    for problem in problems {
        tell(&problem.to_string());
    }
    let restrictions = &workspace.settings.agent.restrictions;
    agents.retain(|it| restrictions.of_sub_agent(&it.name).is_none())
}
