//! The registered command: the plain command, or a wrapper that turns a missing program, a crash or
//! a signal into a refusal (BR-22).

use std::path::Path;

use hookloop_shell::quote;

use crate::agent::Agent;
use crate::moment::Moment;
use crate::placing::Failing;

/// Returns the command for an event of an agent.
pub fn command_for(agent: Agent, event: &str, program: &Path) -> String {
    let program = program.to_string_lossy();
    let call = format!("{} hooks bridge {} {event}", quote(&program), agent.word());
    if !agent.is_wrapped(event) {
        return call;
    }
    let installing = &agent.profile().installing;
    let is_prompt = agent.moment(event) == Some(Moment::Prompt);
    match installing.failing {
        Failing::ExitCode => by_exit_code(&call, ""),
        Failing::Copilot if is_prompt => by_words(
            &call,
            r#"{"decision":"block","reason":"hookloop failed: blocked"}"#,
        ),
        Failing::Copilot => by_exit_code(
            &call,
            "echo '{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"hookloop failed: \
             blocked\"}'; ",
        ),
        Failing::Cline => by_words(
            &call,
            r#"{"cancel":true,"errorMessage":"hookloop failed: blocked"}"#,
        ),
    }
}

/// If exit code 2 refuses, any failure becomes it.
fn by_exit_code(call: &str, words: &str) -> String {
    format!(
        "{{ {call}; r=$?; [ $r = 0 ] || [ $r = 2 ] || {{ {words}echo \"hookloop failed ($r): blocked\" \
         >&2; r=2; }}; exit $r; }}"
    )
}

/// If exit codes don't count, the output must be checked: anything but a clean end with an object
/// or nothing becomes a refusal, which is then the only output.
fn by_words(call: &str, words: &str) -> String {
    format!(
        "{{ o=$({call}); r=$?; case \"$r:$o\" in 0: | 0:'{{'*'}}') printf %s \"$o\" ;; *) echo '{words}'; \
         echo \"hookloop failed ($r): blocked\" >&2 ;; esac; exit 0; }}"
    )
}
