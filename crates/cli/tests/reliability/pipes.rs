//! Somebody may have put a pipe, an endless device or a huge file in the place of any file that a
//! session reads.

use std::fs;
use std::path::{Path, PathBuf};

use hookloop_testkit::Sandbox;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use crate::script::Script;
use crate::world::{hooks, run, scripted};

/// Writes everything that a session may read when it starts.
fn furnish(sandbox: &Sandbox) {
    let mut settings = hooks(&[("BeforeTool", "echo no >&2; exit 2")]);
    settings["telemetry"] =
        json!({"enabled": true, "outfile": sandbox.root().join("home/telemetry.jsonl")});
    sandbox.user_settings(&settings.to_string());
    let root = sandbox.project().display().to_string();
    let manifest = json!({"name": "e", "version": "1.0.0",
        "settings": [{"name": "K", "description": "k", "envVar": "KK"}]});
    for (file, text) in [
        (".env", "A=1\n".to_owned()),
        ("GEMINI.md", "x".to_owned()),
        (
            "policies/a.toml",
            "[[rule]]\ntoolName = \"web_fetch\"\ndecision = \"deny\"\npriority = 10\n".to_owned(),
        ),
        ("commands/x.toml", "prompt = \"x\"\n".to_owned()),
        (
            "agents/a.md",
            "---\nname: a\ndescription: d\n---\nx".to_owned(),
        ),
        (
            "skills/s/SKILL.md",
            "---\nname: s\ndescription: d\n---\nx".to_owned(),
        ),
        (
            "trustedFolders.json",
            json!({root: "TRUST_FOLDER"}).to_string(),
        ),
        ("trusted_hooks.json", "{}".to_owned()),
        ("mcp-server-enablement.json", "{}".to_owned()),
        ("installation_id", "not one".to_owned()),
        ("extensions/extension-enablement.json", "{}".to_owned()),
        ("extensions/e/gemini-extension.json", manifest.to_string()),
        (
            "extensions/e/hooks/hooks.json",
            json!({"hooks": {}}).to_string(),
        ),
        ("extensions/e/.env", "KK=1\n".to_owned()),
        (
            "extensions/e/.gemini-extension-install.json",
            json!({"source": "/x", "type": "local"}).to_string(),
        ),
    ] {
        let file = sandbox.home().join(".gemini").join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    sandbox.project_settings("{}");
    for file in [
        "GEMINI.md",
        ".gitignore",
        ".geminiignore",
        ".git/info/exclude",
        ".git/config",
    ] {
        sandbox.file(file, "");
    }
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Runs a session whose model wants to write a file, and returns whether the file was written.
fn writes(sandbox: &Sandbox, arguments: &[&str]) -> bool {
    let script = Script::new()
        .calls(
            "write_file",
            &json!({"file_path": "out.txt", "content": "x"}),
        )
        .says("done");
    let mut all = vec!["--yolo", "-p", "go"];
    all.extend(arguments);
    let finished = run(scripted(sandbox, &script, &all));
    assert!(finished.code.is_some(), "{}", finished.stderr);
    assert!(!finished.stderr.contains("panicked"), "{}", finished.stderr);
    let out = sandbox.project().join("out.txt");
    let is_written = out.exists();
    drop(fs::remove_file(out));
    is_written
}

/// TR-10, ST-5: a session that finds something else in the place of any file that it reads ends,
/// and its guard still refuses: nothing waits for a pipe, or reads what never ends.
#[test]
fn no_file_of_a_session_is_waited_for() {
    let sandbox = Sandbox::new();
    furnish(&sandbox);
    assert!(!writes(&sandbox, &[]));
    let mut files = Vec::new();
    files_below(sandbox.home(), &mut files);
    files_below(sandbox.project(), &mut files);
    files.retain(|it| !it.ends_with("answers.jsonl"));
    assert!(
        files
            .iter()
            .any(|it| it.to_string_lossy().contains("/sessions/"))
    );
    let puts: [fn(&Path); 3] = [
        |path| {
            let rights = Mode::RUSR | Mode::WUSR;
            mknodat(CWD, path, FileType::Fifo, rights, 0).unwrap();
        },
        |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
        |path| fs::File::create(path).unwrap().set_len(10 << 30).unwrap(),
    ];
    for file in files {
        // What a session removes at its end is no file that the next one finds.
        if !file.exists() {
            continue;
        }
        let aside = sandbox.root().join("aside");
        fs::rename(&file, &aside).unwrap();
        for put in puts {
            put(&file);
            let is_session = file.to_string_lossy().contains("/sessions/");
            let resumed: &[&str] = if is_session {
                &["--resume", "latest"]
            } else {
                &[]
            };
            // Without its settings a session doesn't start.
            assert!(!writes(&sandbox, resumed), "{}", file.display());
            drop(fs::remove_file(&file));
        }
        fs::rename(&aside, &file).unwrap();
    }
}
