//! A command on a terminal of some width.

use std::io::Read as _;

use hookloop_testkit::Sandbox;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};

/// Runs `hookloop …` on a terminal without colours and with nobody at the keyboard, and returns
/// what it prints, with the exit code.
pub(crate) fn printed_at(columns: u16, sandbox: &Sandbox, arguments: &[&str]) -> String {
    let size = PtySize {
        rows: 200,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new("/bin/sh");
    command.args(["-c", "exec \"$0\" \"$@\" < /dev/null"]);
    command.arg(env!("CARGO_BIN_EXE_hookloop"));
    command.env_clear();
    for (name, value) in sandbox.variables() {
        command.env(name, value);
    }
    let system = sandbox.root().join("system.json");
    command.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", system);
    command.env("TERM", "xterm-256color");
    command.env("NO_COLOR", "1");
    command.cwd(sandbox.project());
    command.args(arguments);
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut output = pair.master.try_clone_reader().unwrap();
    let mut bytes = Vec::new();
    // A terminal whose program has ended returns an error on Linux.
    let _ = output.read_to_end(&mut bytes);
    let status = child.wait().unwrap();
    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    format!("{}\n[exit code {}]", lines.join("\n"), status.exit_code())
}
