//! The catalogue of mistakes (CM-11): ways to get a hook wrong, each with what `check`, `fire` and
//! a session must report about it, unasked, and the remedy that must fix it (CM-10).
//!
//! The guard of a mistake is meant to refuse that the model writes `out.txt`: so the effect of a
//! session is visible on the disk.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::case::Setup;
use crate::launch::{self, Finished, Launch};
use crate::play::{json_escaped, read_name, shell_environment};
use crate::world::{Telemetry, World};
use crate::{answers, program};

/// The exit code of a session that doesn't start because of its configuration.
const CONFIGURATION_WRONG: i32 = 52;

/// The file that a guard of the catalogue keeps from being written.
const GUARDED: &str = "out.txt";

/// The content of a `mistake.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mistake {
    /// What somebody got wrong, as a sentence.
    title: String,
    #[serde(default)]
    setup: Setup,
    /// Lines of bash that complete the scene, in the project.
    #[serde(default)]
    prepare: Vec<String>,
    /// The tool that the model calls; `write_file` of `out.txt` by default.
    call: Option<Value>,
    /// Codes of diagnostics of `check`, one of which must be reported; empty if only running the
    /// hook can show the mistake.
    #[serde(default)]
    check: Vec<String>,
    /// Texts, one of which `fire` must print.
    #[serde(default)]
    fire: Vec<String>,
    /// Texts, one of which the session must print on standard error; empty if the guard works as if
    /// nothing were wrong.
    session: Vec<String>,
    /// What happens to the call in the session.
    guard: Guard,
    /// Lines of bash that do what the diagnostic proposes; afterwards it is gone, and the guard
    /// works.
    remedy: Option<Vec<String>>,
}

/// What happens to the guarded call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Guard {
    /// It is still refused, or nothing runs at all.
    Holds,
    /// It runs, which must be reported.
    IsOff,
    /// The mistake isn't about a refusal.
    NotAsked,
}

/// How the program handled a mistake.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent facts, each counted by itself"
)]
pub struct Verdict {
    /// What wasn't as it should be; empty if all is well.
    pub wrong: Vec<String>,
    /// The place of the mistake was reported, unasked.
    pub place: bool,
    /// Its cause was reported, unasked.
    pub cause: bool,
    /// The remedy was reported, and it helps if that can be tried.
    pub remedy: bool,
    /// A guard was off in a session that didn't report it.
    pub silent: bool,
}

/// Makes the mistake in a folder, and judges what the program says and does.
pub(crate) fn make(folder: &Path) -> Result<Verdict, String> {
    let (world, mistake) = set_up(folder)?;
    let scene = Scene {
        world: &world,
        mistake: &mistake,
    };
    let mut verdict = Verdict::default();
    scene.check(&mut verdict)?;
    scene.suggestions(&mut verdict)?;
    scene.fire(&mut verdict)?;
    scene.session(&mut verdict)?;
    if let Some(remedy) = &mistake.remedy {
        shell(&world, remedy)?;
        scene.check_cured(&mut verdict)?;
    }
    Ok(verdict)
}

/// Makes the mistake in a folder, and returns its title and what `hooks check` prints about it,
/// with `/world` instead of its folders.
pub(crate) fn diagnosed(folder: &Path) -> Result<(String, String), String> {
    let (world, mistake) = set_up(folder)?;
    let scene = Scene {
        world: &world,
        mistake: &mistake,
    };
    let finished = scene.hookloop(&["hooks", "check"])?;
    let text = format!("{}{}", finished.stdout, finished.stderr);
    let text = text.replace(&*world.root.to_string_lossy(), "/world");
    Ok((mistake.title, text))
}

fn set_up(folder: &Path) -> Result<(World, Mistake), String> {
    let path = folder.join("mistake.json");
    let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let unreadable = |error| format!("{}: {error}", path.display());
    let name = read_name(&text).map_err(unreadable)?;
    let mut world = World::new(&name)?;
    let text = world.fill(&text, json_escaped);
    let mistake: Mistake = serde_json::from_str(&text).map_err(unreadable)?;
    if mistake.title.is_empty() || (mistake.session.is_empty() && mistake.guard == Guard::IsOff) {
        let needs = "it needs a title, and what a session says of a guard that is off";
        return Err(format!("{}: {needs}", path.display()));
    }
    world.furnish(folder, &mistake.setup, Telemetry::None)?;
    shell(&world, &mistake.prepare)?;
    Ok((world, mistake))
}

/// Runs lines of bash in the project; if one fails, that is an error of the catalogue.
fn shell(world: &World, lines: &[String]) -> Result<(), String> {
    if lines.is_empty() {
        return Ok(());
    }
    let text = lines.join("\n");
    let launch = Launch {
        program: "bash".into(),
        arguments: vec!["-euc".into(), text.clone().into()],
        folder: world.project.clone(),
        stdin: String::new(),
        signal: None,
        environment: shell_environment(world),
    };
    let finished = launch::run(world, launch)?;
    if finished.code == Some(0) {
        return Ok(());
    }
    Err(format!("{text}: {}", finished.stderr))
}

struct Scene<'a> {
    world: &'a World,
    mistake: &'a Mistake,
}

impl Scene<'_> {
    fn hookloop(&self, arguments: &[&str]) -> Result<Finished, String> {
        let launch = Launch {
            program: program::hookloop()?,
            arguments: arguments.iter().map(OsString::from).collect(),
            folder: self.world.project.join(&self.mistake.setup.cwd),
            stdin: String::new(),
            signal: None,
            environment: self.world.environment.clone(),
        };
        launch::run(self.world, launch)
    }

    fn call(&self) -> Value {
        let usual =
            || json!({"name": "write_file", "args": {"file_path": GUARDED, "content": "x"}});
        self.mistake.call.clone().unwrap_or_else(usual)
    }

    /// Returns the diagnostics of `hooks check` that have one of the expected codes.
    fn diagnostics(&self) -> Result<Vec<Value>, String> {
        let finished = self.hookloop(&["hooks", "check", "--json"])?;
        let document: Value = serde_json::from_str(&finished.stdout)
            .map_err(|error| format!("check: {error}\n{}", finished.stderr))?;
        let all = document["diagnostics"].as_array().cloned();
        Ok(all
            .unwrap_or_default()
            .into_iter()
            .filter(|it| {
                let code = it["code"].as_str().unwrap_or_default();
                self.mistake.check.iter().any(|expected| expected == code)
            })
            .collect())
    }

    fn check(&self, verdict: &mut Verdict) -> Result<(), String> {
        if self.mistake.check.is_empty() {
            return Ok(());
        }
        let found = self.diagnostics()?;
        if found.is_empty() {
            let all = self.hookloop(&["hooks", "check"])?.stdout;
            let wrong = format!("check says none of {:?}:\n{all}", self.mistake.check);
            verdict.wrong.push(wrong);
        }
        verdict.cause = !found.is_empty();
        verdict.place = found.iter().any(|it| it["source"]["file"].is_string());
        verdict.remedy = found
            .iter()
            .any(|it| it["help"].as_str().is_some_and(|help| !help.is_empty()));
        Ok(())
    }

    /// Replaces each wrong value by the one that its diagnostic suggests: afterwards the diagnostic
    /// is gone (CM-10). The file is restored in the end.
    fn suggestions(&self, verdict: &mut Verdict) -> Result<(), String> {
        if self.mistake.check.is_empty() {
            return Ok(());
        }
        for found in self.diagnostics()? {
            let (Some(file), Some(right)) = (
                found["source"]["file"].as_str(),
                found["suggestion"].as_str(),
            ) else {
                continue;
            };
            let before = fs::read_to_string(file).map_err(|error| error.to_string())?;
            let Some(after) = with_suggestion(&before, &found["source"], right) else {
                continue;
            };
            fs::write(file, after).map_err(|error| error.to_string())?;
            let left = self.diagnostics();
            fs::write(file, before).map_err(|error| error.to_string())?;
            let is_left = left?
                .iter()
                .any(|it| it["code"] == found["code"] && it["message"] == found["message"]);
            if is_left {
                let wrong = format!("the suggestion \"{right}\" leaves {}", found["message"]);
                verdict.wrong.push(wrong);
            }
        }
        Ok(())
    }

    fn fire(&self, verdict: &mut Verdict) -> Result<(), String> {
        if self.mistake.fire.is_empty() {
            return Ok(());
        }
        let call = self.call();
        let tool = call["name"].as_str().unwrap_or_default();
        let input = json!({"tool_input": call["args"]}).to_string();
        let arguments = [
            "hooks",
            "fire",
            "BeforeTool",
            "--tool",
            tool,
            "--input",
            &input,
        ];
        let finished = self.hookloop(&arguments)?;
        let output = format!("{}\n{}", finished.stdout, finished.stderr);
        if !says_one(&output, &self.mistake.fire) {
            let wrong = format!("fire says none of {:?}:\n{output}", self.mistake.fire);
            verdict.wrong.push(wrong);
        }
        Ok(())
    }

    fn session(&self, verdict: &mut Verdict) -> Result<(), String> {
        let (finished, is_written) = self.run_agent()?;
        self.check_agrees(&finished, verdict)?;
        let is_reported = says_one(&finished.stderr, &self.mistake.session);
        if !is_reported {
            let texts = &self.mistake.session;
            let wrong = format!("the session says none of {texts:?}:\n{}", finished.stderr);
            verdict.wrong.push(wrong);
        }
        match self.mistake.guard {
            Guard::Holds if is_written => {
                let wrong = format!("the session wrote {GUARDED}:\n{}", finished.stderr);
                verdict.wrong.push(wrong);
            }
            Guard::IsOff if !is_written => {
                let wrong = format!("the session wrote no {GUARDED}:\n{}", finished.stderr);
                verdict.wrong.push(wrong);
            }
            Guard::Holds | Guard::IsOff | Guard::NotAsked => {}
        }
        verdict.silent = is_written && !is_reported && self.mistake.guard != Guard::NotAsked;
        if self.mistake.check.is_empty() {
            verdict.cause = is_reported;
            verdict.place = says_one(&finished.stderr, &[".json:".to_owned()]);
            verdict.remedy = is_reported;
        }
        Ok(())
    }

    /// What keeps a session from starting is an error of `check`, which otherwise reports nothing
    /// wrong where nothing runs (CM-3).
    fn check_agrees(&self, session: &Finished, verdict: &mut Verdict) -> Result<(), String> {
        if session.code != Some(CONFIGURATION_WRONG) {
            return Ok(());
        }
        let check = self.hookloop(&["hooks", "check"])?;
        if check.code != Some(1) {
            let (code, said) = (check.code, check.stdout);
            let wrong = format!("no session starts, but check ends with {code:?}:\n{said}");
            verdict.wrong.push(wrong);
        }
        Ok(())
    }

    /// Lets the model make the call, and returns whether the file was written.
    fn run_agent(&self) -> Result<(Finished, bool), String> {
        let answers = answers::lines(&[json!({"call": self.call()}), json!("Done.")]);
        let path = self.world.root.join("model.jsonl");
        fs::write(&path, answers).map_err(|error| error.to_string())?;
        let guarded = self
            .world
            .project
            .join(&self.mistake.setup.cwd)
            .join(GUARDED);
        if guarded.exists() {
            fs::remove_file(&guarded).map_err(|error| error.to_string())?;
        }
        let path = path.to_string_lossy();
        let finished = self.hookloop(&["--fake-responses", &path, "-y", "-p", "Do it."])?;
        let is_written = guarded.exists();
        Ok((finished, is_written))
    }

    fn check_cured(&self, verdict: &mut Verdict) -> Result<(), String> {
        let left = self.diagnostics()?;
        if !left.is_empty() {
            verdict.remedy = false;
            let wrong = format!("the remedy leaves {}", left[0]["message"]);
            verdict.wrong.push(wrong);
        }
        let (finished, is_written) = self.run_agent()?;
        if is_written && self.mistake.guard != Guard::NotAsked {
            verdict.remedy = false;
            let wrong = format!("the remedied guard is off:\n{}", finished.stderr);
            verdict.wrong.push(wrong);
        }
        Ok(())
    }
}

fn says_one(text: &str, expected: &[String]) -> bool {
    expected.is_empty() || expected.iter().any(|it| text.contains(it.as_str()))
}

/// Replaces a value in a text by another one.
fn with_suggestion(text: &str, place: &Value, right: &str) -> Option<String> {
    let line = usize::try_from(place["line"].as_u64()?).ok()?;
    let column = usize::try_from(place["column"].as_u64()?).ok()?;
    let lines = text.split_inclusive('\n');
    let before: usize = lines.clone().take(line - 1).map(str::len).sum();
    let own = lines.clone().nth(line - 1)?;
    let within = own.char_indices().nth(column - 1).map(|(at, _)| at)?;
    let (start, rest) = text.split_at(before + within);
    let (length, right) = match rest.strip_prefix('"') {
        Some(string) => (2 + end_of_string(string)?, json!(right).to_string()),
        None => (rest.find([',', '}', ']', '\n'])?, right.to_owned()),
    };
    Some(format!("{start}{right}{}", &rest[length..]))
}

/// Returns the length of a JSON string, up to its closing quote.
fn end_of_string(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, character)| {
        let ends = character == '"' && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        ends.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-11: the catalogue contains at least two hundred mistakes; each says what a session must
    /// report about it, or that its guard works as if nothing were wrong.
    #[test]
    fn the_catalogue_holds_two_hundred_mistakes() {
        let folders = crate::find_mistakes();
        assert!(folders.len() >= 200, "{}", folders.len());
        for folder in folders {
            let text = fs::read_to_string(folder.path.join("mistake.json"));
            let mistake: Mistake =
                serde_json::from_str(&text.expect(&folder.name)).expect(&folder.name);
            let is_told = !mistake.session.is_empty() || mistake.guard != Guard::IsOff;
            assert!(is_told, "{}", folder.name);
        }
    }

    /// CM-10: a suggestion replaces what its diagnostic points at, and nothing else.
    #[test]
    fn a_suggestion_is_put_where_the_diagnostic_points() {
        let place = json!({"line": 2, "column": 3});
        let text = "{\n  \"PreTool\\\"Use\": [],\n  \"timeout\": 5}\n";
        let right = "{\n  \"BeforeTool\": [],\n  \"timeout\": 5}\n";
        assert_eq!(
            with_suggestion(text, &place, "BeforeTool").as_deref(),
            Some(right)
        );
        let place = json!({"line": 3, "column": 14});
        let right = text.replace('5', "30");
        assert_eq!(with_suggestion(text, &place, "30"), Some(right));
        let beyond = json!({"line": 9, "column": 1});
        assert_eq!(with_suggestion(text, &beyond, "30"), None);
    }
}
