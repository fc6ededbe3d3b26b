//! Commands in files of user, project and extensions (TU-5).

use hookloop_testkit::wait_until;
use serde_json::json;

use crate::world::{ESCAPE, World};

/// Writes a command of the user.
fn of_user(world: &World, name: &str, text: &str) {
    let file = world.sandbox.home().join(".gemini/commands").join(name);
    world.sandbox.file(file, text);
}

fn trusts_folder(world: &World) {
    let project = world.sandbox.project().display().to_string();
    let folders = json!({ project: "TRUST_FOLDER" }).to_string();
    let file = world.sandbox.home().join(".gemini/trustedFolders.json");
    world.sandbox.file(file, &folders);
}

/// Returns the prompts that hooks have read.
fn prompts(world: &World) -> Vec<String> {
    let noted = world.noted("BeforeAgent");
    let prompts = noted.iter().map(|it| it["prompt"].as_str().unwrap());
    prompts.map(str::to_owned).collect()
}

/// TU-5: a command from a file is a prompt with its arguments, the files that it names are
/// included, and completion and `/help` know it.
#[test]
fn a_file_is_a_command() {
    let world = World::new().says(&["done"]);
    let note = world.noting("BeforeAgent");
    let world = world.hooks(&[("BeforeAgent", "note", &note)]);
    world.sandbox.file("notes.md", "note content\n");
    let text = "description = \"Looks at things\"\nprompt = \"Review {{args}} with @{notes.md}\"\n";
    of_user(&world, "git/review.toml", text);
    let mut session = world.start(&[]);
    session.sends("/help");
    session.sees("/git:review  Looks at things");
    session.is_at_prompt();
    session.types("/gitre");
    session.sees("❯ /git:review  Looks at things");
    session.types("\tthe !{touch ran} code\r");
    session.sees("With the content of notes.md");
    session.sees("done");
    assert_eq!(
        prompts(&world),
        ["Review the !{touch ran} code with @notes.md"]
    );
    assert!(!world.path("ran").exists());
}

/// TU-5: a shell command in a prompt asks like any call, with the arguments as one word; its output
/// is in the prompt, and if it is refused nothing is sent.
#[test]
fn commands_in_prompts_go_through_hooks_and_policy() {
    let world = World::new().says(&["done"]);
    let (prompts_note, calls_note) = (world.noting("BeforeAgent"), world.noting("BeforeTool"));
    let world = world.hooks(&[
        ("BeforeAgent", "note", &prompts_note),
        ("BeforeTool", "calls", &calls_note),
    ]);
    of_user(&world, "say.toml", "prompt = 'It said: !{echo {{args}}}'\n");
    let mut session = world.start(&[]);
    session.sends("/say a; touch ran");
    session.sees("$ echo 'a; touch ran'");
    session.types(ESCAPE);
    session.sees("Request cancelled.");
    session.is_at_prompt();
    assert!(prompts(&world).is_empty());
    session.sends("/say a; touch ran");
    session.sees("$ echo 'a; touch ran'");
    session.answers("1");
    session.sees("done");
    assert!(prompts(&world)[0].contains("Output: a; touch ran"));
    assert!(!world.path("ran").exists());
    let calls = world.noted("BeforeTool");
    assert_eq!(calls[0]["tool_input"]["command"], "echo 'a; touch ran'");
}

/// TU-5, BT-1: a hook's no to a command in a prompt counts, in yolo mode too: nothing is sent.
#[test]
fn a_refused_command_sends_nothing() {
    let world = World::new().says(&["never"]);
    let note = world.noting("BeforeAgent");
    let deny = "echo '{\"decision\":\"deny\",\"reason\":\"not here\"}'";
    let world = world.hooks(&[
        ("BeforeAgent", "note", &note),
        ("BeforeTool", "guard", deny),
    ]);
    of_user(&world, "say.toml", "prompt = 'It said: !{touch ran}'\n");
    let mut session = world.start(&["--yolo"]);
    session.sends("/say");
    session.sees("/say wasn't sent: its command `touch ran` didn't run");
    session.is_at_prompt();
    assert!(prompts(&world).is_empty());
    assert!(!world.path("ran").exists());
}

/// TU-5, TR-3: a project's commands count in a trusted folder, and are marked; otherwise it is
/// reported that they don't.
#[test]
fn a_projects_commands_need_a_trusted_folder() {
    let world = World::new().says(&["done"]);
    let note = world.noting("BeforeAgent");
    let world = world.hooks(&[("BeforeAgent", "note", &note)]);
    of_user(&world, "hi.toml", "prompt = 'of the user'\n");
    world
        .sandbox
        .file(".gemini/commands/hi.toml", "prompt = 'of the project'\n");
    {
        let mut session = world.start(&[]);
        session.sees("left out, because the folder isn't trusted");
        session.sends("/hi");
        session.sees("done");
        assert_eq!(prompts(&world), ["of the user"]);
    }
    trusts_folder(&world);
    let mut session = world.start_on(200, &[], &[]);
    session.sees("/hi replaces that of");
    session.is_at_prompt();
    session.types("/hi");
    session.sees("[project] from");
    session.types("\r");
    wait_until("the prompt of the project", || {
        prompts(&world)
            .last()
            .is_some_and(|it| it == "of the project")
    });
}

/// TU-5: what can't be a command is reported with its place, and nothing replaces a command of the
/// session.
#[test]
fn what_cannot_be_a_command_is_reported() {
    let world = World::new();
    of_user(&world, "bad.toml", "# one\nprompt = [\n");
    of_user(&world, "open.toml", "prompt = 'a !{ls'\n");
    of_user(&world, "help.toml", "prompt = 'mine'\n");
    of_user(&world, "odd.toml", "prompt = 'x'\nprmpt = 'y'\n");
    let mut session = world.start_on(160, &[], &[]);
    session.sees("bad.toml:");
    session.sees("it isn't TOML:");
    session.sees("open.toml:1:");
    session.sees("`!{` has no closing brace");
    session.sees("/help is a built-in command");
    session.sees("odd.toml:2:1: commands have no field `prmpt`");
    session.sends("/help");
    session.sees("Ctrl+O shows what each hook said in the last turn.");
}

/// TU-6: a key shows what each hook said in the last turn, and `/stats` counts what they did.
#[test]
fn what_hooks_said_is_a_key_away() {
    let world = World::new().runs("ls").says(&["after all"]);
    let deny = "echo '{\"decision\":\"deny\",\"reason\":\"not in here\"}'";
    let world = world.hooks(&[
        ("BeforeTool", "guard", deny),
        ("AfterAgent", "broken", "echo oops >&2; exit 3"),
    ]);
    let mut session = world.start(&["--yolo"]);
    session.sends("go");
    session.sees("after all");
    session.is_at_prompt();
    session.types("\x0f");
    session.sees("What hooks said in the last turn:");
    session.sees("BeforeTool guard · refused");
    session.sees("reason: not in here");
    session.sees("AfterAgent broken");
    session.sees("stderr: oops");
    session.sends("/stats");
    session.sees("guard (BeforeTool): 1 run, 1 refused, 0 asked, 0 failed");
    session.sees("broken (AfterAgent): 1 run, ");
}

/// TO-3, TU-1, EV-4: prompts of an MCP server are commands: completed with their arguments, listed
/// by `/mcp`, and guarded by the hooks of a prompt; if one refuses, no model is asked.
#[cfg(feature = "mcp")]
#[test]
fn prompts_of_servers_are_commands() {
    let world = World::new().says(&["done"]);
    let guard = format!(
        "input=$(cat); printf '%s\\n' \"$input\" >> '{}'; \
         case \"$input\" in *Mallory*) echo 'not her' >&2; exit 2;; esac",
        world.log("BeforeAgent").display()
    );
    let puppet = hookloop_testkit::mcp_puppet();
    let settings = json!({
        "mcpServers": { "srv": { "command": puppet, "args": ["prompts"] } },
        "hooks": { "BeforeAgent": [{ "hooks": [
            { "type": "command", "name": "guard", "command": guard },
        ] }] },
    });
    world.sandbox.user_settings(&settings.to_string());
    let mut session = world.start_on(120, &[], &[]);
    session.sends("/mcp");
    session.sees("prompts (3):");
    session.sees("/greet --name=… [--style=…]");
    session.is_at_prompt();
    session.types("/gree");
    session.sees("[srv] Greets somebody");
    session.types("\t--na");
    session.sees("❯ --name=");
    session.types("\tMallory\r");
    session.sees("not her");
    session.is_at_prompt();
    session.sends("/greet Alice");
    session.sees("done");
    session.sends("/greet");
    session.sees("/greet wasn't sent: it needs name");
    let texts = prompts(&world);
    let [refused, sent] = texts.as_slice() else {
        panic!("{texts:?}");
    };
    assert!(
        refused.starts_with("Greet {\"name\":\"Mallory\"}"),
        "{refused}"
    );
    assert!(sent.starts_with("Greet {\"name\":\"Alice\"}"), "{sent}");
}
