//! Compiled components, stored in the private state folder (HT-20).
//!
//! Machine code can't be checked, only recognised. So each file carries a seal over the code, the
//! component and the engine, made with a key in the folder that only the user can read. A file
//! without a valid seal is compiled again.

mod code;

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hookloop_settings::bounded::{open_regular, read_start};
use sha2::{Digest as _, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

/// The length of a seal, in bytes.
const SEAL: usize = 32;

/// The length of the key, in bytes.
const KEY: usize = 64;

/// The largest file that is read back.
const MAX_BYTES: u64 = 512 << 20;

/// How many components are kept.
const MAX_FILES: usize = 32;

/// The file of one compiled component.
#[derive(Debug)]
pub(crate) struct Stored {
    folder: PathBuf,
    /// Identifies the component and the engine.
    name: String,
}

impl Stored {
    /// Determines the file of a component from the digest of its bytes.
    pub(crate) fn new(folder: PathBuf, engine: &Engine, digest: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        env!("CARGO_PKG_VERSION").hash(&mut hasher);
        let name = format!("{digest}-{:016x}", hasher.finish());
        Self { folder, name }
    }

    /// Loads the component; returns `None` if the file is missing or its seal isn't valid.
    pub(crate) fn load(&self, engine: &Engine) -> Option<Component> {
        let bytes = read_start(&self.file(), MAX_BYTES).ok()?;
        let (seal, code) = bytes.split_at_checked(SEAL)?;
        let key = self.key(Missing::IsMissing)?;
        if !is_equal(seal, &self.seal(&key, code)) {
            return None;
        }
        code::component(engine, &code::Sealed(code))
    }

    /// Stores the component. A failure only costs the next process time.
    pub(crate) fn save(&self, component: &Component) {
        if make_folder(&self.folder).is_ok()
            && let Ok(code) = component.serialize()
            && let Some(key) = self.key(Missing::IsMade)
        {
            let seal = self.seal(&key, &code);
            let _ = self.write(&seal, &code);
            self.prune();
        }
    }

    fn write(&self, seal: &[u8], code: &[u8]) -> std::io::Result<()> {
        // Readable for its owner alone, and written atomically.
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(seal)?;
        file.write_all(code)?;
        file.persist(self.file())?;
        Ok(())
    }

    fn file(&self) -> PathBuf {
        self.folder.join(&self.name).with_extension("code")
    }

    fn key(&self, missing: Missing) -> Option<Vec<u8>> {
        let path = self.folder.join("key");
        if missing == Missing::IsMade && !path.exists() {
            let mut file = tempfile::NamedTempFile::new_in(&self.folder).ok()?;
            for _ in 0..KEY / 16 {
                file.write_all(uuid::Uuid::new_v4().as_bytes()).ok()?;
            }
            // If another process has created a key meanwhile, that one counts.
            let _ = file.persist_noclobber(&path);
        }
        let mut key = Vec::new();
        let (file, _) = open_regular(&path).ok()?;
        if !is_private(&file) {
            return None;
        }
        file.take(MAX_BYTES).read_to_end(&mut key).ok()?;
        (key.len() == KEY).then_some(key)
    }

    /// Computes the seal: HMAC-SHA-256, with a key as long as a block.
    fn seal(&self, key: &[u8], code: &[u8]) -> [u8; SEAL] {
        let with = |pad: u8| key.iter().map(|byte| byte ^ pad).collect::<Vec<u8>>();
        let mut inner = Sha256::new();
        inner.update(with(0x36));
        inner.update((self.name.len() as u64).to_le_bytes());
        inner.update(&self.name);
        inner.update(code);
        let mut outer = Sha256::new();
        outer.update(with(0x5c));
        outer.update(inner.finalize());
        outer.finalize().into()
    }

    /// Removes the least recently used files.
    fn prune(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        let mut files: Vec<(SystemTime, PathBuf)> = entries
            .filter_map(Result::ok)
            .filter(|entry| is_code(&entry.path()))
            .filter_map(|entry| {
                let about = entry.metadata().ok()?;
                Some((about.modified().ok()?, entry.path()))
            })
            .collect();
        files.sort();
        for (_, path) in files.iter().take(files.len().saturating_sub(MAX_FILES)) {
            // Another process may have removed it.
            let _ = fs::remove_file(path);
        }
    }
}

/// What to do if the key is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    IsMade,
    IsMissing,
}

/// Creates a folder that only its owner can read.
fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn is_code(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "code")
}

/// Returns whether only the owner can read a file, and the current user is the owner.
#[cfg(unix)]
fn is_private(file: &fs::File) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    const OTHERS_MASK: u32 = 0o077;
    let ours = rustix::process::geteuid().as_raw();
    file.metadata()
        .is_ok_and(|it| it.mode() & OTHERS_MASK == 0 && it.uid() == ours)
}

#[cfg(not(unix))]
fn is_private(_file: &fs::File) -> bool {
    true
}

/// Compares in constant time.
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let differing = one
        .iter()
        .zip(other)
        .fold(0, |all, (one, other)| all | (one ^ other));
    one.len() == other.len() && differing == 0
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use hookloop_testkit::component;
    use serde_json::json;

    use super::*;

    /// HT-20: machine code is loaded exactly as it was stored: not if it was changed or cut,
    /// belongs to another component, or was sealed with another key or a key that others can read.
    #[test]
    fn code_is_taken_back_only_under_our_seal() {
        let folder = tempfile::tempdir().expect("a folder");
        let engine = Engine::default();
        let kept = Stored::new(folder.path().to_owned(), &engine, "one");
        let compiled = Component::from_binary(&engine, &component(&json!("none")));
        kept.save(&compiled.expect("a component"));
        let is_taken = || kept.load(&engine).is_some();
        assert!(is_taken());
        let (file, key) = (kept.file(), folder.path().join("key"));
        let [whole, secret] = [&file, &key].map(|it| fs::read(it).expect("a file"));
        for at in [0, SEAL - 1, SEAL, whole.len() / 2, whole.len() - 1] {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(&file, changed).expect("a file");
            assert!(!is_taken(), "{at}");
        }
        for length in [0, 1, SEAL, whole.len() - 1] {
            fs::write(&file, &whole[..length]).expect("a file");
            assert!(!is_taken(), "{length}");
        }
        let other = Stored::new(folder.path().to_owned(), &engine, "two");
        fs::write(other.file(), &whole).expect("a file");
        assert!(other.load(&engine).is_none());
        fs::write(&file, &whole).expect("a file");
        assert!(is_taken());
        fs::write(&key, vec![7; KEY]).expect("a file");
        assert!(!is_taken());
        fs::write(&key, secret).expect("a file");
        assert!(is_taken());
        let readable = fs::Permissions::from_mode(0o644);
        fs::set_permissions(&key, readable).expect("rights");
        assert!(!is_taken());
    }
}
