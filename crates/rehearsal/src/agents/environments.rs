//! What each agent's environment says about its model and its network.

use super::{Stage, Variable};

fn variables<const COUNT: usize>(pairs: [(&'static str, &str); COUNT]) -> Vec<Variable> {
    pairs
        .into_iter()
        .map(|(name, value)| Variable {
            name,
            value: value.to_owned(),
        })
        .collect()
}

pub(super) fn claude_code(stage: &Stage) -> Vec<Variable> {
    variables([
        ("ANTHROPIC_BASE_URL", &stage.model),
        ("ANTHROPIC_API_KEY", "x"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ])
}

pub(super) fn codex(stage: &Stage) -> Vec<Variable> {
    let home = stage.home.join(".codex");
    variables([("CODEX_HOME", &home.to_string_lossy()), ("LOOP_KEY", "x")])
}

pub(super) fn goose(stage: &Stage) -> Vec<Variable> {
    variables([
        ("GOOSE_PROVIDER", "openai"),
        ("GOOSE_MODEL", "fake"),
        ("GOOSE_MODE", "auto"),
        ("GOOSE_DISABLE_KEYRING", "1"),
        ("OPENAI_HOST", &stage.model),
        ("OPENAI_API_KEY", "x"),
    ])
}

pub(super) fn copilot(stage: &Stage) -> Vec<Variable> {
    variables([
        ("COPILOT_PROVIDER_BASE_URL", &stage.versioned()),
        ("COPILOT_PROVIDER_API_KEY", "x"),
        ("COPILOT_MODEL", "fake"),
        ("COPILOT_OFFLINE", "true"),
        ("COPILOT_AUTO_UPDATE", "false"),
    ])
}

pub(super) fn qwen(stage: &Stage) -> Vec<Variable> {
    variables([
        ("OPENAI_BASE_URL", &stage.versioned()),
        ("OPENAI_API_KEY", "x"),
        ("OPENAI_MODEL", "qwen3-coder"),
    ])
}

pub(super) fn opencode(_: &Stage) -> Vec<Variable> {
    variables([
        ("OPENCODE_DISABLE_AUTOUPDATE", "true"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "true"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "true"),
    ])
}

pub(super) fn droid(_: &Stage) -> Vec<Variable> {
    variables([("FACTORY_AIRGAP_ENABLED", "1")])
}

pub(super) fn gemini_cli(stage: &Stage) -> Vec<Variable> {
    variables([
        ("GOOGLE_GEMINI_BASE_URL", &stage.model),
        ("GEMINI_API_KEY", "x"),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
    ])
}
