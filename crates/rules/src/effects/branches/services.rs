//! Calls of the services of code hosts.

use hookloop_shell::{Command, Input};

use super::super::hosts::HTTP_CLIENTS;
use super::super::{Effect, note};
use super::Branches;

/// Options that give a call a body: if no method is named, it then writes.
const BODIES: &[&str] = &[
    "-f",
    "-F",
    "--field",
    "--raw-field",
    "--input",
    "-d",
    "--data",
    "--data-raw",
    "--json",
    "--post-data",
    "--data-binary",
];

impl Branches<'_> {
    /// Finds the branches that a call of the service of a code host changes.
    pub(super) fn by_service(&self, command: &Command, effects: &mut Vec<Effect>) {
        let mut words: Vec<&str> = command.texts_after_program().collect();
        let reads_input = ["--input", "-K", "--config"]
            .iter()
            .any(|it| command.has_flag(it))
            || words.iter().any(|it| it.contains("@-"));
        if let Input::Text(text) = &command.input
            && reads_input
        {
            words.push(text);
        }
        let methods = ["PUT", "POST", "PATCH", "DELETE"];
        let is_method = |word: &str| {
            let mut all = methods.iter();
            all.any(|it| word.ends_with(it) || word.eq_ignore_ascii_case(it))
        };
        let writes = words.iter().any(|it| is_method(it));
        let has_body = BODIES.iter().any(|it| command.has_flag(it));
        let reads = words.iter().any(|it| it.ends_with("GET"));
        let mutates = words.iter().any(|it| mutates(it));
        // A query changes nothing, whatever it names.
        if only_asks(&words) {
            return;
        }
        if forces_branch(&words) {
            let named = words.iter().find_map(|it| named_branch(it, &words));
            let is_plain = |it: &&str| !it.is_empty() && !it.contains(['$', '`', '%', '*']);
            let named = named.filter(is_plain).unwrap_or("");
            // The branch is more specific than the call alone, but doesn't replace other effects.
            let mut alone = Vec::new();
            note(&mut alone, "git.force-push", command, "");
            effects.retain(|it| named.is_empty() || !alone.contains(it));
            note(effects, "git.force-push", command, named);
        }
        // Azure completes a pull request by its state.
        let completes = words.iter().any(|it| it.contains("_apis/git/"))
            && words.iter().any(|it| it.contains("\"completed\""));
        if mutates || completes || writes && words.iter().any(|it| merges(it)) {
            note(effects, "branch.push", command, "all branches");
        }
        // A file written without a branch goes to the default branch.
        let writes_file = words.iter().any(|it| it.contains("/contents/"));
        let names_branch = words.iter().any(|it| it.contains("branch"));
        if writes && writes_file && !names_branch {
            note(effects, "branch.push", command, "all branches");
        }
        for word in words.iter().filter(|_| writes || has_body && !reads) {
            let rules = [
                "/rulesets",
                "/protected_branches",
                "/branch-restrictions",
                "/branch_protections",
                "default_branch",
                "/statuses/",
            ];
            if rules.iter().any(|it| word.contains(it)) {
                note(effects, "branch.rewrite", command, "all branches");
            }
            let name = named_branch(word, &words);
            if let Some(name) = name.filter(|it| self.is_protected(it)) {
                note(effects, "branch.push", command, name);
            }
        }
    }
}

/// Returns whether a program sends requests to services.
pub(super) fn sends_requests(program: &str) -> bool {
    const CMDLETS: [&str; 4] = ["Invoke-RestMethod", "Invoke-WebRequest", "irm", "iwr"];
    HTTP_CLIENTS.contains(&program) || CMDLETS.iter().any(|it| it.eq_ignore_ascii_case(program))
}

/// Returns whether an address merges what was proposed.
fn merges(word: &str) -> bool {
    let proposals = [
        "/pulls/",
        "/merge_requests/",
        "/pullrequests/",
        "/pull-requests/",
    ];
    let word = word.split('?').next().unwrap_or(word);
    word.ends_with("/merge") && proposals.iter().any(|it| word.contains(it))
}

/// Returns whether a text asks a GraphQL service to change a branch, or what protects one.
pub(in crate::effects) fn mutates(text: &str) -> bool {
    let changes = [
        "BranchProtection",
        "Ruleset",
        "mergePullRequest",
        "mergeBranch",
        "updateRef",
        "deleteRef",
        "createCommitOnBranch",
        "enablePullRequestAutoMerge",
        "enqueuePullRequest",
    ];
    text.contains("mutation") && changes.iter().any(|name| text.contains(name))
}

/// Returns whether a call queries a GraphQL service, and sends nothing that can't be seen.
fn only_asks(words: &[&str]) -> bool {
    let changes = |it: &&&str| it.contains("mutation") || it.contains('@') || **it == "--input";
    words.iter().any(|it| it.ends_with("graphql")) && !words.iter().any(|it| changes(&it))
}

/// Returns whether a call deletes a branch, or sets it to a commit that may not follow.
fn forces_branch(words: &[&str]) -> bool {
    let has = |texts: &[&str]| {
        words
            .iter()
            .any(|it| texts.iter().any(|text| it.contains(text)))
    };
    let deletes = words.iter().any(|it| it.ends_with("DELETE"));
    let forces = has(&["force=true", "\"force\":true", "\"force\": true"]);
    let branches = [
        "/git/refs/heads/",
        "/repository/branches/",
        "/refs/branches/",
    ];
    deletes && has(&branches) || forces && has(&["git/refs"])
}

/// Returns the branch that a word of a call names: in a field of a form or of JSON, or as a part of
/// an address.
fn named_branch<'w>(word: &'w str, words: &[&str]) -> Option<&'w str> {
    let body = |key: &str| {
        let (_, behind) = word.split_once(&format!("\"{key}\""))?;
        behind
            .trim_start()
            .strip_prefix(':')?
            .trim_start()
            .strip_prefix('"')
    };
    let field = |key: &str| {
        let mut fields = word.split(['&', '?']);
        fields.find_map(|it| it.strip_prefix(key)?.strip_prefix('='))
    };
    // Opening a pull request doesn't change its target branch.
    let merges = || words.iter().any(|it| it.contains("/merges"));
    let name = field("branch")
        .or_else(|| field("new_name"))
        .or_else(|| field("base").filter(|_| merges()))
        .or_else(|| word.split_once("heads/").map(|(_, it)| it));
    if let Some(name) = name {
        return Some(name.split(['"', '?', '&']).next().unwrap_or(""));
    }
    let name = None
        .or_else(|| word.split_once("/branches/").map(|(_, it)| it))
        .or_else(|| body("base").filter(|_| merges()))
        .or_else(|| body("branch"))
        .or_else(|| body("new_name"));
    name.map(|it| it.split(['/', '"']).next().unwrap_or(""))
}
