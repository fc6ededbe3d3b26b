//! What service tools do to things that others use: documents, resources, machines.

use serde_json::Value;

use super::super::arguments::collect;
use super::super::sent::is_kept;
use super::super::table::codes;
use super::{Call, DATABASES, READ_ONLY_WORDS};

impl Call<'_> {
    /// Returns whether a call changes all documents of a collection: no filter, or a pipeline that
    /// writes one.
    pub(super) fn changes_all(&self) -> bool {
        let is_empty = |it: &Value| it.as_object().is_some_and(serde_json::Map::is_empty);
        let many = ["updatemany", "replacemany", "bulkwrite", "many"];
        let unfiltered = self.has(&["update", "updatemany", "replace"])
            && self.has(&many)
            && self
                .first_argument(&["filter", "where", "query", "selector"])
                .is_some_and(is_empty);
        let pipeline = self.first_argument(&["pipeline"]).map(Value::to_string);
        let writes =
            pipeline.is_some_and(|it| it.contains("\"$out\"") || it.contains("\"$merge\""));
        unfiltered || self.has(DATABASES) && writes
    }

    /// What a description of resources gives to a container.
    pub(super) fn manifested(&mut self) {
        if !self.has(&["kubernetes", "k8s", "kubectl", "kube", "openshift"]) {
            return;
        }
        let given = [
            "manifest",
            "yaml",
            "content",
            "body",
            "resource",
            "spec",
            "resources",
        ];
        let Some(text) = self.first_argument(&given).map(|it| match it {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }) else {
            return;
        };
        let mut codes = codes().filter(|it| it.effect == "container");
        if codes.any(|it| it.programs.contains(&"kubectl") && it.matches(&text)) {
            self.note("container", "");
        }
    }

    /// A key, a store of credentials or the accounts of the machine that a tool passes on to
    /// others.
    fn handed_over(&mut self) {
        let hands = [
            "upload", "send", "attach", "share", "post", "publish", "email", "mail", "slack",
            "gist", "transfer",
        ];
        if !self.has(&hands) {
            return;
        }
        let mut texts = Vec::new();
        for (_, value) in &self.entries {
            collect(value, &mut texts);
        }
        let is_path = |it: &&str| it.starts_with(['/', '~']) && !it.contains(char::is_whitespace);
        let mut paths = texts.into_iter().filter(is_path);
        let found = paths.find(|it| is_kept(it, self.places)).map(str::to_owned);
        if let Some(path) = found {
            self.note("send.files", &path);
        }
    }

    /// What a tool ends, pays out or sends elsewhere.
    pub(super) fn check_ended(&mut self) {
        self.handed_over();
        let stops_all = self.has(&["stop", "kill", "remove"]) && self.is_set(&["all"]);
        let takes_back = self.has(&["rollback", "undo"]);
        if takes_back && self.has(&["kubernetes", "k8s", "kubectl", "helm"]) {
            self.note("container", "");
        }
        if stops_all && self.has(&["docker", "podman", "container", "containers"]) {
            self.note("container", "");
        }
        let plays = self.has(&["ansible"]) && self.has(&["playbook"]);
        if plays
            && !self.is_set(&["check", "syntaxcheck", "listtasks"])
            && !self.has(READ_ONLY_WORDS)
        {
            self.note("cloud", "");
        }
        // It sends data of a logged-in page elsewhere.
        let sends = [
            "fetch(",
            "sendBeacon",
            "XMLHttpRequest",
            "new Image",
            "axios",
        ];
        let is_theft =
            |it: &str| it.contains("document.cookie") && sends.iter().any(|name| it.contains(name));
        let mut given = self.entries.iter().filter_map(|(_, value)| value.as_str());
        if given.any(is_theft) {
            self.note("send.files", "document.cookie");
        }
        let units =
            self.has(&["stop", "disable", "mask"]) && self.has(&["unit", "systemd", "daemon"]);
        if units {
            self.note("process", "");
        }
        let pauses = self.has(&["pause", "suspend", "deactivate"])
            && self.has(&[
                "project", "cluster", "instance", "service", "database", "app",
            ]);
        let gives_back =
            self.has(&["refund", "payout", "refunds", "payouts"]) && !self.has(READ_ONLY_WORDS);
        if pauses || gives_back {
            self.note("cloud", "");
        }
    }
}
