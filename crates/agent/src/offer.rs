//! What an agent can use besides its conversation: the model, the system instruction, and its
//! tools.

use std::sync::Arc;

use hookloop_model::{
    Content, FunctionDeclaration, ModelClient, NativeTool, Request, RequestParts, estimate_tokens,
    estimate_tokens_of_text, window_tokens,
};
use hookloop_settings::{ModelProfile, ModelTable};
use hookloop_tools::{DelegateToAgent, GoogleWebSearch, SubAgent, ToolList, Toolbox};
use serde_json::{Map, Value};

use crate::approval::{Policy, WaysToRun};
use crate::approval_mode::ApprovalMode;

/// Which of the session's tools are available to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolScope {
    /// All of them: it is the session's own agent.
    Session,
    /// Those that a sub-agent may call; all except delegating if it has no list.
    SubAgent(Option<ToolList>),
}

impl ToolScope {
    pub(crate) fn holds(&self, tool: &str) -> bool {
        match self {
            // Sub-agents that delegate could do so endlessly.
            Self::SubAgent(_) if tool == DelegateToAgent::NAME => false,
            Self::Session | Self::SubAgent(None) => true,
            Self::SubAgent(Some(list)) => list.names_tool(tool),
        }
    }
}

/// What an agent has to work with.
#[derive(Clone)]
pub(crate) struct Offer {
    /// The model's name, as the user or a sub-agent names it.
    pub(crate) asked: String,
    /// What is set for models (MO-6).
    models: Arc<ModelTable>,
    /// The model that the name stands for, and what is set for it.
    profile: ModelProfile,
    /// The model's instruction.
    pub(crate) instruction: Option<Arc<Content>>,
    pub(crate) toolbox: Toolbox,
    pub(crate) scope: ToolScope,
    /// What was declared last, and for which mode and model.
    declared: Option<Declared>,
}

#[derive(Clone)]
struct Declared {
    mode: ApprovalMode,
    model: String,
    declarations: Vec<Arc<FunctionDeclaration>>,
    /// The size of the declarations, in tokens, estimated.
    tokens: u64,
}

impl Offer {
    pub(crate) fn new(
        asked: String,
        models: Arc<ModelTable>,
        instruction: Option<String>,
        toolbox: Toolbox,
        scope: ToolScope,
    ) -> Self {
        Self {
            profile: models.profile(&asked),
            asked,
            models,
            instruction: instruction.map(|text| Arc::new(Content::system(text))),
            toolbox,
            scope,
            declared: None,
        }
    }

    /// Changes the model: from the next request on, what is set for it counts (MO-6).
    pub(crate) fn ask_model(&mut self, name: String) {
        self.profile = self.models.profile(&name);
        self.asked = name;
    }

    /// Makes the offer of a sub-agent: its own instruction and tools, and its model if it names one
    /// (TO-4).
    pub(crate) fn of_sub_agent(&self, agent: &SubAgent, instruction: String) -> Self {
        Self::new(
            agent.model.as_ref().unwrap_or(&self.asked).clone(),
            Arc::clone(&self.models),
            Some(instruction),
            self.toolbox.clone(),
            ToolScope::SubAgent(agent.tools.clone()),
        )
    }

    /// Returns the name of the model at its service.
    pub(crate) fn model_name(&self) -> &str {
        &self.profile.model
    }

    /// Returns the parameters of the model's requests.
    pub(crate) const fn parameters(&self) -> &Map<String, Value> {
        &self.profile.settings.parameters
    }

    /// Returns the size of the model's context window, in tokens (LO-5).
    pub(crate) fn window(&self) -> u64 {
        let set = self.profile.settings.context_window;
        set.unwrap_or_else(|| window_tokens(self.model_name()))
    }

    /// Changes the model's instruction.
    pub(crate) fn instruct(&mut self, instruction: impl Into<String>) {
        self.instruction = Some(Arc::new(Content::system(instruction)));
    }

    /// Returns the names of the tools that were declared last.
    pub(crate) fn declared_names(&self) -> impl Iterator<Item = &str> {
        let declared = self.declared.iter().flat_map(|it| &it.declarations);
        declared.map(|tool| tool.name.as_str())
    }

    /// Adopts tools that came or went, such as those of an MCP server that changed its list, and
    /// returns what is declared to the model: what is available to this agent, what its service can
    /// do, and what the policy may let run (TO-3, TO-6).
    pub(crate) fn declare(
        &mut self,
        policy: &Policy,
        mode: ApprovalMode,
        ways: WaysToRun<'_>,
        model: &dyn ModelClient,
    ) -> &[Arc<FunctionDeclaration>] {
        let changed = self.toolbox.refresh();
        let stands = self.declared.take().filter(|declared| {
            !changed && declared.mode == mode && declared.model == self.profile.model
        });
        let declared = stands.unwrap_or_else(|| self.declare_anew(policy, mode, ways, model));
        &self.declared.insert(declared).declarations
    }

    fn declare_anew(
        &mut self,
        policy: &Policy,
        mode: ApprovalMode,
        ways: WaysToRun<'_>,
        model: &dyn ModelClient,
    ) -> Declared {
        let scope = &self.scope;
        self.toolbox
            .retain(|tool| policy.offers(tool) && scope.holds(&tool.name));
        let searches = model.has_native_tool(self.model_name(), NativeTool::GoogleSearch);
        let tools = self.toolbox.tools().filter(|tool| {
            policy.may_ever_run(*tool, mode, ways)
                && (searches || tool.declaration().name != GoogleWebSearch::NAME)
        });
        let declarations: Vec<_> = tools
            .map(|tool| {
                let tool = tool.declaration();
                Arc::new(FunctionDeclaration {
                    name: tool.name.clone(),
                    description: tool.description.clone(),
                    parameters_json_schema: tool.parameters.clone(),
                })
            })
            .collect();
        let sizes = declarations.iter().map(|it| {
            let schema = it.parameters_json_schema.to_string();
            estimate_tokens_of_text(&it.name)
                + estimate_tokens_of_text(&it.description)
                + estimate_tokens_of_text(&schema)
        });
        Declared {
            mode,
            model: self.model_name().to_owned(),
            tokens: sizes.sum(),
            declarations,
        }
    }

    /// Builds the request that continues with a conversation; it shares the history (BM-6).
    pub(crate) fn request(&self, contents: &[Arc<Content>]) -> Request {
        let declared = self.declared.as_ref();
        Request::from(RequestParts {
            model: self.model_name().to_owned(),
            contents: contents.to_vec(),
            system_instruction: self.instruction.clone(),
            config: self.parameters().clone(),
            tools: declared.map_or_else(Vec::new, |it| it.declarations.clone()),
            ..RequestParts::default()
        })
    }

    /// Estimates what goes with every request beside the conversation, in tokens (PC-1).
    pub(crate) fn tokens(&self) -> u64 {
        let instruction = self.instruction.as_deref();
        estimate_tokens(instruction) + self.declared.as_ref().map_or(0, |it| it.tokens)
    }
}
