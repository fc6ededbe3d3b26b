//! A home, a project and a scripted model for one agent, and runs of it there.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hookloop_rehearsal::agents::{Agent, Stage};
use hookloop_rehearsal::{Exchange, ScriptedModel, Turn};
use hookloop_testkit::processes_of;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tempfile::TempDir;

use crate::install::Installed;

/// How long a command of ours may take, a turn of the agent in it included.
const OURS: Duration = Duration::from_mins(5);

/// How long it rests between two looks at a program.
const PAUSE: Duration = Duration::from_millis(20);

/// Where an agent plays.
pub(crate) struct Playground {
    folder: PathBuf,
    /// Removes the folder at the end, unless it is kept.
    _temporary: TempDir,
    agent: &'static Agent,
    runtime: PathBuf,
    pub(crate) stage: Stage,
    model: ScriptedModel,
}

/// A program that ended, or was ended.
pub(crate) struct Finished {
    /// Its exit code; nothing if it was killed.
    pub(crate) code: Option<i32>,
    /// What it wrote, to both streams.
    pub(crate) said: String,
    /// Whether it was still running when its time was over.
    pub(crate) is_late: bool,
}

/// A turn of an agent.
pub(crate) struct Played {
    /// How the agent ended.
    pub(crate) finished: Finished,
    /// What the model was asked, without requests on the side.
    pub(crate) asked: Vec<Exchange>,
}

impl Played {
    /// Returns whether a request behind the first one holds a text.
    pub(crate) fn later_mentions(&self, text: &str) -> bool {
        self.asked.iter().skip(1).any(|asked| asked.mentions(text))
    }
}

impl Playground {
    /// Makes the folders, with the agent's own files.
    pub(crate) fn new(
        agent: &'static Agent,
        installed: &Installed,
        program: &Path,
        keep: bool,
    ) -> io::Result<Self> {
        let temporary = tempfile::Builder::new()
            .prefix(&format!("agent-{}-", agent.name))
            .disable_cleanup(keep)
            .tempdir()?;
        let folder = temporary.path().canonicalize()?;
        let model = ScriptedModel::start([])?;
        let stage = Stage {
            home: folder.join("home"),
            project: folder.join("project"),
            model: model.url(),
        };
        for made in [
            &stage.home,
            &stage.project,
            &folder.join("bin"),
            &folder.join("marks"),
        ] {
            fs::create_dir(made)?;
        }
        symlink(&installed.program, folder.join("bin").join(agent.program))?;
        symlink(program, folder.join("bin/hookloop"))?;
        for file in agent.files(&stage) {
            write(&file.path, &file.text)?;
        }
        let playground = Self {
            folder,
            _temporary: temporary,
            agent,
            runtime: installed.runtime.clone(),
            stage,
            model,
        };
        playground.prepare()?;
        Ok(playground)
    }

    fn prepare(&self) -> io::Result<()> {
        let Some(arguments) = self.agent.preparation(&self.stage) else {
            return Ok(());
        };
        let finished = self.run(self.agent.program, &arguments, OURS)?;
        if finished.code == Some(0) {
            return Ok(());
        }
        let message = format!("its preparation failed: {}", finished.said);
        Err(io::Error::other(message))
    }

    /// Returns the folder around all of it.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns a file of the project.
    pub(crate) fn in_project(&self, name: &str) -> PathBuf {
        self.stage.project.join(name)
    }

    /// Returns whether the project has a file.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.in_project(name).exists()
    }

    /// Sets a mark that hooks look at, or takes it away.
    pub(crate) fn mark(&self, name: &str) -> io::Result<()> {
        fs::write(self.folder.join("marks").join(name), "")
    }

    /// Takes all marks away.
    pub(crate) fn unmark(&self) -> io::Result<()> {
        for entry in fs::read_dir(self.folder.join("marks"))? {
            fs::remove_file(entry?.path())?;
        }
        Ok(())
    }

    /// Runs our program.
    pub(crate) fn hookloop(&self, arguments: &[&str]) -> io::Result<Finished> {
        let arguments: Vec<String> = arguments.iter().map(|it| (*it).to_owned()).collect();
        self.run("hookloop", &arguments, OURS)
    }

    /// Lets the agent take one turn, with what the model says in it.
    pub(crate) fn play(
        &self,
        prompt: &str,
        turns: impl IntoIterator<Item = Turn>,
    ) -> io::Result<Played> {
        self.model.restart(turns);
        let arguments = self.agent.arguments(prompt);
        let finished = self.run(self.agent.program, &arguments, self.agent.patience)?;
        Ok(Played {
            finished,
            asked: self.model.turns_asked(),
        })
    }

    /// Returns a call of the agent's shell tool.
    pub(crate) fn shell(&self, command: &str) -> Turn {
        Turn::Call(self.agent.shell(command))
    }

    /// Prepares a run of a program in the project, with the agent's environment.
    pub(crate) fn command(&self, program: &str) -> Command {
        let own = self.folder.join("bin");
        let path = format!(
            "{}:{}:/usr/local/bin:/usr/bin:/bin",
            own.display(),
            self.runtime.display()
        );
        let mut command = Command::new(own.join(program));
        command
            .env_clear()
            .env("HOME", &self.stage.home)
            .env("PATH", path)
            .env("LANG", "C.UTF-8")
            .current_dir(&self.stage.project)
            .process_group(0);
        for variable in self.agent.environment(&self.stage) {
            command.env(variable.name, variable.value);
        }
        command
    }

    fn run(&self, program: &str, arguments: &[String], patience: Duration) -> io::Result<Finished> {
        let said = self.folder.join("said");
        let out = File::create(&said)?;
        let mut command = self.command(program);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(out.try_clone()?)
            .stdout(out);
        let (code, is_late) = wait(&mut command.spawn()?, patience)?;
        self.end_strays();
        let said = fs::read(said)?;
        Ok(Finished {
            code,
            said: String::from_utf8_lossy(&said).into_owned(),
            is_late,
        })
    }

    /// Ends what an agent left running: some leave services behind.
    fn end_strays(&self) {
        for stray in processes_of(&self.folder) {
            if let Some(pid) = Pid::from_raw(stray.id) {
                // It may have ended by itself in between.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}

fn wait(child: &mut Child, patience: Duration) -> io::Result<(Option<i32>, bool)> {
    let end = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status.code(), false));
        }
        if Instant::now() >= end {
            break;
        }
        thread::sleep(PAUSE);
    }
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // Nothing is left of the group if this fails.
        let _ = kill_process_group(group, Signal::KILL);
    }
    child.wait()?;
    Ok((None, true))
}

/// Writes a file, with the folders that it needs.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}
