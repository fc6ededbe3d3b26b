//! Tools that ask, look up and note down (`agent.md` §4).

use std::sync::{Arc, Mutex};

use hookloop_tools::{
    AskUser, Asker, BoxFuture, Choice, ErrorKind, NoAnswer, NoSession, Output, Question,
    QuestionKind, RunContext, Tool, WriteTodos,
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

/// Answers as specified, and records what it was asked.
struct Scripted {
    answer: Result<Vec<String>, NoAnswer>,
    asked: Mutex<Vec<Question>>,
}

impl Scripted {
    fn new(answer: Result<Vec<String>, NoAnswer>) -> Arc<Self> {
        Arc::new(Self {
            answer,
            asked: Mutex::default(),
        })
    }
}

impl Asker for Scripted {
    fn ask<'a>(
        &'a self,
        questions: &'a [Question],
    ) -> BoxFuture<'a, Result<Vec<String>, NoAnswer>> {
        self.asked
            .lock()
            .expect("a lock")
            .extend_from_slice(questions);
        Box::pin(async { self.answer.clone() })
    }
}

/// `ask_user` passes every kind of question on, and the answers back.
#[tokio::test]
async fn questions_are_asked_and_answered() {
    let asker = Scripted::new(Ok(vec!["a".into(), "yes".into(), "words".into()]));
    let tool = AskUser::new(Some(Arc::<Scripted>::clone(&asker)));
    let options = json!([{"label": "a", "description": "first"}, {"label": "b"}]);
    let arguments = json!({"questions": [
        {"question": "Which?", "header": "Pick", "type": "choice", "options": options,
         "multiSelect": true},
        {"question": "Sure?", "type": "yesno"},
        {"question": "Why?", "placeholder": "because"},
    ]});
    tool.validate(&object(arguments.clone())).expect("sound");
    let output = run(&tool, arguments).await;
    assert_eq!(
        output.llm_content,
        r#"{"answers":{"0":"a","1":"yes","2":"words"}}"#
    );
    assert_eq!(
        output.display,
        "User answered:\n  Pick → a\n  Sure? → yes\n  Why? → words"
    );
    let choice = |label: &str, description: &str| Choice {
        label: label.into(),
        description: description.into(),
    };
    let questions = asker.asked.lock().expect("a lock");
    let kinds: Vec<&QuestionKind> = questions.iter().map(|it| &it.kind).collect();
    assert_eq!(
        kinds,
        [
            &QuestionKind::Several(vec![choice("a", "first"), choice("b", "")]),
            &QuestionKind::YesOrNo,
            &QuestionKind::Words("because".into()),
        ]
    );
}

/// `ask_user` without anybody to ask says so; a dismissed question isn't a failure.
#[tokio::test]
async fn without_an_answer_the_model_learns_why() {
    let arguments = json!({"questions": [{"question": "Why?"}]});
    let headless = AskUser::new(None);
    for tool in [
        headless,
        AskUser::new(Some(Scripted::new(Err(NoAnswer::Nobody)))),
    ] {
        let error = run(&tool, arguments.clone()).await.error.expect("an error");
        assert_eq!(error.kind, ErrorKind::Unavailable);
        assert!(error.message.contains("nobody is there to answer"));
    }
    let dismissed = AskUser::new(Some(Scripted::new(Err(NoAnswer::Dismissed))));
    let output = run(&dismissed, arguments).await;
    assert_eq!(output.error, None);
    assert_eq!(
        output.llm_content,
        "User dismissed ask_user dialog without answering."
    );
}

/// LO-3: questions that can't be asked are refused before anybody is asked.
#[test]
fn senseless_questions_are_refused() {
    let tool = AskUser::new(None);
    let question = json!({"question": "?"});
    for questions in [
        json!([]),
        json!([question, question, question, question, question]),
        json!([{"question": "?", "type": "choice"}]),
        json!([{"question": "?", "options": [{"label": "only"}]}]),
        json!([{"type": "text"}]),
    ] {
        let arguments = object(json!({"questions": questions}));
        let error = tool.validate(&arguments).expect_err("refused");
        assert_eq!(error.kind, ErrorKind::InvalidParams);
    }
}

/// LO-4: waiting for an answer ends with the turn.
#[tokio::test]
async fn waiting_for_an_answer_can_be_cancelled() {
    struct Never;
    impl Asker for Never {
        fn ask<'a>(
            &'a self,
            _questions: &'a [Question],
        ) -> BoxFuture<'a, Result<Vec<String>, NoAnswer>> {
            Box::pin(std::future::pending())
        }
    }
    let tool = AskUser::new(Some(Arc::new(Never)));
    let context = RunContext {
        cancel: CancellationToken::new(),
        progress: &|_| {},
        services: &NoSession,
    };
    let cancel = context.cancel.clone();
    let call = tool.run(
        object(json!({"questions": [{"question": "?"}]})).into(),
        context,
    );
    let (output, ()) = tokio::join!(call, async { cancel.cancel() });
    assert_eq!(output.error.expect("an error").kind, ErrorKind::Cancelled);
}

/// `write_todos` returns the list as upstream does, and accepts at most one task in progress.
#[tokio::test]
async fn tasks_are_written_down() {
    let tool = WriteTodos::default();
    let todo =
        |description: &str, status: &str| json!({"description": description, "status": status});
    let output = run(
        &tool,
        json!({"todos": [todo("one", "completed"), todo("two", "in_progress")]}),
    )
    .await;
    assert_eq!(
        output.llm_content,
        "Successfully updated the todo list. The current list is now:\n\
         1. [completed] one\n2. [in_progress] two"
    );
    assert_eq!(output.display, "[x] one\n[>] two");
    let cleared = run(&tool, json!({"todos": []})).await;
    assert_eq!(cleared.llm_content, "Successfully cleared the todo list.");
    let two = json!({"todos": [todo("one", "in_progress"), todo("two", "in_progress")]});
    assert!(run(&tool, two).await.error.is_some());
    let unknown = json!({"todos": [todo("one", "later")]});
    assert!(tool.validate(&object(unknown)).is_err());
}
