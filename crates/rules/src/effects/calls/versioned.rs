//! What tools of servers do to branches and history.

use hookloop_shell::join;
use serde_json::Value;

use super::super::Effect;
use super::{Call, DESTROYS, READ_ONLY_WORDS};

/// Arguments that name a branch that a tool changes, as `flat` names them.
const BRANCHES: &[&str] = &[
    "branch",
    "branchname",
    "ref",
    "refname",
    "refspec",
    "remotebranch",
    "bookmark",
];

/// Words for where others get a repository from.
const HOSTS: &[&str] = &[
    "github",
    "gitlab",
    "bitbucket",
    "gitea",
    "forgejo",
    "azure",
    "ado",
    "devops",
    "codecommit",
    "gh",
    "glab",
];

/// Words for what protects a branch.
const RULES: &[&str] = &[
    "protection",
    "ruleset",
    "rulesets",
    "protect",
    "unprotect",
    "protected",
];

impl Call<'_> {
    /// What a tool does to branches and history.
    pub(super) fn versioned(&mut self) {
        self.check_request();
        if self.has(&["push"]) && self.is_set(&["force", "forcewithlease"]) {
            self.note("git.force-push", "");
        }
        if self.is_set(&["noverify", "skiphooks"]) || self.moves_checks() {
            self.note("git.no-verify", "");
        }
        if self.has(&["filter"]) && self.has(&["branch", "repo"]) && self.has(&["git"]) {
            self.note("branch.rewrite", "all branches");
        }
        self.check_graph_query();
        let is_hard = self.text(&["mode", "type"]) == Some("hard") || self.is_set(&["hard"]);
        if self.has(&["reset"]) && is_hard {
            self.note("git.discard", "");
        }
        self.clicked();
        let changes = [
            "push",
            "commit",
            "update",
            "delete",
            "write",
            "merge",
            "revert",
            "complete",
            "rename",
            "remove",
            "protect",
            "unprotect",
            "accept",
            "land",
            "cherry",
            "sync",
        ];
        let deletes = self
            .text(&["mode", "operation", "action"])
            .is_some_and(|it| ["delete", "remove", "rename", "reset"].contains(&it));
        let makes_reference = self.has(&["ref"]) && self.has(&["create", "set"]);
        let moves = self.has(&["reset"]) && self.has(&["git"])
            || self.has(&["rebase"]) && self.first_argument(&["onto", "newbase"]).is_some()
            || self.has(&["checkout", "switch"])
                && self.is_set(&["forcecreate", "reset", "resetbranch"]);
        let sets = ["set", "change", "disable", "edit", "modify", "bypass"];
        let sets_default = self.has(&sets) && (self.has(&["default"]) || self.has(RULES));
        let changes_any = self.has(&changes)
            || deletes
            || makes_reference
            || moves
            || sets_default
            || self.puts_files();
        if self.has(READ_ONLY_WORDS) && !self.completes() || !changes_any {
            return;
        }
        self.check_branch(deletes);
        self.check_whole();
        self.check_merge();
    }

    /// All branches that a tool pushes, a whole repository that it deletes at a code host, or a
    /// published tag or release.
    fn check_whole(&mut self) {
        if self.has(&["push"]) && self.is_set(&["all", "mirror", "pushall"]) {
            self.note("branch.push", "all branches");
        }
        let is_of_host = self.has(HOSTS) || self.is_set(&["remote", "deleteremote"]);
        let is_whole = self.has(&["repo", "repository", "project", "tag", "release"])
            && !self.has(&["issue", "item", "card", "board", "label", "member", "user"]);
        if is_of_host && is_whole && self.has(DESTROYS) {
            self.note("git.force-push", "");
        }
    }

    /// A branch that a tool changes by its name.
    fn check_branch(&mut self, deletes: bool) {
        let branch = self.text(BRANCHES).or_else(|| self.text(&["name"]));
        let branch = branch.map(|it| target(it).to_owned());
        let is_of_branch = self.has(&["branch", "ref"]);
        let destroys = self.has(DESTROYS) || self.has(&["rename"]) || deletes;
        if is_of_branch && (destroys || self.is_set(&["force"])) {
            self.note("git.force-push", branch.as_deref().unwrap_or(""));
        }
        let renames_default = self.text(&["defaultbranch"]).is_some() && !self.has(&["create"])
            || self.has(&["default"]) && self.has(&["branch"]);
        if self.has(RULES) || renames_default {
            self.note("branch.rewrite", "all branches");
        }
        if let Some(branch) = self.protected_reference() {
            self.note("branch.push", &branch);
        }
        if !self.is_of_repository() {
            return;
        }
        self.put_without_branch();
        // A merge request names its target branch.
        if self.has(&["merge"]) && self.is_request() {
            return;
        }
        // For a tool of the local repository, the named branch is the source of the merge.
        let comes_from = self.has(&["merge"])
            && !self.has(&["upstream"])
            && self.first_argument(&["base"]).is_none();
        let named = if comes_from {
            self.text(&["base", "target", "into", "targetbranch"])
        } else {
            self.text(BRANCHES).or_else(|| {
                let merges = self.has(&["merge"]);
                self.text(&["base"]).filter(|_| merges)
            })
        };
        if let Some(branch) = named.map(|it| target(it).to_owned()) {
            if self.places.is_protected_branch(&branch) {
                self.note("branch.push", &branch);
            }
        } else if self.has(&["git"])
            && (self.has(&["commit", "push", "merge", "revert"]) || self.moves_head())
            && let Some(branch) = self.places.branch.clone()
            && self.places.is_protected_branch(&branch)
        {
            self.note("branch.commit", &branch);
        }
    }

    /// Returns whether a call puts files into a repository at a code host.
    fn puts_files(&self) -> bool {
        let puts = ["create", "put", "add", "upload"];
        self.has(HOSTS)
            && self.has(&puts)
            && self.has(&["file", "files", "content", "contents"])
            && !self.has(&["comment", "discussion", "issue", "note"])
    }

    /// Returns whether a call moves the branch that is checked out to another commit.
    fn moves_head(&self) -> bool {
        let target = self.text(&["target", "commit", "revision", "sha", "to", "commitish"]);
        self.has(&["reset"]) && target.is_some_and(|it| !["HEAD", "@", ""].contains(&it))
    }

    /// Returns a protected branch among the references that a call lists:
    /// `refUpdates: [{name: refs/heads/main}]`.
    fn protected_reference(&self) -> Option<String> {
        let lists = self.entries.iter().filter_map(|(_, it)| it.as_array());
        let names = lists.flatten().flat_map(|it| {
            let keys = ["name", "ref", "refName", "ref_name"];
            keys.into_iter().filter_map(|key| it.get(key)?.as_str())
        });
        let mut branches = names.filter_map(|it| it.strip_prefix("refs/heads/"));
        let found = branches.find(|it| self.places.is_protected_branch(it));
        found.map(str::to_owned)
    }

    /// Returns whether a call makes git look for its checks elsewhere.
    fn moves_checks(&self) -> bool {
        let key = self.text(&["key", "name", "setting", "option"]);
        let sets = self.first_argument(&["value"]).is_some() || self.has(&["set", "unset"]);
        sets && key.is_some_and(|it| it.eq_ignore_ascii_case("core.hookspath"))
    }

    /// A GraphQL request that changes a branch.
    fn check_graph_query(&mut self) {
        let texts = ["query", "mutation", "body", "graphql"];
        let changes = texts.iter().any(|key| {
            self.text(&[key])
                .is_some_and(super::super::branches::mutates)
        });
        if changes {
            self.note("branch.detour", "");
        }
    }

    /// Returns whether a tool is about a repository, by its name: a "branch" of other tools isn't
    /// one of a repository.
    fn is_of_repository(&self) -> bool {
        self.has(&[
            "git",
            "github",
            "gitlab",
            "bitbucket",
            "gitea",
            "forgejo",
            "gerrit",
            "azure",
            "ado",
            "devops",
            "codecommit",
            "repo",
            "repos",
            "repository",
            "branch",
            "branches",
            "ref",
            "commit",
            "push",
            "merge",
            "file",
            "files",
            "pr",
            "pull",
            "gitkraken",
            "jj",
            "hg",
            "sl",
            "gh",
            "glab",
            "fork",
            "protection",
            "ruleset",
            "protected",
            "unprotect",
            "protect",
        ])
    }

    /// A file that is written at a code host without a branch goes to the one that others build on.
    fn put_without_branch(&mut self) {
        let puts = self.has(&["file", "files", "contents"])
            && self.has(&["create", "update", "push", "delete", "write"]);
        let names_repository =
            self.first_argument(&["owner"]).is_some() && self.first_argument(&["repo"]).is_some();
        if puts && names_repository && self.text(BRANCHES).is_none() {
            self.note("branch.push", "all branches");
        }
    }

    /// Returns whether a call completes a pull request by its state.
    fn completes(&self) -> bool {
        let status = self.text(&["status", "state"]);
        let completes = status.is_some_and(|it| it.eq_ignore_ascii_case("completed"))
            || self.is_set(&["autocomplete", "setautocomplete"]);
        completes && self.has(&["update", "set", "complete"])
    }

    fn is_request(&self) -> bool {
        self.has(&["pull", "pulls", "pr", "request", "requests", "mr"])
    }

    /// A pull request that is merged.
    fn check_merge(&mut self) {
        let only_tells = [
            "create", "open", "update", "add", "review", "comment", "close",
        ];
        let merges = self.has(&["merge", "accept", "complete", "land"]) && !self.has(&only_tells);
        // A scheduled merge counts as one.
        let waits = self.has(&["automerge"]) || self.has(&["auto"]) && self.has(&["merge"]);
        let numbered = self
            .first_argument(&["pullnumber", "pullrequestid", "mergerequestiid"])
            .is_some();
        if waits && numbered && !self.has(&["disable", "cancel"]) {
            return self.note("branch.detour", "");
        }
        if self.is_request() && (merges || self.completes()) {
            self.note("branch.detour", "");
        }
    }

    /// A button on a page of a code host that merges, or changes what protects a branch.
    fn clicked(&mut self) {
        let element = self.text(&["element", "selector", "text", "description"]);
        let merges = element.is_some_and(|it| {
            let it = it.to_lowercase();
            [
                "merge pull request",
                "confirm merge",
                "squash and merge",
                "rebase and merge",
                "merge without waiting",
                "bypass rules",
                "bypass branch protection",
                "branch protection rule",
                "delete ruleset",
                "delete branch rule",
            ]
            .iter()
            .any(|button| it.contains(button))
        });
        if merges && self.has(&["click", "press", "tap"]) {
            self.note("branch.detour", "");
        }
    }

    /// What a request to a service does there: the same as one by a client in the shell.
    fn check_request(&mut self) {
        // A client of one service gets only a route, with the method before it.
        let route = self.text(&["route"]).and_then(|it| it.split_once(" /"));
        let by_route = route.map(|(method, _)| method.to_uppercase());
        let route = route.map(|(_, path)| format!("https://api.github.com/{path}"));
        let url = route
            .as_deref()
            .or_else(|| self.text(&["url", "uri", "endpoint", "path"]));
        // A code host's client needs only the path.
        let of_host = url.filter(|it| {
            let it = it.trim_start_matches('/');
            self.has(&["github", "gh"]) && it.starts_with("repos/")
        });
        let of_gitlab = url.filter(|it| {
            self.has(&["gitlab", "glab"]) && it.trim_start_matches('/').starts_with("projects/")
        });
        let completed = of_host
            .map(|it| format!("https://api.github.com/{}", it.trim_start_matches('/')))
            .or_else(|| {
                let path = of_gitlab?.trim_start_matches('/');
                Some(format!("https://gitlab.com/api/v4/{path}"))
            });
        let url = completed.as_deref().or(url);
        let Some(url) = url.filter(|it| it.contains("://")) else {
            return;
        };
        let named = self.text(&["method", "verb", "httpmethod"]);
        let named = named.map(str::to_uppercase).or(by_route);
        let by_name = ["post", "put", "patch", "delete"]
            .into_iter()
            .find(|it| self.has(&[it]))
            .map(str::to_uppercase);
        let Some(method) = named.or(by_name).filter(|it| it != "GET" && it != "HEAD") else {
            return;
        };
        let body = self.first_argument(&["body", "data", "json", "payload"]);
        let body = match body {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        };
        let text = join(["curl", "-X", &method, url, "-d", &body]);
        let around = hookloop_shell::Surroundings::default();
        let understood = hookloop_shell::understand(&text, around);
        let done = super::super::effects_of(&understood, self.places);
        let of_branches =
            |it: &Effect| it.name.starts_with("branch.") || it.name.starts_with("git.");
        self.effects.extend(done.into_iter().filter(of_branches));
    }
}

/// Returns the branch that a name or a refspec means at the other end.
fn target(name: &str) -> &str {
    let name = name
        .rsplit(':')
        .next()
        .unwrap_or(name)
        .trim_start_matches('+');
    let name = name.trim_start_matches("refs/heads/");
    name.strip_prefix("heads/").unwrap_or(name)
}
