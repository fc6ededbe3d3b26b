//! Reads the disk and the environment for diagnostics (CM-3).

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use hookloop_exec::Redaction;
use hookloop_hook::HookDeclaration;
use hookloop_lint::{FileProbe, Probed};
use hookloop_settings::bounded::read_start;

use crate::environment::Environment;

/// How much of a script is read, in bytes.
const MAX_BYTES: u64 = 256 * 1024;

/// Most files of a folder that are looked at for a similar name.
const MAX_NAMES: usize = 256;

/// Looks at files, and for programs where hooks would find them.
pub(crate) struct DiskProbe<'a> {
    environment: &'a Environment,
    redaction: Redaction,
    home: Option<PathBuf>,
    folders: Vec<PathBuf>,
    endings: Vec<String>,
}

impl<'a> DiskProbe<'a> {
    /// Looks for programs in the search path of an environment.
    pub(crate) fn new(environment: &'a Environment, redaction: Redaction) -> Self {
        let current = &environment.current_dir;
        let folders = environment.search_path();
        Self {
            environment,
            redaction,
            home: environment.home_of_programs(),
            folders: folders.iter().map(|folder| current.join(folder)).collect(),
            endings: environment.program_endings(),
        }
    }

    fn holds(&self, folder: &Path, program: &str) -> bool {
        let plain = folder.join(program);
        let with_endings = self
            .endings
            .iter()
            .map(|ending| folder.join(format!("{program}{ending}")));
        std::iter::once(plain)
            .chain(with_endings)
            .any(|path| self.probe(&path) == Probed::Executable)
    }
}

impl FileProbe for DiskProbe<'_> {
    fn probe(&self, path: &Path) -> Probed {
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => Probed::Folder,
            Ok(metadata) if !metadata.is_file() => Probed::Unknown,
            Ok(metadata) if is_executable(&metadata) => Probed::Executable,
            Ok(_) => Probed::NotExecutable,
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => Probed::Missing,
                ErrorKind::PermissionDenied => Probed::Unknown,
                _ if path.is_symlink() => Probed::LinkLoop,
                _ => Probed::Unknown,
            },
        }
    }

    fn text(&self, path: &Path) -> Option<String> {
        let head = read_start(path, MAX_BYTES).ok()?;
        Some(String::from_utf8_lossy(&head).into_owned())
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok()
    }

    fn names_in(&self, folder: &Path) -> Vec<String> {
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        let files = entries.take(MAX_NAMES).flatten();
        let files = files.filter(|it| it.file_type().is_ok_and(|kind| !kind.is_dir()));
        let mut names: Vec<String> = files
            .filter_map(|it| it.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    }

    fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    fn is_on_path(&self, program: &str, own: Option<&str>) -> bool {
        let mut usual = self.folders.iter();
        let Some(own) = own else {
            return usual.any(|folder| self.holds(folder, program));
        };
        let current = &self.environment.current_dir;
        std::env::split_paths(OsStr::new(own))
            .any(|folder| self.holds(&current.join(folder), program))
    }

    fn variable(&self, name: &str) -> Option<String> {
        let mut variables = self.environment.variables.iter();
        let (_, value) = variables.rfind(|(known, _)| known == name)?;
        value.to_str().map(str::to_owned)
    }

    fn withheld_variables(&self, hook: &HookDeclaration) -> Vec<String> {
        let layer = hook.source.layer;
        let variables = self.environment.variables.iter();
        let texts = variables.filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
        let withheld = texts.filter(|(name, value)| self.redaction.withholds(layer, name, value));
        withheld.map(|(name, _)| name.to_owned()).collect()
    }
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_metadata: &Metadata) -> bool {
    true
}
