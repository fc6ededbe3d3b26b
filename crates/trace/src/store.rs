//! Opening the trace.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookloop_settings::bounded::unwaiting_options;
use rusqlite::{Connection, OpenFlags};

use crate::fault::{Fault, OpenError};
use crate::limits::Limits;
use crate::schema;

/// The name of the database in the state folder of a project.
pub const FILE_NAME: &str = "trace.sqlite";

/// One connection to the trace. Several processes and threads may each have one.
#[derive(Debug)]
pub struct TraceStore {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    pub(crate) limits: Limits,
    /// How long a write waits for other processes.
    pub(crate) patience: Duration,
}

impl TraceStore {
    /// Opens the trace for recording; creates its folder and file if they are missing, readable by
    /// their owner alone (CM-6).
    ///
    /// # Errors
    /// The file is damaged, another program's, or of a newer version, and is left as it is; or the
    /// system refuses access to a file or folder.
    pub fn open(path: &Path, limits: Limits) -> Result<Self, OpenError> {
        create_private(path).map_err(|error| OpenError::new(path, error))?;
        Self::connect(path, limits)
    }

    /// Opens the trace for reading; returns `None` if none was ever written, and creates nothing
    /// (TR-7).
    ///
    /// # Errors
    /// As for [`TraceStore::open`].
    pub fn open_existing(path: &Path, limits: Limits) -> Result<Option<Self>, OpenError> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() && metadata.len() == 0 => Ok(None),
            Ok(_) => Self::connect(path, limits).map(Some),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(OpenError::new(path, error)),
        }
    }

    /// Returns the path of the database.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets how long a write waits for other processes.
    pub(crate) fn wait_at_most(&mut self, patience: Duration) {
        // Doesn't fail on an open connection.
        if self.connection.busy_timeout(patience).is_ok() {
            self.patience = patience;
        }
    }

    fn connect(path: &Path, limits: Limits) -> Result<Self, OpenError> {
        let fail = |fault: Fault| OpenError::new(path, fault);
        // No URI flag: every path is taken literally, whatever it begins with.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection =
            Connection::open_with_flags(path, flags).map_err(|error| fail(error.into()))?;
        schema::prepare(&mut connection, limits).map_err(fail)?;
        Ok(Self {
            connection,
            path: path.to_owned(),
            limits,
            patience: schema::BUSY_TIMEOUT,
        })
    }
}

/// Creates the file with private permissions, which the database's other files inherit: what hooks
/// read and write is confidential.
fn create_private(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    let mut options = unwaiting_options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
