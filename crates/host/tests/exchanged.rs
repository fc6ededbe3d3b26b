//! What a hook's run says whose files are exchanged while it runs (TR-6).
#![cfg(unix)]

use std::fs;

use hookloop_engine::LineObserver;
use hookloop_engine::events::{BeforeToolOutcome, ToolArguments, ToolCall};
use hookloop_host::Host;
use serde_json::json;

/// TR-6: a script that is moved away and put back while it runs lets nothing through, as one that
/// can't start; a log that it writes, and a script that stays, change nothing.
#[tokio::test]
async fn only_a_script_that_stays_lets_a_call_through() {
    for (text, proceeds) in [
        ("mv \"$0\" \"$0.x\"; mv \"$0.x\" \"$0\"", false),
        ("cp \"$0\" \"$0.x\"; mv \"$0.x\" \"$0\"", false),
        (
            "d=${0%/*}; mv \"$d\" \"$d.x\"; cp -r \"$d.x\" \"$d\"",
            false,
        ),
        ("echo called >> \"$1\"", true),
        ("cat \"$0\" >/dev/null", true),
    ] {
        for on_failure in [json!(null), json!("deny")] {
            let scene = tempfile::tempdir().unwrap();
            let root = scene.path().canonicalize().unwrap();
            for folder in ["home/.gemini", "home/guards", "project/.git"] {
                fs::create_dir_all(root.join(folder)).unwrap();
            }
            let script = root.join("home/guards/guard.sh");
            fs::write(&script, format!("cat >/dev/null\n{text}\n")).unwrap();
            let command = format!(
                "sh {} {}",
                script.display(),
                root.join("home/log").display()
            );
            let mut hook = json!({"type": "command", "name": "guard", "command": command});
            if !on_failure.is_null() {
                hook["onFailure"] = on_failure.clone();
            }
            let settings = json!({"hooks": {"BeforeTool": [{"hooks": [hook]}]}});
            let file = root.join("home/.gemini/settings.json");
            fs::write(file, settings.to_string()).unwrap();
            let path = ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into());
            let host = Host::builder(root.join("project"))
                .variables(vec![path])
                .home(root.join("home"))
                .system_file(root.join("system.json"))
                .hooks(|hooks| hooks.observer(std::sync::Arc::new(LineObserver::new(|_| {}))))
                .open()
                .unwrap();
            let call = ToolCall::new("call-1", "write_file", ToolArguments::new());
            let session = host.session("a");
            let concluded = session.before_tool(call, |_| Ok::<_, String>(())).await;
            let outcome = concluded.unwrap().outcome;
            let is_let_through = matches!(outcome, BeforeToolOutcome::Proceed(_));
            assert_eq!(is_let_through, proceeds, "{text} {on_failure}");
        }
    }
}
