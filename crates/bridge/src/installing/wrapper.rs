//! The command that is registered: alone, or in a wrapper that turns a missing program, a crash or a
//! signal into a refusal (BR-22).

use std::path::Path;

use hookloop_shell::quote;

use crate::agent::Agent;
use crate::placing::Failing;

/// Returns the command for an event of an agent.
pub fn command_for(agent: Agent, event: &str, program: &Path) -> String {
    let program = program.to_string_lossy();
    let call = format!("{} hooks bridge {} {event}", quote(&program), agent.word());
    if !agent.is_wrapped(event) {
        return call;
    }
    let words = match agent.profile().installing.failing {
        Failing::ExitCode => "",
        Failing::Copilot if event.starts_with("userPrompt") => {
            "echo '{\"decision\":\"block\",\"reason\":\"hookloop failed: blocked\"}'; "
        }
        Failing::Copilot => {
            "echo '{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"hookloop failed: \
             blocked\"}'; "
        }
        Failing::Cline => {
            "echo '{\"cancel\":true,\"errorMessage\":\"hookloop failed: blocked\"}'; "
        }
    };
    // Where exit codes count for nothing, the words must be read.
    let code = match agent.profile().installing.failing {
        Failing::Copilot if event.starts_with("userPrompt") => 0,
        Failing::Cline => 0,
        _ => 2,
    };
    format!(
        "{{ {call}; r=$?; [ $r = 0 ] || [ $r = 2 ] || {{ {words}echo \"hookloop failed ($r): blocked\" \
         >&2; r={code}; }}; exit $r; }}"
    )
}
