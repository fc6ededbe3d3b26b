//! What a component may access: what its entry grants, and nothing else (HT-20).

mod network;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookloop_hook::PluginGrants;
use hookloop_settings::bounded::{Unread, read_regular};
use hookloop_trust::{real_path, resolve_path};
use tempfile::TempDir;
use wasmtime_wasi::{FsPerms, HostWallClock, WasiCtx, WasiCtxBuilder};

use crate::Question;
use crate::log::Log;
use crate::source::is_of_stranger;
use crate::state::Names;
use network::Reach;

/// The largest file, in bytes, that can be granted alone: such files are copied for each instance.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// The rights of one instance, looked up when it starts.
#[derive(Debug)]
pub(crate) struct Rights {
    read: Vec<Readable>,
    env: Vec<(String, String)>,
    reach: Reach,
}

/// A file or folder that may be read.
#[derive(Debug)]
struct Readable {
    /// Where it is, without links.
    real: PathBuf,
    /// The names by which the component may open it: as the grant is written, and its real path.
    names: Vec<String>,
}

impl Rights {
    /// Resolves the rights of a hook. The error names the right that can't be granted.
    pub(crate) fn of(question: &Question<'_>) -> Result<Self, String> {
        let hook = &question.invocation.hook;
        let grants = &question.plugin.grants;
        let mut read = Vec::new();
        for text in &grants.read {
            read.extend(resolve_readable(question, text)?);
        }
        let own = hook
            .env
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()));
        let mut env: Vec<(String, String)> = own.collect();
        for name in &grants.env {
            let is_own = hook.env.contains_key(name);
            let value = (!is_own).then(|| (question.variable)(name)).flatten();
            env.extend(value.map(|value| (name.clone(), value)));
        }
        let reach = Reach::of(&grants.net, is_of_stranger(hook))?;
        Ok(Self { read, env, reach })
    }

    /// Returns the WASI context, and the temporary folders that must live as long.
    pub(crate) fn context(&self, log: &Log) -> Result<(WasiCtx, Vec<TempDir>), String> {
        let mut builder = WasiCtxBuilder::new();
        builder
            .stdout(log.clone())
            .stderr(log.clone())
            .wall_clock(StoppedClock)
            .allow_udp(false)
            .envs(&self.env);
        let mut folders = HashMap::new();
        for readable in &self.read {
            readable.open(&mut builder, &mut folders)?;
        }
        // WASI only grants folders, so each single file gets its own folder.
        for (name, folder) in &folders {
            builder
                .preopened_dir(folder.path(), name, FsPerms::ReadOnly)
                .map_err(|error| format!("what it may read can't be opened: {error}"))?;
        }
        self.reach.open(&mut builder);
        Ok((builder.build(), folders.into_values().collect()))
    }

    /// Returns the names that may be looked up.
    pub(crate) fn into_names(self) -> Names {
        self.reach.names()
    }
}

/// Returns what is wrong with the first malformed grant, or `None` if all are well-formed.
pub fn unfit_grants(grants: &PluginGrants) -> Option<String> {
    Reach::of(&grants.net, false).err()
}

/// Resolves a granted path; returns `None` if nothing is there.
fn resolve_readable(question: &Question<'_>, text: &str) -> Result<Option<Readable>, String> {
    let invocation = question.invocation;
    let hook = &invocation.hook;
    let cwd = &invocation.session.cwd;
    let path = resolve_path(text, hook, question.root, cwd, question.home);
    let says = |why: &str| format!("its right to read {text:?} can't be given: {why}");
    let real = real_path(&path).ok_or_else(|| says("symbolic links form a loop"))?;
    if is_of_stranger(hook) {
        // A person agreed to the text of the grant: nothing in the project may make it mean more.
        let base = match &hook.extension {
            Some(extension) => extension.path.as_path(),
            None => question.root,
        };
        let real_base = real_path(base).ok_or_else(|| says("symbolic links form a loop"))?;
        let is_written_outside = Path::new(text).is_absolute()
            && !path.starts_with(base)
            && !path.starts_with(&real_base);
        let is_home = text.starts_with("~/");
        if !real.starts_with(&real_base) && !is_written_outside && !is_home {
            let why = format!(
                "it links out to {}; name that by its absolute path, so that whoever agrees can \
                 see it",
                real.display()
            );
            return Err(says(&why));
        }
    }
    if !real.exists() {
        return Ok(None);
    }
    let mut names = vec![real.to_string_lossy().into_owned()];
    for name in [text.to_owned(), path.to_string_lossy().into_owned()] {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(Some(Readable { real, names }))
}

impl Readable {
    /// Opens a folder, or copies a file into the temporary folder that replaces the file's own.
    fn open(
        &self,
        builder: &mut WasiCtxBuilder,
        folders: &mut HashMap<String, TempDir>,
    ) -> Result<(), String> {
        let says = |why: &dyn std::fmt::Display| {
            let shown = self.real.display();
            format!("{shown}, which it may read, can't be opened: {why}")
        };
        if self.real.is_dir() {
            for name in &self.names {
                builder
                    .preopened_dir(&self.real, name, FsPerms::ReadOnly)
                    .map_err(|error| says(&error))?;
            }
            return Ok(());
        }
        let bytes = read_file(&self.real).map_err(|error| says(&error))?;
        for name in self.names.iter().map(Path::new) {
            let above = name.parent().filter(|it| !it.as_os_str().is_empty());
            let above = above.map_or_else(|| ".".into(), Path::to_string_lossy);
            let folder = match folders.entry(above.into_owned()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    place.insert(tempfile::tempdir().map_err(|error| says(&error))?)
                }
            };
            let file = name.file_name().unwrap_or_default();
            fs::write(folder.path().join(file), &bytes).map_err(|error| says(&error))?;
        }
        Ok(())
    }
}

fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    read_regular(path, MAX_FILE_BYTES).map_err(|why| match why {
        Unread::TooLarge(_) => std::io::Error::other(format!("{why}; grant its folder instead")),
        why => why.into(),
    })
}

/// A clock that stands still: telling the time requires a right (HT-20).
struct StoppedClock;

impl HostWallClock for StoppedClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}
