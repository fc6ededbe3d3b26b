//! Looks at the disk for `hooks check` (CM-3).

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use hookloop_session::Environment;
use hookloop_settings::{FileProbe, Probed};

/// The longest first line of a script that is read, in bytes.
const LONGEST_LINE: u64 = 4096;

/// Looks at files, and for programs where hooks would find them.
pub(crate) struct DiskProbe {
    home: Option<PathBuf>,
    folders: Vec<PathBuf>,
    endings: Vec<String>,
}

impl DiskProbe {
    /// Looks for programs in the search path of an environment.
    pub(crate) fn new(environment: &Environment) -> Self {
        let current = &environment.current_dir;
        let folders = environment.search_path();
        Self {
            home: environment.home_of_programs(),
            folders: folders.iter().map(|folder| current.join(folder)).collect(),
            endings: environment.program_endings(),
        }
    }
}

impl FileProbe for DiskProbe {
    fn probe(&self, path: &Path) -> Probed {
        match path.metadata() {
            Ok(metadata) if !metadata.is_file() => Probed::Unknown,
            Ok(metadata) if is_executable(&metadata) => Probed::Executable,
            Ok(_) => Probed::NotExecutable,
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => Probed::Missing,
                _ => Probed::Unknown,
            },
        }
    }

    fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    fn first_line(&self, path: &Path) -> Option<String> {
        let mut head = Vec::new();
        File::open(path)
            .ok()?
            .take(LONGEST_LINE)
            .read_to_end(&mut head)
            .ok()?;
        let line = head.split(|byte| *byte == b'\n').next()?;
        (!line.contains(&0)).then(|| String::from_utf8_lossy(line).into_owned())
    }

    fn is_on_path(&self, program: &str) -> bool {
        self.folders.iter().any(|folder| {
            let plain = folder.join(program);
            let with_endings = self
                .endings
                .iter()
                .map(|ending| folder.join(format!("{program}{ending}")));
            std::iter::once(plain)
                .chain(with_endings)
                .any(|path| self.probe(&path) == Probed::Executable)
        })
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
