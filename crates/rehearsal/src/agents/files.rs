//! The settings that make an agent call the scripted model.

use serde_json::json;

use super::{File, Stage, file};

pub(super) fn codex(stage: &Stage) -> Vec<File> {
    // JSON writes a string as TOML reads it.
    let quoted = |text: &str| json!(text).to_string();
    let text = format!(
        "model = \"fake\"\nmodel_provider = \"loop\"\napproval_policy = \"never\"\n\
         sandbox_mode = \"danger-full-access\"\n\n\
         [model_providers.loop]\nname = \"loop\"\nbase_url = {address}\nwire_api = \"responses\"\n\
         env_key = \"LOOP_KEY\"\n\n[analytics]\nenabled = false\n\n\
         [projects.{project}]\ntrust_level = \"trusted\"\n",
        address = quoted(&stage.versioned()),
        project = quoted(&stage.project.to_string_lossy()),
    );
    vec![file(&stage.home.join(".codex/config.toml"), text)]
}

pub(super) fn qwen(stage: &Stage) -> Vec<File> {
    let settings = json!({"security": {"auth": {"selectedType": "openai"}}});
    vec![file(
        &stage.home.join(".qwen/settings.json"),
        format!("{settings:#}\n"),
    )]
}

pub(super) fn kimi(stage: &Stage) -> Vec<File> {
    let address = json!(stage.versioned());
    let text = format!(
        "default_model = \"fake\"\ntelemetry = false\n\n\
         [providers.loop]\ntype = \"openai\"\nbase_url = {address}\napi_key = \"x\"\n\n\
         [models.fake]\nprovider = \"loop\"\nmodel = \"fake\"\nmax_context_size = 100000\n"
    );
    vec![file(&stage.home.join(".kimi-code/config.toml"), text)]
}

pub(super) fn opencode(stage: &Stage) -> Vec<File> {
    let settings = json!({
        "model": "loop/fake",
        "small_model": "loop/fake",
        "permission": "allow",
        "provider": {"loop": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "loop",
            "options": {"baseURL": stage.versioned(), "apiKey": "x"},
            "models": {"fake": {"name": "fake"}},
        }},
    });
    vec![file(
        &stage.project.join("opencode.json"),
        format!("{settings:#}\n"),
    )]
}

pub(super) fn droid(stage: &Stage) -> Vec<File> {
    let settings = json!({"customModels": [{
        "model": "fake",
        "displayName": "fake",
        "baseUrl": stage.versioned(),
        "apiKey": "x",
        "provider": "generic-chat-completion-api",
        "maxOutputTokens": 1000,
    }]});
    vec![file(
        &stage.home.join(".factory/settings.json"),
        format!("{settings:#}\n"),
    )]
}

pub(super) fn gemini_cli(stage: &Stage) -> Vec<File> {
    let settings = json!({"security": {"auth": {"selectedType": "gemini-api-key"}}});
    vec![file(
        &stage.home.join(".gemini/settings.json"),
        format!("{settings:#}\n"),
    )]
}
