use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::extensions::{hooks, install, listed, place, run, run_json, source, standing, write};
use crate::world::World;

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .args(["-c", "user.name=me", "-c", "user.email=me@example.com"])
        .args(arguments);
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn repository(world: &World) -> String {
    let folder = source(world);
    git(&folder, &["init", "--quiet", "--initial-branch=main"]);
    git(&folder, &["add", "--all"]);
    git(&folder, &["commit", "--quiet", "--message=one"]);
    format!("file://{}", folder.display())
}

/// EX-4: an extension is installed from a git repository, and updated from it.
#[test]
fn repositories_are_fetched() {
    let world = World::new();
    let url = repository(&world);
    let installed = run_json(&world, &["install", &url, "--consent"]);
    assert_eq!(installed.code, 0, "{}", installed.json);
    assert_eq!(listed(&world)[0]["hooks"], 1);
    assert!(!place(&world).join(".git").exists());
    let folder = world.sandbox.root().join("source");
    hooks(&folder, "newer");
    git(&folder, &["commit", "--quiet", "--all", "--message=two"]);
    assert_eq!(run(&world, &["update", "tools"]).code, Some(1));
    assert_eq!(run(&world, &["update", "tools", "--consent"]).code, Some(0));
    let text = std::fs::read_to_string(place(&world).join("hooks/hooks.json")).unwrap();
    assert!(text.contains("newer"));
    assert_eq!(standing(&world), ["tools"]);
}

/// EX-4: `--ref` names a branch or tag; for a missing one, git's error is shown.
#[test]
fn a_branch_can_be_named() {
    let world = World::new();
    let url = repository(&world);
    let folder = world.sandbox.root().join("source");
    git(&folder, &["checkout", "--quiet", "-b", "old"]);
    hooks(&folder, "of-old-branch");
    git(&folder, &["commit", "--quiet", "--all", "--message=old"]);
    git(&folder, &["checkout", "--quiet", "main"]);
    let missing = run_json(&world, &["install", &url, "--ref", "none", "--consent"]);
    assert_eq!(
        (missing.code, &missing.json["error"]["code"]),
        (1, &json!("bad_input"))
    );
    assert_eq!(standing(&world), [""; 0]);
    run(&world, &["install", &url, "--ref", "old", "--consent"]);
    let text = std::fs::read_to_string(place(&world).join("hooks/hooks.json")).unwrap();
    assert!(text.contains("of-old-branch"));
}

/// EX-4: fetching runs nothing: neither filters that the repository requests, nor git's hooks.
#[test]
fn fetching_runs_nothing() {
    let world = World::new();
    let url = repository(&world);
    let folder = world.sandbox.root().join("source");
    write(&folder.join(".gitattributes"), "* filter=evil\n");
    git(&folder, &["add", "--all"]);
    git(&folder, &["commit", "--quiet", "--message=two"]);
    let ran = world.sandbox.root().join("ran");
    let templates = world.sandbox.root().join("templates");
    let hook = templates.join("hooks/post-checkout");
    write(&hook, &format!("#!/bin/sh\ntouch {}\n", ran.display()));
    Command::new("chmod").arg("+x").arg(&hook).status().unwrap();
    let config = format!(
        "[filter \"evil\"]\n smudge = touch {}\n required = true\n[init]\n templateDir = {}\n\
         [core]\n hooksPath = {}\n",
        ran.display(),
        templates.display(),
        templates.join("hooks").display()
    );
    write(&world.sandbox.home().join(".gitconfig"), &config);
    let installed = run_json(&world, &["install", &url, "--consent"]);
    assert_eq!(installed.code, 0, "{}", installed.json);
    assert!(!ran.exists());
    let text = std::fs::read_to_string(place(&world).join("CONTEXT.md")).unwrap();
    assert_eq!(text, "# Tools\n");
}

/// EX-4: addresses that aren't encrypted, or that make git run a program, are refused.
#[test]
fn unsafe_addresses_are_refused() {
    let world = World::new();
    for address in [
        "http://127.0.0.1:1/x",
        "git://127.0.0.1/x",
        "ext::touch% ran",
    ] {
        let printed = run_json(&world, &["install", address, "--consent"]);
        assert_eq!(
            (printed.code, &printed.json["error"]["code"]),
            (1, &json!("bad_input")),
            "{address}"
        );
    }
    assert!(!world.project().join("ran").exists());
    assert_eq!(standing(&world), [""; 0]);
}

/// EX-4: a link that leads out of an extension is refused; one inside it stays a link.
#[test]
fn links_do_not_lead_out() {
    let secret = "secret";
    for (leads_to, is_fine) in [
        ("CONTEXT.md", true),
        ("hooks/../CONTEXT.md", true),
        ("../secret", false),
        ("/etc/passwd", false),
        ("nowhere", false),
        ("hooks/../../secret", false),
    ] {
        let world = World::new();
        let source = source(&world);
        write(&world.sandbox.root().join(secret), "TOP");
        symlink(leads_to, source.join("link.md")).unwrap();
        let printed = install(&world, &source);
        assert_eq!(printed.code == 0, is_fine, "{leads_to}: {}", printed.json);
        if is_fine {
            let copied = place(&world).join("link.md");
            assert_eq!(std::fs::read_link(copied).unwrap(), Path::new(leads_to));
        } else {
            assert_eq!(standing(&world), [""; 0], "{leads_to}");
        }
    }
}

/// EX-4: a file that claims more than an extension may contain is refused before anything is
/// copied: its holes would fill the disk.
#[test]
fn an_endless_file_is_not_copied() {
    let world = World::new();
    let source = source(&world);
    let file = std::fs::File::create(source.join("holes")).unwrap();
    file.set_len(1024 * 1024 * 1024).unwrap();
    let printed = install(&world, &source);
    let text = printed.json.to_string();
    assert!(
        printed.code == 1 && text.contains("larger than 1 GiB"),
        "{text}"
    );
    assert_eq!(standing(&world), [""; 0]);
}

/// EX-4: a name that leads elsewhere, or a broken manifest, is refused.
#[test]
fn names_do_not_lead_elsewhere() {
    for manifest in [
        r#"{ "name": "../evil", "version": "1" }"#,
        r#"{ "name": ".evil" }"#,
        r#"{ "name": "a/b" }"#,
        r#"{ "name": "" }"#,
        r#"{ "version": "1" }"#,
        "{ broken",
    ] {
        let world = World::new();
        let source = source(&world);
        write(&source.join("gemini-extension.json"), manifest);
        let printed = install(&world, &source);
        assert_eq!(
            (printed.code, &printed.json["error"]["code"]),
            (1, &json!("bad_input")),
            "{manifest}"
        );
        assert_eq!(standing(&world), [""; 0], "{manifest}");
        assert!(!world.sandbox.home().join(".gemini/evil").exists());
    }
}

/// EX-4: an extension can't claim that it is a link, or bring settings.
#[test]
fn what_a_source_says_of_its_origin_is_left_out() {
    let world = World::new();
    let source = source(&world);
    let elsewhere = world.sandbox.root().join("elsewhere");
    write(
        &elsewhere.join("gemini-extension.json"),
        r#"{ "name": "tools" }"#,
    );
    let lie = json!({ "type": "link", "source": elsewhere.to_str().unwrap() });
    write(
        &source.join(".gemini-extension-install.json"),
        &lie.to_string(),
    );
    write(&source.join(".env"), "TOOLS_KEY=theirs\n");
    assert_eq!(install(&world, &source).code, 0);
    let extension = &listed(&world)[0];
    assert_eq!(
        (&extension["linked"], &extension["hooks"]),
        (&json!(false), &json!(1))
    );
    assert!(!place(&world).join(".env").exists());
}

/// EX-4: a linked extension is used where it is; removing the link leaves it there.
#[test]
fn a_linked_extension_stays_where_it_is() {
    let world = World::new();
    let source = source(&world);
    let path = source.to_str().unwrap();
    let declined = run_json(&world, &["link", path]);
    assert_eq!(declined.json["error"]["code"], "declined");
    assert_eq!(run(&world, &["link", path, "--consent"]).code, Some(0));
    let extension = &listed(&world)[0];
    assert_eq!(
        (&extension["linked"], &extension["path"]),
        (&json!(true), &json!(path))
    );
    hooks(&source, "changed");
    let hook = world.json(&["list"]).json["hooks"][0]["command"].take();
    assert_eq!(hook, "changed");
    assert_eq!(run(&world, &["uninstall", "tools"]).code, Some(0));
    assert!(source.join("hooks/hooks.json").exists());
    assert_eq!(standing(&world), [""; 0]);
}

/// EX-4: what isn't an extension is an error, and leaves nothing behind.
#[test]
fn what_is_not_an_extension_is_refused() {
    let world = World::new();
    std::fs::create_dir(world.project().join("empty")).unwrap();
    for path in ["empty", "missing", ".git/HEAD"] {
        let printed = run_json(&world, &["install", path, "--consent"]);
        assert_eq!(
            (printed.code, &printed.json["error"]["code"]),
            (1, &json!("bad_input")),
            "{path}"
        );
    }
    assert_eq!(standing(&world), [""; 0]);
}
