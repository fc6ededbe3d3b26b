//! Asks about hooks that nobody has agreed to yet, before any of them could run (TR-2).

use std::time::Duration;

use hookloop_engine::SkipCause;
use hookloop_hook::HookId;
use hookloop_host::Answerer;
use hookloop_settings::{Claim, ProjectWord};
use hookloop_trust::{ReviewedFile, ReviewedState, Standing, Vouched};
use hookloop_tui::{Notice, NoticeKind, TrustAnswer, TrustFile, TrustItem, TrustView, Ui};
use similar::TextDiff;

use crate::environment::Environment;
use crate::interactive::Place;
use crate::person;
use crate::workspace::Workspace;

/// How long the search for a small diff may take before a larger one is good enough.
const DIFF_TIMEOUT: Duration = Duration::from_millis(200);

/// Asks until every hook that would run is trusted, or the user skips or quits. Trust is for what
/// was shown: a hook that changes meanwhile is asked about again.
pub(super) async fn settle(
    ui: &mut Ui,
    workspace: &mut Workspace,
    place: Place<'_>,
) -> TrustAnswer {
    loop {
        let all = waiting(workspace, place.environment);
        let word = workspace.word_to_agree_to();
        if all.is_empty() && word.is_none() {
            return TrustAnswer::Trust;
        }
        if let Answerer::Agent(agent) = person::answerer(place.environment) {
            let count = all.len() + usize::from(word.is_some());
            ui.say(&Notice::new(
                NoticeKind::Warning,
                describe_unasked(count, &agent),
            ));
            return TrustAnswer::SkipThisTime;
        }
        let items = items(workspace, &all, word);
        let (chosen, end) = match ui.ask_trust(&items, TrustView::List).await {
            TrustAnswer::Trust => ((0..items.len()).collect(), None),
            TrustAnswer::Review => review(ui, &items).await,
            answer => return answer,
        };
        let word = word.filter(|_| chosen.contains(&all.len())).cloned();
        let seen: Vec<&Vouched> = chosen.iter().filter_map(|it| all.get(*it)).collect();
        let stored = workspace.trust_as_seen(&seen);
        let stored = stored.and_then(|()| match &word {
            Some(word) => workspace.agree_to(word),
            None => Ok(()),
        });
        if let Err(error) = stored {
            let text = format!("Error: the hooks stay untrusted: {error}");
            ui.say(&Notice::new(NoticeKind::Error, text));
            return TrustAnswer::SkipThisTime;
        }
        *workspace = Workspace::open(place.environment, place.run);
        if let Some(end) = end {
            return end;
        }
    }
}

/// Shows one hook with its files, and records the user's agreement to what was shown (TR-2).
///
/// # Errors
/// The reason why nobody has to agree to it, no person is there who could, or the answer can't be
/// saved.
pub(super) async fn ask_about(
    ui: &mut Ui,
    workspace: &mut Workspace,
    environment: &Environment,
    id: &str,
) -> Result<TrustAnswer, String> {
    let mut hooks = waiting(workspace, environment)
        .into_iter()
        .filter(|it| it.hook.id.to_string() == id);
    let Some(hook) = hooks.next() else {
        let mut all = workspace.vouched.iter().map(|it| &it.hook);
        let meant = all.find(|it| it.id.to_string() == id);
        let unbuilt = meant.and_then(|it| workspace.unbuilt_component(environment, it));
        return Err(match unbuilt {
            Some(file) => format!(
                "There is no component {} yet: build it first.",
                file.display()
            ),
            None => "This hook doesn't wait for your trust.".to_owned(),
        });
    };
    if let Answerer::Agent(agent) = person::answerer(environment) {
        return Err(describe_unasked(1, &agent));
    }
    let item = item(workspace, &hook);
    let answer = ui
        .ask_trust(std::slice::from_ref(&item), TrustView::Opened)
        .await;
    if answer == TrustAnswer::Trust {
        let stored = workspace.trust_as_seen(&[&hook]);
        stored.map_err(|error| format!("Error: the hook stays untrusted: {error}"))?;
    }
    Ok(answer)
}

/// Returns the text that nobody is asked if an agent would answer (TR-11).
fn describe_unasked(count: usize, agent: &str) -> String {
    let what = match count {
        1 => "1 item of the project waits".to_owned(),
        count => format!("{count} items of the project wait"),
    };
    format!(
        "[WARNING] {what} for a person's trust, and an agent ({agent}) started this session, so \
         you aren't asked here: run `hookloop hooks trust` yourself in your own terminal"
    )
}

/// Shows each one separately, with its files; returns which ones the user agreed to, and how it
/// ended.
async fn review(ui: &mut Ui, items: &[TrustItem]) -> (Vec<usize>, Option<TrustAnswer>) {
    let mut chosen = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match ui
            .ask_trust(std::slice::from_ref(item), TrustView::Opened)
            .await
        {
            TrustAnswer::Trust => chosen.push(index),
            TrustAnswer::SkipThisTime | TrustAnswer::Review => {}
            TrustAnswer::Quit => return (chosen, Some(TrustAnswer::Quit)),
        }
    }
    (chosen, Some(TrustAnswer::SkipThisTime))
}

/// What is asked about: the hooks, then what the project's settings say about hooks of others.
fn items(workspace: &Workspace, hooks: &[Vouched], word: Option<&ProjectWord>) -> Vec<TrustItem> {
    let mut items: Vec<TrustItem> = hooks.iter().map(|it| item(workspace, it)).collect();
    items.extend(word.map(|word| {
        let line = |claim: &Claim| format!("{} = {}", claim.key, claim.value);
        TrustItem {
            event: "settings".to_owned(),
            label: "what the project says about hooks of yours".to_owned(),
            command: word.claims.iter().map(line).collect::<Vec<_>>().join("\n"),
            details: Vec::new(),
            place: word
                .claims
                .first()
                .map(|it| it.source.to_string())
                .unwrap_or_default(),
            files: Vec::new(),
            changes: None,
        }
    }));
    items
}

/// Returns the hooks that only trust keeps from running. Of a component that isn't built there is
/// nothing yet that anybody could agree to (CM-8).
fn waiting(workspace: &Workspace, environment: &Environment) -> Vec<Vouched> {
    let waits = |cause: &SkipCause| {
        matches!(
            cause,
            SkipCause::UntrustedNew | SkipCause::UntrustedModified(_)
        )
    };
    let listed = workspace.listed().list();
    let ids: Vec<&HookId> = listed
        .iter()
        .filter(|it| !it.causes.is_empty() && it.causes.iter().all(waits))
        .map(|it| &it.hook.id)
        .collect();
    let is_built = |it: &Vouched| workspace.unbuilt_component(environment, &it.hook).is_none();
    let is_among = |it: &&Vouched| ids.contains(&&it.hook.id) && is_built(it);
    workspace.vouched.iter().filter(is_among).cloned().collect()
}

fn item(workspace: &Workspace, vouched: &Vouched) -> TrustItem {
    let hook = &vouched.hook;
    let reviewer = workspace.store.reviewer(&workspace.project_root);
    let files = reviewer.files(vouched);
    TrustItem {
        event: hook.event.to_string(),
        label: hook.label().to_owned(),
        command: hook.describe_run(),
        details: details(vouched),
        place: hook.source.to_string(),
        files: files
            .iter()
            .map(|file| trust_file(file, &vouched.standing))
            .collect(),
        changes: match &vouched.standing {
            Standing::Modified { changes, .. } => {
                Some(changes.iter().map(ToString::to_string).collect())
            }
            _ => None,
        },
    }
}

/// Returns what else a person has to see before agreeing (TR-2): for whom the hook runs, what its
/// environment gets, and why not everything that it runs can be watched.
fn details(vouched: &Vouched) -> Vec<(String, String)> {
    let hook = &vouched.hook;
    let mut details = Vec::new();
    let mut say = |name: &str, text: String| details.push((name.to_owned(), text));
    if let Some(matcher) = &hook.matcher {
        say("for", matcher.clone());
    }
    for (name, value) in &hook.env {
        say("env", format!("{name}={value}"));
    }
    for why in vouched.unpinned() {
        say(
            "unpinned",
            format!("{why}, so trust doesn't cover everything that it runs"),
        );
    }
    if vouched.known_to_gemini {
        say(
            "note",
            "Gemini CLI has run a hook of this name and command here".to_owned(),
        );
    }
    details
}

fn trust_file(file: &ReviewedFile, standing: &Standing) -> TrustFile {
    let note = match file.state {
        ReviewedState::Same => "unchanged",
        ReviewedState::Changed => "changed",
        ReviewedState::Added if *standing == Standing::New => "part of the project",
        ReviewedState::Added => "added",
        ReviewedState::Missing => "missing",
    };
    let texts = (&file.trusted_text, &file.text);
    let diff = match (file.state, texts) {
        (ReviewedState::Changed, (Some(old), Some(new))) => {
            let diff = TextDiff::configure()
                .timeout(DIFF_TIMEOUT)
                .diff_lines(&**old, &**new);
            Some(diff.unified_diff().to_string())
        }
        _ => None,
    };
    TrustFile {
        path: file.path.clone(),
        note: note.to_owned(),
        text: diff
            .is_none()
            .then(|| file.text.as_deref().map(str::to_owned))
            .flatten(),
        diff,
    }
}
