//! Trusts a project's hooks, or withdraws trust (TR-4).

use std::path::Path;

use hookloop_hook::{HookDeclaration, quoted};
use hookloop_session::{RunOptions, Workspace, forget_changed_guards};
use hookloop_settings::ProjectWord;
use hookloop_text::shell_argument;
use hookloop_trust::{Standing, Vouched};

use crate::Task;
use crate::change::Change;
use crate::failure::CommandFailure;

/// Which hooks have to be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustWish<'a> {
    /// All of the project, and its settings about hooks of others (ST-13).
    All,
    /// Those that Gemini CLI has run here.
    KnownToGemini,
    /// Those with these labels.
    Named(&'a [String]),
}

/// The result of changing trust.
pub struct TrustChanged {
    /// The change.
    pub change: Change,
    /// The hooks whose standing has changed.
    pub hooks: Vec<Vouched>,
    /// The labels of the selected hooks.
    pub meant: Vec<String>,
    /// What happened to the project's settings about hooks of others (ST-13).
    pub word: WordChange,
    /// Hooks that are no longer configured, and so no longer trusted.
    pub gone: Vec<String>,
    /// Changes to guards that count as seen from now on, one line each.
    pub seen: Vec<String>,
    /// The configuration, with the standings from before the change.
    pub workspace: Workspace,
}

/// What happened to a project's settings about hooks of others (ST-13).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordChange {
    /// They apply as before.
    None,
    /// They apply from now on.
    Agreed(ProjectWord),
    /// They no longer apply.
    Withdrawn,
}

/// Trusts the project's hooks as they are now.
pub fn trust_hooks(task: Task<'_>, wish: TrustWish<'_>) -> Result<TrustChanged, CommandFailure> {
    // Trust applies to hooks as in the settings, without the options of this run.
    let mut workspace = Workspace::open(task.environment, &RunOptions::default());
    let names = match wish {
        TrustWish::Named(names) => names,
        TrustWish::All | TrustWish::KnownToGemini => &[],
    };
    let chosen = choose(&workspace, names)?;
    let is_meant = |it: &&&Vouched| wish != TrustWish::KnownToGemini || it.known_to_gemini;
    let is_due = |it: &&&Vouched| matches!(it.standing, Standing::New | Standing::Modified { .. });
    let due = chosen.iter().filter(is_meant).filter(is_due);
    let unbuilt = |it: &Vouched| workspace.unbuilt_component(task.environment, &it.hook);
    let (hooks, not_there): (Vec<Vouched>, Vec<Vouched>) = due
        .map(|it| (*it).clone())
        .partition(|it| unbuilt(it).is_none());
    let mut warnings: Vec<String> = not_there
        .iter()
        .filter_map(|it| Some(nothing_to_trust(&it.hook, &unbuilt(it)?)))
        .collect();
    if let (TrustWish::Named(_), [], Some(why)) = (wish, &hooks[..], warnings.first()) {
        return Err(CommandFailure::bad_input(why));
    }
    let due: Vec<&Vouched> = hooks.iter().collect();
    let mut meant = labels(if names.is_empty() { &due } else { &chosen });
    meant.retain(|label| not_there.iter().all(|it| it.hook.label() != label));
    if !due.is_empty() {
        workspace.trust_as_seen(&due)?;
    }
    let is_all = wish == TrustWish::All;
    let word = workspace.word_to_agree_to().filter(|_| is_all).cloned();
    if let Some(word) = &word {
        workspace.agree_to(word)?;
    }
    let declarations: Vec<&HookDeclaration> = hooks.iter().map(|it| &*it.hook).collect();
    let unready = workspace.compile_components(task.environment, &declarations);
    let mut changed = TrustChanged {
        change: Change::default(),
        hooks,
        meant,
        word: word.map_or(WordChange::None, WordChange::Agreed),
        gone: Vec::new(),
        // Trusting everything also acknowledges changes to guards, which are shown.
        seen: if is_all {
            forget_changed_guards(task.environment)
        } else {
            Vec::new()
        },
        workspace,
    };
    changed.settle();
    warnings.extend(unready);
    changed.change.warnings.extend(warnings);
    Ok(changed)
}

/// Returns the message that there is nothing to trust yet: for a component, the bytes are trusted
/// (CM-8).
fn nothing_to_trust(hook: &HookDeclaration, component: &Path) -> String {
    let label = hook.label();
    format!(
        "hook {} isn't trusted: there is no component {} yet; build it, then run `hookloop hooks \
         trust {}`",
        quoted(label),
        component.display(),
        shell_argument(label)
    )
}

/// Withdraws trust from the project's hooks: all, or the named ones.
pub fn untrust_hooks(task: Task<'_>, names: &[String]) -> Result<TrustChanged, CommandFailure> {
    let mut workspace = Workspace::open(task.environment, &RunOptions::default());
    // A hook that no longer exists only has the name that it was trusted by.
    let gone = workspace.untrust_gone(names)?;
    let mut left = names.to_vec();
    left.retain(|it| !gone.contains(it));
    let chosen = if left.is_empty() && !names.is_empty() {
        Vec::new()
    } else {
        choose(&workspace, &left)?
    };
    let is_due =
        |it: &&&Vouched| matches!(it.standing, Standing::Trusted | Standing::Modified { .. });
    let due = chosen.iter().filter(is_due);
    let hooks: Vec<Vouched> = due.map(|it| (*it).clone()).collect();
    let due: Vec<&Vouched> = hooks.iter().collect();
    let meant = labels(if names.is_empty() { &due } else { &chosen });
    if !due.is_empty() {
        let declarations: Vec<&HookDeclaration> = hooks.iter().map(|it| &*it.hook).collect();
        workspace.untrust(&declarations)?;
    }
    let word = if names.is_empty() && workspace.withdraw_word()? {
        WordChange::Withdrawn
    } else {
        WordChange::None
    };
    let mut changed = TrustChanged {
        change: Change::default(),
        hooks,
        meant,
        word,
        gone,
        seen: Vec::new(),
        workspace,
    };
    changed.settle();
    Ok(changed)
}

impl TrustChanged {
    /// Completes the description of the change.
    fn settle(&mut self) {
        let has_changed =
            !self.hooks.is_empty() || self.word != WordChange::None || !self.gone.is_empty();
        if has_changed {
            let store = self.workspace.store.file().to_path_buf();
            self.change.files.push(store);
        }
        self.change.labels = [self.meant.as_slice(), &self.gone].concat();
        self.change.warn_of_folder(&self.workspace);
    }
}

/// Returns the selected hooks: all that need trust, or those with the given names.
fn choose<'a>(
    workspace: &'a Workspace,
    names: &[String],
) -> Result<Vec<&'a Vouched>, CommandFailure> {
    let of_project = workspace
        .vouched
        .iter()
        .filter(|it| it.hook.is_from_project());
    if names.is_empty() {
        return Ok(of_project.collect());
    }
    let known: Vec<&str> = workspace.vouched.iter().map(|it| it.hook.label()).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
        let message = format!("no hook is named \"{unknown}\"");
        return Err(CommandFailure::unknown_hook(message, unknown, &known));
    }
    let is_named = |it: &&Vouched| names.iter().any(|name| name == it.hook.label());
    Ok(workspace.vouched.iter().filter(is_named).collect())
}

fn labels(hooks: &[&Vouched]) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for hook in hooks {
        let label = hook.hook.label();
        if labels.iter().all(|known| known != label) {
            labels.push(label.to_owned());
        }
    }
    labels
}
