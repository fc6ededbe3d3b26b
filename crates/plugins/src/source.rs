//! The file of a component: found where it was at the time of the agreement, and read once (TR-1).

use std::collections::HashMap;
use std::fmt::Display;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hookloop_hook::{HookDeclaration, Layer};
use hookloop_settings::bounded::{open_regular, read_input, read_regular};
use hookloop_trust::{real_path, resolve_path};
use sha2::{Digest as _, Sha256};

use crate::Question;

/// The largest component, in bytes: larger files aren't part of a fingerprint (TR-1).
pub const MAX_COMPONENT_BYTES: u64 = 64 << 20;

/// The bytes with which every component begins: the magic number, and the version that
/// distinguishes it from a core module.
const COMPONENT: [u8; 8] = *b"\0asm\x0d\0\x01\0";

/// Returns whether a hook comes from a project or an extension: its grants were shown to the person
/// who agreed, so they mean exactly what they say.
pub(crate) fn is_of_stranger(hook: &HookDeclaration) -> bool {
    hook.extension.is_some() || !matches!(hook.source.layer, Some(Layer::User | Layer::System))
}

/// Returns why bytes can't be a component, judging by their beginning; `None` if they may be one
/// (IO-21).
pub fn unfit(head: &[u8]) -> Option<&'static str> {
    if head.starts_with(&COMPONENT) {
        None
    } else if head.starts_with(b"\0asm") {
        Some(
            "it is a WebAssembly core module, not a component; build it for wasm32-wasip2, or turn \
             it into a component with `wasm-tools component new`",
        )
    } else {
        Some("it isn't a WebAssembly component")
    }
}

/// A component's bytes, or only their digest if they have been compiled.
#[derive(Debug)]
pub(crate) struct Source {
    /// SHA-256 of the bytes, in hexadecimal digits.
    pub(crate) digest: String,
    /// The bytes, unless they have been compiled already.
    pub(crate) bytes: Option<Vec<u8>>,
    /// The file, for messages.
    pub(crate) file: PathBuf,
}

/// The files that have been read, by path.
#[derive(Debug, Default)]
pub(crate) struct Sources(Mutex<HashMap<PathBuf, Known>>);

/// A file that was read.
#[derive(Debug, Clone)]
struct Known {
    stamp: Stamp,
    real: Arc<Path>,
    digest: String,
}

/// Reads the component at a path. The error says why it isn't one.
pub(crate) fn read(path: &Path) -> Result<Source, String> {
    let says = |why: &dyn Display| unloaded(path, why);
    let bytes = read_regular(path, MAX_COMPONENT_BYTES).map_err(|error| says(&error))?;
    if let Some(why) = unfit(&bytes) {
        return Err(says(&why));
    }
    Ok(Source {
        digest: digest(&bytes),
        bytes: Some(bytes),
        file: path.to_owned(),
    })
}

/// Returns why a component can't be loaded: most often, it hasn't been built yet.
fn unloaded(path: &Path, why: &dyn Display) -> String {
    let shown = path.display();
    if path.symlink_metadata().is_err() {
        return format!("there is no component {shown}: build it first");
    }
    format!("the component {shown} can't be loaded: {why}")
}

/// Recognises whether a file is still the one that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    /// Device, inode, size, and the times of the last change of content and of metadata.
    marks: [u64; 5],
}

impl Sources {
    /// Finds and reads the component of a hook; `is_compiled` returns whether its bytes are needed.
    /// The error says why it can't be run.
    pub(crate) fn of(
        &self,
        question: &Question<'_>,
        is_compiled: impl Fn(&str) -> bool,
    ) -> Result<Source, String> {
        let invocation = question.invocation;
        let hook = &invocation.hook;
        let cwd = &invocation.session.cwd;
        let named = &question.plugin.plugin;
        let path = resolve_path(named, hook, question.root, cwd, question.home);
        let says = |why: &dyn Display| unloaded(&path, why);
        // The same file, unchanged since it was read: which path leads to it doesn't matter.
        let stamp = fs::metadata(&path).ok().and_then(|it| Stamp::of(&it));
        let known = self.known_file(&path, stamp.as_ref());
        let known = known.filter(|known| is_compiled(&known.digest));
        let (real, digest, bytes) = if let Some(known) = known {
            (known.real, known.digest, None)
        } else {
            let real = real_path(&path).ok_or_else(|| says(&"symbolic links form a loop"))?;
            let (file, about) = open_regular(&real).map_err(|error| says(&error))?;
            let bytes = read_input(file, MAX_COMPONENT_BYTES).map_err(|error| says(&error))?;
            let digest = digest(&bytes);
            let real = Arc::<Path>::from(real);
            self.remember(&path, Stamp::of(&about), &real, &digest);
            (real, digest, Some(bytes))
        };
        // Compares the bytes that will be compiled, not the file, which may have changed by now.
        let agreed = invocation.agreed.as_ref();
        if agreed.is_some_and(|agreed| agreed.get(&*real) != Some(&digest)) {
            return Err(says(
                &"this isn't the component that somebody agreed to; a project's component must be \
                  in the project, and exactly that file must be trusted",
            ));
        }
        if let Some(why) = bytes.as_deref().and_then(unfit) {
            return Err(says(&why));
        }
        Ok(Source {
            digest,
            bytes,
            file: path,
        })
    }

    fn known_file(&self, path: &Path, stamp: Option<&Stamp>) -> Option<Known> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get(path)?;
        (Some(&known.stamp) == stamp).then(|| known.clone())
    }

    fn remember(&self, path: &Path, stamp: Option<Stamp>, real: &Arc<Path>, digest: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match stamp {
            Some(stamp) => known.insert(
                path.to_owned(),
                Known {
                    stamp,
                    real: Arc::clone(real),
                    digest: digest.to_owned(),
                },
            ),
            None => known.remove(path),
        };
    }
}

impl Stamp {
    /// Returns the stamp of a file; `None` if it would prove nothing: on systems without a time for
    /// changes of metadata, and for a file that was changed a moment ago, whose next change could
    /// carry the same time.
    #[cfg(unix)]
    fn of(about: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        use std::time::{Duration, SystemTime, UNIX_EPOCH};
        const MOMENT: Duration = Duration::from_secs(2);
        let changed = u64::try_from(about.ctime()).ok()?;
        let nanoseconds = u64::try_from(about.ctime_nsec()).ok()?;
        let then = UNIX_EPOCH + Duration::from_secs(changed) + Duration::from_nanos(nanoseconds);
        let is_settled = SystemTime::now().duration_since(then).ok()? > MOMENT;
        let changed = changed
            .checked_mul(1_000_000_000)?
            .checked_add(nanoseconds)?;
        let written =
            about.mtime_nsec().unsigned_abs() ^ about.mtime().unsigned_abs().rotate_left(32);
        let marks = [about.dev(), about.ino(), about.len(), changed, written];
        is_settled.then_some(Self { marks })
    }

    #[cfg(not(unix))]
    fn of(_about: &Metadata) -> Option<Self> {
        None
    }
}

/// Returns the SHA-256 digest, in hexadecimal digits.
fn digest(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}
