//! The sandbox of one section, and running blocks in it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use hookloop_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

use crate::blocks::Block;
use crate::console::{Step, missing, steps};
use crate::root;

/// A home and a project in which the blocks of a section are run.
pub(crate) struct Place {
    sandbox: Sandbox,
    /// The problems that the settings must have, if they weren't checked since they were written.
    unchecked: Option<Vec<String>>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        let programs = sandbox.root().join("bin");
        fs::create_dir(&programs).unwrap();
        symlink(env!("CARGO_BIN_EXE_hookloop"), programs.join("hookloop")).unwrap();
        Self {
            sandbox,
            unchecked: None,
        }
    }

    /// Runs a block; `at` is its place in the page.
    pub(crate) fn play(&mut self, at: &str, block: &Block) {
        if let Some(file) = block.file() {
            self.write(at, file, block);
            return;
        }
        match (
            block.language.as_str(),
            block.directive("reply"),
            block.directive("from"),
        ) {
            ("console", None, None) => {
                self.check_settings(at);
                self.run_console(at, &block.text);
            }
            ("json", Some(event), None) => check_reply(at, event, &block.text),
            ("json", None, None) => check_alone(at, block),
            ("rust", None, Some(file)) => check_quoted(at, file, &block.text),
            _ => {
                panic!("{at}: nothing is done with this block; say why with `<!-- not run: … -->`")
            }
        }
    }

    /// Compares the problems of the settings, if they are new, with those on the page.
    pub(crate) fn check_settings(&mut self, at: &str) {
        if let Some(expected) = self.unchecked.take() {
            let (found, printed) = self.problems();
            assert_eq!(found, expected, "{at}: {printed}");
        }
    }

    fn write(&mut self, at: &str, file: &str, block: &Block) {
        let (file, executable) = match file.strip_suffix(", not executable") {
            Some(file) => (file, false),
            None => (file, block.text.starts_with("#!")),
        };
        let path = match file.strip_prefix("~/") {
            Some(inside) => self.sandbox.home().join(inside),
            None => self.sandbox.project().join(file),
        };
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &block.text).unwrap();
        let mode = if executable { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        if file.ends_with(".gemini/settings.json") {
            assert!(
                self.unchecked.is_none(),
                "{at}: the settings before were never used"
            );
            let listed = block.directive("problems").unwrap_or_default();
            let codes = listed.split(',').map(str::trim).filter(|it| !it.is_empty());
            self.unchecked = Some(codes.map(str::to_owned).collect());
        }
    }

    /// Returns the codes of all problems except missing trust, and the output.
    fn problems(&self) -> (Vec<String>, String) {
        let finished = self.shell("hookloop hooks check --json 2>/dev/null", 0);
        let document: Value = serde_json::from_str(&finished.stdout).unwrap();
        // Notes (CM-3) are left to pages that mention them.
        let all = document["diagnostics"].as_array().unwrap().iter();
        let all = all.filter(|it| it["severity"] != "info");
        let codes = all.map(|it| it["code"].as_str().unwrap().to_owned());
        let codes = codes.filter(|code| code != "untrusted_hook").collect();
        (codes, finished.stdout)
    }

    fn run_console(&self, at: &str, text: &str) {
        let mut code = 0;
        let steps = steps(text);
        for (index, step) in steps.iter().enumerate() {
            let finished = self.shell(&step.command, code);
            code = finished.code.unwrap();
            let (command, printed) = (&step.command, &finished.stdout);
            if let Some(line) = missing(&step.expected, printed) {
                panic!("{at}: `{command}` doesn't print\n  {line}\nbut\n{printed}");
            }
            let is_shown = steps.get(index + 1).is_some_and(Step::shows_exit_code);
            assert!(
                is_shown || code == 0,
                "{at}: `{command}` exits with {code}:\n{printed}"
            );
        }
    }

    /// Runs a line of shell; `before` is the exit code of the command before it.
    fn shell(&self, line: &str, before: i32) -> Finished {
        let programs: PathBuf = self.sandbox.root().join("bin");
        let mut command = self.sandbox.command("bash");
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
        let script = format!("exec 2>&1\n(exit {before})\n{line}");
        command.env("PATH", path).args(["-c", &script]);
        self.sandbox.run(&mut command, b"")
    }
}

/// Checks complete settings. Unknown keys at the top are ignored when they are read, but aren't
/// allowed on a page.
fn check_alone(at: &str, block: &Block) {
    let settings: Value = serde_json::from_str(&block.text).unwrap();
    let schema = hookloop_settings::json_schema();
    for key in settings.as_object().unwrap().keys() {
        assert!(
            schema["properties"][key].is_object(),
            "{at}: \"{key}\" isn't a setting"
        );
    }
    let mut place = Place::new();
    place.write(at, ".gemini/settings.json", block);
    place.check_settings(at);
}

/// Makes a hook give a reply: it must be understood, and all of its fields must have an effect.
fn check_reply(at: &str, event: &str, reply: &str) {
    let place = Place::new();
    place.sandbox.file("reply.json", reply);
    let command = "cat >/dev/null; cat \"$GEMINI_PROJECT_DIR/reply.json\"";
    let hook = json!({ "name": "reply", "type": "command", "command": command });
    let settings = json!({ "hooks": { event: [{ "hooks": [hook] }] } });
    place.sandbox.user_settings(&settings.to_string());
    let line = format!("hookloop hooks fire {event} --json 2>/dev/null");
    let finished = place.shell(&line, 0);
    let fired: Value = serde_json::from_str(&finished.stdout).unwrap();
    let run = &fired["runs"][0];
    assert!(
        run["failure"].is_null() && run["reply"].is_object(),
        "{at}: {run:#}"
    );
    let outcome = fired["outcome"].as_object().unwrap();
    let texts = ["decision", "stop_reason", "additional_context"].map(|key| &outcome[key]);
    let has_effect = outcome["changes"] != json!({}) || texts.iter().any(|text| !text.is_null());
    assert!(has_effect, "{at}: it has no effect: {outcome:#?}");
    let (problems, printed) = place.problems();
    assert!(problems.is_empty(), "{at}: {printed}");
}

/// Looks for quoted lines in a file of the repository; indentation doesn't count.
fn check_quoted(at: &str, file: &str, quoted: &str) {
    let lines = |text: &str| {
        let trimmed = text.lines().map(str::trim).filter(|line| !line.is_empty());
        trimmed.collect::<Vec<_>>().join("\n")
    };
    let text = fs::read_to_string(root().join(file)).unwrap();
    let text = lines(&text);
    for part in quoted.split("// …\n") {
        assert!(text.contains(&lines(part)), "{at}: not in {file}:\n{part}");
    }
}
