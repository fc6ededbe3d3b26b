//! Whether a tool call would take away what guards are made of (TR-8).

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, PathUse, Surroundings, understand};
use serde_json::{Map, Value};

use crate::protected::{Protected, Touch};

/// Tools of the agent that change nothing of the project's.
const READERS: [&str; 16] = [
    "read_file",
    "read_many_files",
    "list_directory",
    "glob",
    "search_file_content",
    "grep_search",
    "web_fetch",
    "google_web_search",
    "save_memory",
    "write_todos",
    "ask_user",
    "activate_skill",
    "delegate_to_agent",
    "get_internal_docs",
    "enter_plan_mode",
    "exit_plan_mode",
];

/// The names under which tools of servers take a path that they may write to.
const PATHS: [&str; 8] = [
    "path",
    "file_path",
    "filePath",
    "filename",
    "file",
    "target",
    "destination",
    "source",
];

/// Looks at calls before they run.
#[derive(Debug, Clone, Default)]
pub struct CallWatch {
    protected: Protected,
    cwd: PathBuf,
    home: Option<PathBuf>,
}

impl CallWatch {
    /// Watches over what is protected, for calls that run in a working directory.
    pub fn new(protected: Protected, cwd: PathBuf, home: Option<PathBuf>) -> Self {
        Self {
            protected,
            cwd,
            home,
        }
    }

    /// Returns what is protected.
    pub fn protected(&self) -> &Protected {
        &self.protected
    }

    /// Returns the protected file that a call would write, delete, move or re-mode, as far as the
    /// call is understood.
    pub fn touched(&self, tool: &str, arguments: &Map<String, Value>) -> Option<PathBuf> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        match tool {
            "run_shell_command" => {
                let folder = text("dir_path").or_else(|| text("directory"));
                let folder = self.cwd.join(folder.unwrap_or_default());
                self.touched_by_shell(text("command")?, &folder)
            }
            "write_file" | "replace" => self.written(text("file_path")?),
            tool if READERS.contains(&tool) => None,
            _ => PATHS
                .iter()
                .filter_map(|name| text(name))
                .find_map(|path| self.written(path)),
        }
    }

    fn written(&self, path: &str) -> Option<PathBuf> {
        let path = match (path.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.cwd.join(path),
        };
        self.protected.touched_by(Touch::Write, &path)
    }

    fn touched_by_shell(&self, command: &str, folder: &Path) -> Option<PathBuf> {
        let folder = folder.to_string_lossy();
        let home = self.home.as_ref().map(|it| it.to_string_lossy());
        let place = Surroundings {
            folder: Some(&folder),
            home: home.as_deref(),
            repository: None,
            variables: None,
        };
        let understood = understand(command, place);
        let mut commands = understood.commands.iter();
        commands.find_map(|command| self.touched_by_command(command))
    }

    fn touched_by_command(&self, command: &Command) -> Option<PathBuf> {
        let removed = command
            .deletes
            .iter()
            .find_map(|it| self.used(Touch::Remove, it));
        removed
            .or_else(|| {
                command
                    .writes
                    .iter()
                    .find_map(|it| self.used(Touch::Write, it))
            })
            .or_else(|| self.put_into_folder(command))
            .or_else(|| self.re_moded(command))
    }

    fn used(&self, touch: Touch, used: &PathUse) -> Option<PathBuf> {
        let mut paths = used.paths.iter();
        if used.pattern {
            return paths.find_map(|path| self.protected.meant_by(touch, path));
        }
        paths.find_map(|path| self.protected.touched_by(touch, Path::new(path)))
    }

    /// `chmod -x guard.sh`: a program that can't be started any more guards nothing.
    fn re_moded(&self, command: &Command) -> Option<PathBuf> {
        const PROGRAMS: [&str; 6] = ["chmod", "chown", "chgrp", "chattr", "setfacl", "setfattr"];
        if !PROGRAMS.contains(&command.program.as_str()) {
            return None;
        }
        command.operands().find_map(|word| {
            let folders = command.folders.iter();
            let mut paths = folders.map(|folder| Path::new(folder).join(&word.text));
            if word.pattern {
                let mut paths = paths.map(|path| path.to_string_lossy().into_owned());
                return paths.find_map(|path| self.protected.meant_by(Touch::Remove, &path));
            }
            // Whoever closes a folder takes what is in it along.
            paths.find_map(|path| self.protected.touched_by(Touch::Remove, &path))
        })
    }

    /// `cp settings.json .gemini/`: what is written is named by what is copied.
    fn put_into_folder(&self, command: &Command) -> Option<PathBuf> {
        let names: Vec<&str> = command
            .operands()
            .filter_map(|word| word.text.trim_end_matches('/').rsplit('/').next())
            .filter(|name| !name.is_empty())
            .collect();
        let written = command
            .writes
            .iter()
            .flat_map(|it| &it.paths)
            .map(Path::new);
        written.filter(|path| path.is_dir()).find_map(|folder| {
            names
                .iter()
                .find_map(|name| self.protected.touched_by(Touch::Write, &folder.join(name)))
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use serde_json::json;

    use super::*;
    use crate::workspace::{Opening, Workspace};

    struct Fixture {
        folder: tempfile::TempDir,
    }

    #[expect(clippy::expect_used, reason = "a test that can't be set up fails")]
    impl Fixture {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let fixture = Self { folder };
            fixture.write(
                "home/.gemini/settings.json",
                r#"{"hooks": {"BeforeTool": [{"hooks": [
                    {"type": "command", "command": "bash ~/guards/guard.sh"}]}]}}"#,
            );
            fixture.write("home/guards/guard.sh", "exit 0");
            fixture.write(
                "project/.gemini/settings.json",
                r#"{"hooks": {"BeforeTool": [{"hooks": [
                    {"type": "command", "command": "tools/check.sh"}]}]}}"#,
            );
            fixture.write(
                "project/tools/check.sh",
                "#!/bin/bash\nsource tools/lib.sh\n",
            );
            fixture.write("project/tools/lib.sh", "true");
            fixture.write("project/src/main.rs", "");
            fixture
        }

        fn path(&self, path: &str) -> PathBuf {
            self.folder
                .path()
                .canonicalize()
                .expect("a path")
                .join(path)
        }

        fn write(&self, path: &str, text: &str) {
            let file = self.path(path);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(file, text).expect("a file");
        }

        fn watch(&self) -> CallWatch {
            let opening = Opening::of(self.path("project"), self.path("home"));
            let workspace = Workspace::open(&opening);
            let protected = Protected::of(&workspace);
            CallWatch::new(protected, self.path("project"), Some(self.path("home")))
        }
    }

    /// TR-8: file tools can't write what guards are made of, however the file is spelled; what else
    /// is in the project they can.
    #[test]
    fn files_of_guards_are_protected_by_what_they_are() {
        let fixture = Fixture::new();
        symlink(".gemini", fixture.path("project/alias")).expect("a link");
        symlink("tools/check.sh", fixture.path("project/innocent")).expect("a link");
        let hard = fixture.path("project/hard.json");
        std::fs::hard_link(fixture.path("project/.gemini/settings.json"), hard).expect("a link");
        let watch = fixture.watch();
        let touched = |path: &str| {
            let arguments = json!({"file_path": path, "content": ""});
            let arguments = arguments.as_object().expect("an object");
            watch.touched("write_file", arguments).is_some()
        };
        let absolute = fixture.path("home/guards/guard.sh").display().to_string();
        for path in [
            ".gemini/settings.json",
            "./src/../.gemini/settings.json",
            "alias/settings.json",
            "hard.json",
            "innocent",
            "tools/check.sh",
            "tools/lib.sh",
            ".gemini/extensions/new/hooks/hooks.json",
            ".gemini/agents/x.md",
            "~/.gemini/settings.json",
            "~/.gemini/trusted_hooks.json",
            absolute.as_str(),
        ] {
            assert!(touched(path), "{path}");
        }
        for path in [
            "src/main.rs",
            "GEMINI.md",
            "tools/other.sh",
            ".gemini/GEMINI.md",
            "new",
        ] {
            assert!(!touched(path), "{path}");
        }
    }

    /// TR-8: neither can shell commands, as far as they are understood: writing, deleting, moving,
    /// re-moding, also of folders on the way and by patterns.
    #[test]
    fn shell_commands_are_understood() {
        let fixture = Fixture::new();
        let watch = fixture.watch();
        let touched = |command: &str| {
            let arguments = json!({"command": command});
            let arguments = arguments.as_object().expect("an object");
            watch.touched("run_shell_command", arguments).is_some()
        };
        for command in [
            "echo '{}' > .gemini/settings.json",
            "echo x >> tools/check.sh",
            "rm .gemini/settings.json",
            "rm -rf .gemini",
            "mv .gemini elsewhere",
            "mv tools old-tools",
            "cd .gemini && rm settings.json",
            "sed -i s/a/b/ tools/check.sh",
            "tee tools/lib.sh < /dev/null",
            "cp src/main.rs tools/check.sh",
            "chmod -x tools/check.sh",
            "bash -c 'rm tools/check.sh'",
            "rm .gemini/*.json",
            "find . -name x; truncate -s 0 tools/lib.sh",
            "ln -sf /dev/null tools/check.sh",
            "rm ~/guards/guard.sh",
        ] {
            assert!(touched(command), "{command}");
        }
        for command in [
            "cat .gemini/settings.json",
            "ls -l tools",
            "echo x > src/main.rs",
            "rm src/main.rs",
            "bash tools/check.sh",
            "grep -r hooks .gemini",
            "mkdir build && touch build/x",
        ] {
            assert!(!touched(command), "{command}");
        }
    }

    /// TR-8: what a command did all the same is seen by comparing.
    #[test]
    fn changes_are_seen_afterwards() {
        let fixture = Fixture::new();
        let watch = fixture.watch();
        let before = watch.protected().snapshot();
        assert_eq!(watch.protected().changes_since(&before), []);
        fixture.write("project/src/main.rs", "fn main() {}");
        assert_eq!(watch.protected().changes_since(&before), []);
        fixture.write("project/tools/lib.sh", "false");
        fixture.write("project/.gemini/agents/new.md", "x");
        std::fs::remove_file(fixture.path("home/.gemini/settings.json")).expect("a file");
        let changes = watch.protected().changes_since(&before);
        let told: Vec<(String, &str)> = changes
            .iter()
            .map(|it| {
                (
                    it.path
                        .file_name()
                        .expect("a name")
                        .to_string_lossy()
                        .into(),
                    it.what,
                )
            })
            .collect();
        for expected in [
            ("lib.sh", "changed"),
            ("new.md", "appeared"),
            ("settings.json", "disappeared"),
        ] {
            assert!(
                told.iter()
                    .any(|(name, what)| (name.as_str(), *what) == expected),
                "{told:?}"
            );
        }
    }
}
