//! Program text that comes from the network each time it runs: nothing of it is watched (TR-1).

use std::collections::BTreeSet;
use std::path::Path;

use hookloop_shell::{Command, script_options};

use crate::resolve::Finder;
use crate::resolve::scripts::{package, requires};

/// How names of modules begin that Deno, Bun or a loader of Node fetches.
const FETCHED: [&str; 4] = ["https:", "http:", "npm:", "jsr:"];

/// Calls that load a module by an address, in addition to imports.
const LOADING: [&str; 3] = ["Worker(", "importScripts(", "register("];

/// Options of Node that let a file choose its other options.
const CONFIGURING: [&str; 2] = [
    "--experimental-config-file",
    "--experimental-default-config-file",
];

impl Finder<'_> {
    /// Reports what a JavaScript text loads from the network, or by a name that a list of Deno's
    /// explains.
    pub(super) fn loaded_from_network(&mut self, text: &str, path: &Path) {
        let first = text.lines().next().unwrap_or_default();
        let is_of_deno = first.starts_with("#!") && first.contains("deno");
        let code: Vec<&str> = text.lines().filter(|it| !is_comment(it)).collect();
        let code = code.join("\n");
        let by_deno = |name: &&str| is_of_deno && package(name).is_some();
        let loaded = requires(&code).filter(|it| is_fetched(it) || by_deno(it));
        let names: BTreeSet<&str> = loaded.chain(addresses_given(&code)).collect();
        let shown = self.shown(path);
        for name in names {
            self.unpinned(format!(
                "{shown} loads {name}, which comes from elsewhere and isn't watched"
            ));
        }
    }

    /// Reports modules that a command has Node load first, unless they are files.
    pub(super) fn preloaded_from_elsewhere(&mut self, command: &Command) {
        if command.program != "node" {
            return;
        }
        for value in command.values_of(script_options("node")) {
            let is_file = value.text.starts_with(['.', '/', '~'])
                || command
                    .folders
                    .iter()
                    .any(|it| Path::new(it).join(&value.text).is_file());
            if value.known && !is_file {
                self.unpinned(format!(
                    "node loads {} before its script, which isn't watched",
                    value.text
                ));
            }
        }
        if let Some(option) = CONFIGURING.iter().find(|it| command.has_option(&[it])) {
            self.unpinned(format!(
                "a file says what node loads (`{option}`), which isn't watched"
            ));
        }
    }
}

fn is_fetched(name: &str) -> bool {
    FETCHED.iter().any(|it| name.starts_with(it))
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "*", "/*"].iter().any(|it| line.starts_with(it))
}

/// Returns the addresses that calls which load modules are given.
fn addresses_given(code: &str) -> impl Iterator<Item = &str> {
    let quotes = ['\'', '"', '`'];
    LOADING.iter().flat_map(move |call| {
        let given = code.split(call).skip(1);
        given.filter_map(move |rest| {
            let rest = rest.trim_start();
            let rest = rest.strip_prefix("new URL(").unwrap_or(rest).trim_start();
            let quote = rest.chars().next().filter(|it| quotes.contains(it))?;
            let name = rest[1..].split(quote).next()?;
            is_fetched(name).then_some(name)
        })
    })
}
