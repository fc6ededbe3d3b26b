//! What user and project bring for the model: context files, skills, sub-agents, and the tools
//! around them (TO-4, TO-5).

use std::sync::Arc;

use hookloop_agent::{
    CONTEXT_FILE_NAME, context_instruction, context_paths, read_context_files, user_context_paths,
};
use hookloop_settings::WorkspaceTrust;
use hookloop_tools::{
    ActivateSkill, AgentFolders, AskUser, DelegateToAgent, GoogleWebSearch, SaveMemory,
    SkillFolders, Skills, SubAgents, Tool, WebFetch, WriteTodos,
};

use crate::environment::Environment;
use crate::session::notices;
use crate::workspace::Workspace;

/// What user and project bring for the model.
pub(crate) struct Assets {
    context: Option<String>,
    skills: Arc<Skills>,
    agents: Arc<SubAgents>,
}

impl Assets {
    /// Finds them; what can't be used is reported. A folder that is marked `DO_NOT_TRUST` brings
    /// nothing (TR-5).
    pub(crate) fn find(environment: &Environment, workspace: &Workspace) -> Self {
        Self {
            context: context(environment, workspace),
            skills: Arc::new(skills(environment, workspace)),
            agents: Arc::new(agents(environment, workspace)),
        }
    }

    /// Adds context and skills to what the model is told about its work.
    pub(crate) fn instruction(&self, own: &str) -> String {
        let parts = [
            Some(own.to_owned()),
            self.skills.instruction(),
            self.context.clone(),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }

    /// Returns the tools that are not about files and commands.
    pub(crate) fn tools(&self, environment: &Environment) -> Vec<Arc<dyn Tool>> {
        let memory = environment.home.join(".gemini").join(CONTEXT_FILE_NAME);
        let mut tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(WriteTodos::default()),
            Arc::new(SaveMemory::new(memory)),
            Arc::new(AskUser::new(None)),
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

fn is_distrusted(workspace: &Workspace) -> bool {
    matches!(
        workspace.settings.workspace,
        WorkspaceTrust::DoNotTrust { .. }
    )
}

fn context(environment: &Environment, workspace: &Workspace) -> Option<String> {
    let configured = workspace.settings.agent.context_file_names.as_ref();
    let names =
        configured.map_or_else(|| vec![CONTEXT_FILE_NAME.to_owned()], |it| it.value.clone());
    let home = &environment.home;
    let paths = if is_distrusted(workspace) {
        user_context_paths(home, &names)
    } else {
        context_paths(
            &environment.current_dir,
            &workspace.project_root,
            home,
            &names,
        )
    };
    let (files, problems) = read_context_files(&paths);
    for problem in problems {
        notices::print(&format!("warning: {problem}"));
    }
    context_instruction(&files)
}

fn skills(environment: &Environment, workspace: &Workspace) -> Skills {
    let user = environment.home.join(".gemini").join("skills");
    let project = workspace.project_root.join(".gemini").join("skills");
    let folders = if is_distrusted(workspace) {
        SkillFolders {
            used: vec![user],
            untrusted: vec![project],
        }
    } else {
        SkillFolders {
            used: vec![project, user],
            untrusted: Vec::new(),
        }
    };
    let (skills, problems) = Skills::discover(&folders);
    for problem in problems {
        notices::print(&format!("warning: {problem}"));
    }
    skills
}

fn agents(environment: &Environment, workspace: &Workspace) -> SubAgents {
    let user = environment.home.join(".gemini").join("agents");
    let project = workspace.project_root.join(".gemini").join("agents");
    let folders = if is_distrusted(workspace) {
        AgentFolders {
            used: vec![user],
            untrusted: vec![project],
        }
    } else {
        AgentFolders {
            used: vec![project, user],
            untrusted: Vec::new(),
        }
    };
    let (agents, problems) = SubAgents::discover(&folders);
    for problem in problems {
        notices::print(&format!("warning: {problem}"));
    }
    agents
}
