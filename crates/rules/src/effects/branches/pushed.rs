//! What a push changes at the other end.

use hookloop_shell::Command;

use super::super::{Effect, note};
use super::{Branches, bare};

impl Branches<'_> {
    /// Finds the branches that a push changes.
    pub(super) fn pushed(&self, command: &Command, operands: &[&str], effects: &mut Vec<Effect>) {
        let is_dry = command.has_flag("--dry-run") || command.has_flag("-n");
        if is_dry {
            return;
        }
        let mut named = false;
        // `-c remote.origin.push=HEAD:refs/heads/main`.
        let settings = command.args().iter().filter_map(|it| {
            let (key, value) = it.text.split_once('=')?;
            let last = key.strip_prefix("remote.")?.rsplit('.').next()?;
            last.eq_ignore_ascii_case("push").then_some(value)
        });
        for target in settings.filter_map(|it| it.rsplit(':').next()) {
            named = true;
            if self.is_protected(bare(target)) {
                note(effects, "branch.push", command, bare(target));
            }
        }
        let defaults = [
            "push.default=matching",
            "push.default=upstream",
            "push.default=tracking",
        ];
        let goes_elsewhere = command
            .args()
            .iter()
            .any(|it| defaults.contains(&it.text.as_str()));
        if goes_elsewhere {
            note(effects, "branch.push", command, "all branches");
        }
        // With `--repo` the first operand is a branch already.
        let remotes = usize::from(
            !command
                .args()
                .iter()
                .any(|it| it.text.starts_with("--repo")),
        );
        for operand in operands.iter().skip(remotes) {
            named = true;
            let target = bare(
                operand
                    .trim_start_matches('+')
                    .rsplit(':')
                    .next()
                    .unwrap_or(""),
            );
            if is_default(target) {
                note(effects, "branch.push", command, "all branches");
                continue;
            }
            let here = (is_head(target) || may_be_head(target)).then(|| self.here(command));
            let target = match &here {
                Some(here) => here.as_deref().unwrap_or(""),
                None => target,
            };
            let is_default = !operand.is_empty() && operand.contains("origin/HEAD");
            if target.contains('*') || is_default {
                note(effects, "branch.push", command, "all branches");
            } else if self.is_protected(target) {
                note(effects, "branch.push", command, target);
            }
        }
        let all = ["--all", "--mirror", "--branches"]
            .iter()
            .any(|it| command.has_flag(it));
        // By itself this pushes tags alone.
        let only_tags = command.has_flag("--tags") && !named;
        if all {
            note(effects, "branch.push", command, "all branches");
        } else if !named && !only_tags {
            self.pushed_unnamed(command, operands, effects);
        }
    }

    /// Notes the branch that a push changes which names none: settings may say another than that which is
    /// checked out.
    fn pushed_unnamed(&self, command: &Command, operands: &[&str], effects: &mut Vec<Effect>) {
        let Some(here) = self.here(command) else {
            return;
        };
        let remote = operands.first().map(|it| (*it).to_owned());
        let of_branch = |what: &str| self.setting(command, &format!("branch.{here}.{what}"));
        let remote = remote
            .or_else(|| of_branch("pushremote"))
            .or_else(|| of_branch("remote"));
        let remote = remote.unwrap_or_else(|| "origin".to_owned());
        let set = self.setting(command, &format!("remote.{remote}.push"));
        let target = match (set, self.setting(command, "push.default").as_deref()) {
            (Some(set), _) => {
                let target = set.rsplit(':').next().unwrap_or_default();
                let target = bare(target.trim_start_matches('+'));
                if is_head(target) {
                    here
                } else {
                    target.to_owned()
                }
            }
            (None, Some("matching")) => "all branches".to_owned(),
            (None, Some("upstream" | "tracking")) => {
                of_branch("merge").map_or(here, |it| bare(&it).to_owned())
            }
            (None, _) => here,
        };
        if target == "all branches" || target.contains('*') {
            note(effects, "branch.push", command, "all branches");
        } else if self.is_protected(&target) {
            note(effects, "branch.push", command, &target);
        }
    }
}

/// Tells whether a name that is found out when the command runs means the branch that others build on.
fn is_default(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut words = name.split(|it: char| !it.is_alphanumeric());
    let asks = name.contains("default") || name.contains("head branch");
    name.contains(['$', '`']) && (asks || words.any(|it| matches!(it, "main" | "master")))
}

/// Tells whether a name that is found out when the command runs may be that of the branch that is checked out:
/// it is nothing else but that, and isn't called a tag or a version.
fn may_be_head(name: &str) -> bool {
    let other = ["tag", "version", "release"];
    let lower = name.to_lowercase();
    name.starts_with(['$', '`']) && !other.iter().any(|it| lower.contains(it))
}

/// Tells whether a name means what is checked out.
fn is_head(name: &str) -> bool {
    matches!(name, "HEAD" | "@")
}
