//! An MCP server that misbehaves on request; see `hookloop_testkit::mcp_puppet_actions`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = std::env::args().skip(1).collect();
    match hookloop_testkit::mcp_puppet_actions::serve(arguments) {
        Ok(code) => code,
        Err(error) => {
            // A broken pipe is part of the play; any other failure shows in the exit code.
            let _ = std::io::Write::write_fmt(
                &mut std::io::stderr(),
                format_args!("mcp-puppet: {error}\n"),
            );
            ExitCode::from(99)
        }
    }
}
