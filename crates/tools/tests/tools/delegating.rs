//! Tools that let the session's model, or another agent, work (TO-4, `agent.md` §4).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hookloop_tools::{
    Access, AgentFolders, BoxFuture, DelegateToAgent, ErrorKind, GoogleWebSearch, GroundingKind,
    NoSession, Output, RunContext, Services, SubAgent, SubAgents, Subject, Tool, ToolError,
    WebFetch,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::bench::object;

/// Answers as specified, and records what it was asked.
struct Scripted {
    answer: Result<String, ToolError>,
    asked: Mutex<Vec<String>>,
}

impl Scripted {
    fn new(answer: Result<&str, ToolError>) -> Self {
        Self {
            answer: answer.map(str::to_owned),
            asked: Mutex::default(),
        }
    }

    fn answer(&self, asked: String) -> Result<String, ToolError> {
        self.asked.lock().expect("a lock").push(asked);
        self.answer.clone()
    }
}

impl Services for Scripted {
    fn ground<'a>(
        &'a self,
        kind: GroundingKind,
        prompt: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        Box::pin(async move { self.answer(format!("{kind:?} {prompt}")) })
    }

    fn delegate<'a>(
        &'a self,
        agent: &'a SubAgent,
        objective: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        Box::pin(async move { self.answer(format!("{} {objective}", agent.name)) })
    }

    fn begin_plan_mode(&self) -> Result<(), ToolError> {
        self.answer("begin".to_owned()).map(drop)
    }

    fn end_plan_mode(&self) -> Result<String, ToolError> {
        self.answer("end".to_owned())
    }
}

async fn run(tool: &dyn Tool, services: &dyn Services, arguments: Value) -> Output {
    let context = RunContext {
        cancel: CancellationToken::new(),
        progress: &|_| {},
        services,
    };
    tool.run(object(arguments).into(), context).await
}

/// `web_fetch` and `google_web_search` answer through the session's model, and ask first (TO-6).
#[tokio::test]
async fn the_web_is_asked_through_the_model() {
    let fetch = WebFetch::default();
    let prompt = "read https://a.example/.";
    let services = Scripted::new(Ok("done"));
    let output = run(&fetch, &services, json!({"prompt": prompt})).await;
    assert_eq!(output.llm_content, "done");
    let asked = services.asked.lock().expect("a lock").clone();
    assert_eq!(asked, ["Fetch read https://a.example/."]);
    let preview = fetch.preview(&object(json!({"prompt": prompt})));
    let urls = vec!["https://a.example/".to_owned()];
    let prompt = prompt.to_owned();
    assert_eq!(preview.subject, Subject::Info { prompt, urls });
    let refused = ToolError::new(ErrorKind::Unavailable, "quota used up");
    let search = GoogleWebSearch::default();
    let services = Scripted::new(Err(refused.clone()));
    let output = run(&search, &services, json!({"query": "x"})).await;
    assert_eq!(output.error, Some(refused));
    assert!(search.validate(&object(json!({"query": " "}))).is_err());
    for tool in [&fetch as &dyn Tool, &search] {
        assert_eq!(tool.declaration().access, Access::Web);
    }
}

/// `web_fetch` only accepts prompts with public addresses, and says what is wrong with others.
#[test]
fn pages_that_nobody_could_read_are_refused() {
    let fetch = WebFetch::default();
    for (prompt, words) in [
        ("no address", "at least one address"),
        ("ftp://a.example", "at least one address"),
        (
            "https://a.example http://localhost:1/x",
            "localhost:1/x leads to this machine",
        ),
        ("http://192.168.1.1/", "a private network"),
    ] {
        let arguments = object(json!({"prompt": prompt}));
        let error = fetch.validate(&arguments).expect_err("refused");
        assert!(error.message.contains(words), "{}", error.message);
    }
}

/// LO-3: outside of a session the tools fail with a clear answer.
#[tokio::test]
async fn without_a_session_the_model_learns_it() {
    let fetch = json!({"prompt": "https://a.example"});
    let output = run(&WebFetch::default(), &NoSession, fetch).await;
    assert_eq!(output.error.expect("an error").kind, ErrorKind::Unavailable);
    let output = run(
        &GoogleWebSearch::default(),
        &NoSession,
        json!({"query": "x"}),
    )
    .await;
    assert_eq!(output.error.expect("an error").kind, ErrorKind::Unavailable);
}

fn agent(folder: &Path, file: &str, text: &str) -> PathBuf {
    let file = folder.join(file);
    fs::create_dir_all(folder).expect("a folder");
    fs::write(&file, text).expect("a file");
    file
}

fn head(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: does {name}\n{more}---\nYou are {name}.\n")
}

/// Writes files of agents, each with something that must be reported.
fn faulty_agents(user: &Path) -> Vec<(PathBuf, &'static str, &'static str)> {
    vec![
        (
            agent(user, "b1.md", "name: no head"),
            ":1: ",
            "three dashes",
        ),
        (
            agent(user, "b2.md", "---\ndescription: x\n---\ny"),
            ":1: ",
            "no name",
        ),
        (
            agent(user, "b3.md", &head("b c", "")),
            ":2: ",
            "letters, digits",
        ),
        (
            agent(user, "b4.md", &head("b", "tools:\n")),
            ":4: ",
            "a list is expected",
        ),
        (
            agent(user, "b5.md", &head("b", "tools: [a]\ntools: [b]\n")),
            ":5: ",
            "again",
        ),
        (
            agent(user, "b6.md", &head("b", "kind: remote\n")),
            ":4: ",
            "local",
        ),
        (
            agent(user, "b7.md", &head("b", "tools [a]\n")),
            ":4: ",
            "key: value",
        ),
        (
            agent(user, "b8.md", "---\nname: b\ndescription: x\n---\n \n"),
            ": ",
            "no instructions",
        ),
        (
            agent(user, "c.md", &head("gamma", "color: red\n")),
            ":4: ",
            "\"color\" has no effect",
        ),
        (
            agent(user, "d.md", &head("alpha", "")),
            ": ",
            "has the name \"alpha\" too",
        ),
    ]
}

/// TO-4: agents of project and user are found; the project's wins; what is broken, shadowed, not
/// trusted or without effect is reported with its place, and the others load.
#[test]
fn agents_are_found_and_problems_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (project, user) = (folder.path().join("project"), folder.path().join("user"));
    agent(
        &project,
        "a.md",
        &head("alpha", "tools: [glob]\nmodel: small\n"),
    );
    agent(&project, "_draft.md", "no agent");
    agent(&project, "notes.txt", "no agent");
    let broken = faulty_agents(&user);
    let (agents, problems) = SubAgents::discover(&AgentFolders {
        used: vec![project.clone(), user, folder.path().join("none")],
        untrusted: Vec::new(),
    });
    let names: Vec<&str> = agents.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["alpha", "gamma"]);
    let alpha = agents.get("alpha").expect("the agent");
    assert_eq!(alpha.model.as_deref(), Some("small"));
    assert_eq!(alpha.instruction, "You are alpha.");
    let tools = alpha.tools.as_ref().expect("a list");
    assert!(tools.names_tool("glob") && !tools.names_tool("replace"));
    assert_eq!(tools.line, 4);
    assert_eq!(agents.get("gamma").expect("the agent").tools, None);
    let reported: Vec<String> = problems.iter().map(ToString::to_string).collect();
    for (reported, (file, line, words)) in reported.iter().zip(&broken) {
        let place = format!("{}{line}", file.display());
        assert!(
            reported.starts_with(&place) && reported.contains(words),
            "{reported}"
        );
    }
    assert_eq!(reported.len(), broken.len(), "{reported:?}");
    let (agents, problems) = SubAgents::discover(&AgentFolders {
        used: Vec::new(),
        untrusted: vec![project],
    });
    assert!(agents.is_empty());
    assert!(problems[0].to_string().contains("1 agents are left out"));
}

/// TO-4: the tool lists the agents, runs the right one, and names them if an unknown one is
/// requested.
#[tokio::test]
async fn work_is_delegated() {
    let folder = tempfile::tempdir().expect("a folder");
    agent(folder.path(), "a.md", &head("alpha", ""));
    agent(folder.path(), "b.md", &head("beta", "model: inherit\n"));
    let (agents, _) = SubAgents::discover(&AgentFolders {
        used: vec![folder.path().to_owned()],
        untrusted: Vec::new(),
    });
    assert_eq!(agents.get("beta").expect("the agent").model, None);
    let tool = DelegateToAgent::new(Arc::new(agents));
    let description = &tool.declaration().description;
    assert!(description.ends_with("- alpha: does alpha\n- beta: does beta\n"));
    let arguments = json!({"agent_name": "beta", "objective": "look"});
    tool.validate(&object(arguments.clone())).expect("sound");
    let services = Scripted::new(Ok("found"));
    let output = run(&tool, &services, arguments).await;
    assert_eq!((output.llm_content.as_str(), output.error), ("found", None));
    let asked = services.asked.lock().expect("a lock").clone();
    assert_eq!(asked, ["beta look"]);
    for (arguments, words) in [
        (
            json!({"agent_name": "delta", "objective": "x"}),
            "the agents are: alpha, beta",
        ),
        (
            json!({"agent_name": "beta", "objective": " "}),
            "must contain text",
        ),
        (json!({"agent_name": "beta"}), "objective"),
        (json!({"objective": "x"}), "agent_name"),
    ] {
        let error = tool.validate(&object(arguments)).expect_err("refused");
        assert!(error.message.contains(words), "{}", error.message);
    }
}
