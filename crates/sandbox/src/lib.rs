//! Confines programs: they can write only to chosen folders, and reach the network only if that is
//! allowed.
//!
//! A [`Sandbox`] wraps a command so that it runs confined. On Linux, it starts the host's own
//! program with [`COMMAND`] as its first argument: that process confines itself ([`enter`]) and
//! then becomes the requested program, so that nothing has to be done between fork and exec. On
//! macOS, it starts `sandbox-exec` with a profile. On other systems there is no sandbox, and the
//! reason is returned; nothing here ever runs a program unconfined instead.
//!
//! The arguments of [`COMMAND`] can only remove rights, so nobody gains by calling it.
//!
//! ```no_run
//! use std::process::Command;
//!
//! use hookloop_sandbox::{COMMAND, Confinement, Network, Sandbox, enter};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The host's program confines itself if it is started for that.
//! let mut arguments = std::env::args_os().skip(1);
//! if arguments.next().is_some_and(|it| it == COMMAND) {
//!     let (why, code) = enter(arguments);
//!     eprintln!("{why}");
//!     std::process::exit(code.into());
//! }
//!
//! let mut command = Command::new("make");
//! command.arg("test");
//! let confinement = Confinement {
//!     writable: vec!["/work/project".into()],
//!     protected: vec!["/work/project/.git/hooks".into()],
//!     network: Network::Closed,
//! };
//! let own_program = std::env::current_exe()?;
//! let mut confined = Sandbox::new(Some(&own_program)).confine(&command, &confinement)?;
//! confined.current_dir("/work/project").status()?;
//! # Ok(())
//! # }
//! ```

mod confinement;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(target_os = "macos", test))]
mod profile;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use confinement::{Confinement, Network};

/// The first argument that makes the host's program confine itself.
pub const COMMAND: &str = "__sandboxed";

/// The exit code if a program couldn't be confined: that of a shell for a program that can't be
/// run.
pub const NOT_CONFINED: u8 = 126;

/// The beginning of the message if a program couldn't be confined.
pub const COMPLAINT: &str = "hookloop: no sandbox: ";

/// Why a program can't be confined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable(String);

impl fmt::Display for Unavailable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Unavailable {}

/// Starts programs confined.
#[derive(Debug, Clone)]
pub struct Sandbox {
    /// The program that implements [`COMMAND`]. Without it, nothing can be confined on Linux.
    launcher: Option<OsString>,
}

impl Sandbox {
    /// Creates a sandbox whose programs are started through `program`, which must handle
    /// [`COMMAND`] by calling [`enter`].
    pub fn new(program: Option<&Path>) -> Self {
        Self {
            launcher: program.map(|it| it.as_os_str().to_owned()),
        }
    }

    /// Returns a command that runs a program with its arguments confined. Environment, folder and
    /// streams have to be set on the returned command.
    ///
    /// # Errors
    /// This system has no sandbox, or the host's own program isn't known.
    pub fn confine(
        &self,
        command: &Command,
        confinement: &Confinement,
    ) -> Result<Command, Unavailable> {
        #[cfg(target_os = "linux")]
        {
            let launcher = self.launcher.as_ref().ok_or_else(|| {
                Unavailable("this host doesn't configure a program that confines others".to_owned())
            })?;
            let mut confined = Command::new(launcher);
            let words = self.keeping_itself(confinement).to_arguments();
            confined.arg(COMMAND).args(words);
            confined.arg(command.get_program()).args(command.get_args());
            Ok(confined)
        }
        #[cfg(target_os = "macos")]
        {
            let mut confined = Command::new("/usr/bin/sandbox-exec");
            let profile = profile::of(&self.keeping_itself(confinement));
            confined.arg("-p").arg(profile);
            confined.arg(command.get_program()).args(command.get_args());
            Ok(confined)
        }
        #[cfg(not(any(target_os = "linux", target_os = "macos")))]
        {
            let _ = (&self.launcher, command, confinement);
            Err(Unavailable(
                "Hookloop supports no sandbox on this system; it does on Linux (Landlock) and macOS"
                    .to_owned(),
            ))
        }
    }

    /// Protects the launcher itself: a replaced one would confine nothing.
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn keeping_itself(&self, confinement: &Confinement) -> Confinement {
        let mut confinement = confinement.clone();
        confinement
            .protected
            .extend(self.launcher.iter().map(PathBuf::from));
        confinement
    }
}

/// Returns the folders for temporary files, according to the environment of a program. A folder
/// that contains a home folder isn't one.
pub fn temporary_folders(variables: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let of = |wanted: &'static str| {
        let named = variables.iter().filter(move |(name, _)| name == wanted);
        named.map(|(_, folder)| PathBuf::from(folder))
    };
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let homes: Vec<PathBuf> = of("HOME").map(|it| real(&it)).collect();
    let usual = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    let named = of("TMPDIR").filter(|it| {
        let folder = real(it);
        it.is_absolute() && !homes.iter().any(|home| home.starts_with(&folder))
    });
    named.chain(usual).collect()
}

/// Confines this process, and replaces it by the program that the arguments after [`COMMAND`] name.
/// Returns only on failure, with the reason and the exit code.
///
/// Must be called while the process has a single thread.
pub fn enter(arguments: impl IntoIterator<Item = OsString>) -> (String, u8) {
    #[cfg(target_os = "linux")]
    {
        linux::enter(arguments)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = arguments.into_iter();
        let why = format!("{COMPLAINT}{COMMAND} is for Linux");
        (why, NOT_CONFINED)
    }
}
