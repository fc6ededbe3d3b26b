//! The files that guards depend on, and what would change them (TR-8).
//!
//! A file is protected by what it is, not by how its path is spelled: by device and inode if it
//! exists, and otherwise by the real path from which it would be read.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use hookloop_hook::HookDeclaration;
use hookloop_settings::FileId;
use hookloop_trust::{Examined, Loaded, Part, RealPaths, Vouched, real_path, real_path_with};

use crate::compared::Compared;
use crate::examining::examine_hooks;
use crate::kinds::Kinds;
use crate::places::{EXTENSION_FILES, settled_file};
use crate::searched::Searched;
use crate::snapshot::{ProtectedChange, Snapshot};
use crate::workspace::Workspace;

/// The folders below a `.gemini` from which hooks, policies, agents and commands are read: new
/// files in them count.
const FOLDERS: [&str; 6] = [
    "extensions",
    "policies",
    "agents",
    "commands",
    "skills",
    "hooks",
];

/// The files in a `.gemini` that are read.
const FILES: [&str; 7] = [
    "settings.json",
    "settings.local.json",
    "trusted_hooks.json",
    "trustedFolders.json",
    ".env",
    "system.md",
    "hooks.json",
];

/// The files that a session's guards depend on.
#[derive(Debug, Clone, Default)]
pub struct Protected {
    /// Files by their real paths, including missing ones that would be read.
    files: BTreeSet<PathBuf>,
    /// Folders with everything in them.
    folders: BTreeSet<PathBuf>,
    /// Folders in which nothing may be written, but everything may be deleted.
    caches: BTreeSet<PathBuf>,
    /// Folders whose renaming or removal would affect a protected file.
    on_the_way: BTreeSet<PathBuf>,
    /// What hooks declare as data.
    data: BTreeSet<PathBuf>,
    /// Files and folders that change all the time: they are protected, but not compared.
    busy: BTreeSet<PathBuf>,
    /// Folders in which hooks' programs search for modules: some new files there would affect a
    /// hook.
    searched: Vec<Searched>,
    /// Deciding parts of files that also contain other things.
    kinds: Kinds,
    /// The folders of extensions that are loaded.
    extensions: BTreeSet<PathBuf>,
    /// Files that would become part of a project's hook if they were created: they are compared,
    /// but creating them isn't prevented.
    awaited: BTreeSet<PathBuf>,
    /// Whether any hook is configured.
    has_guards: bool,
    /// The resolved paths, cached while this was built.
    real: RealPaths,
    /// The files of hooks that were resolved while this was built.
    of_hooks: HashSet<PathBuf>,
    /// Links that a call would create before it uses them, by their real paths.
    planned: BTreeMap<PathBuf, PathBuf>,
}

/// What a call would do to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// Write, create, or change the permissions of a file.
    Write,
    /// Replace the content by one that isn't known.
    Replace,
    /// Delete it, or move it away.
    Remove,
}

/// How deep the names are that a pattern matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// As in the shell: each `*` matches a part of one name.
    OneFolder,
    /// As in programs that descend into folders.
    Below,
}

impl Protected {
    /// Determines the files that the hooks of a workspace depend on, in all layers.
    pub fn of(workspace: &Workspace) -> Self {
        let mut protected = Self::besides_hooks(workspace);
        examine_hooks(workspace, |group, examined| {
            protected.depend_on(group, examined, &workspace.project_root);
        });
        protected
    }

    /// Determines the files that hooks come from, and everything else that decides which hooks
    /// there are.
    pub fn besides_hooks(workspace: &Workspace) -> Self {
        let mut protected = Self::default();
        let opening = &workspace.opening;
        protected.has_guards = !workspace.vouched.is_empty();
        let mut folders = vec![opening.user_folder()];
        // Git metadata or settings here would make the folder the next session's project.
        let inner = opening.current_dir.ancestors();
        let inner = inner.take_while(|it| it.starts_with(&workspace.project_root));
        let inner: Vec<&Path> = inner.collect();
        for folder in inner.iter().filter(|it| **it != workspace.project_root) {
            protected.file(&folder.join(".git"));
        }
        folders.extend(inner.iter().map(|it| it.join(".gemini")));
        folders.push(workspace.project_root.join(".gemini"));
        for folder in folders {
            for file in FILES {
                protected.file(&folder.join(file));
            }
            for inner in FOLDERS {
                protected.folder(&folder.join(inner));
            }
        }
        protected.file(&opening.system.settings);
        protected.file(&opening.system.defaults);
        for layer in &workspace.settings.layers {
            protected.file(&layer.file);
        }
        for adopted in &workspace.settings.adopted {
            protected.file(&adopted.file);
        }
        for extension in &workspace.settings.extensions {
            let folder = &extension.origin.path;
            for file in EXTENSION_FILES {
                protected.file(&folder.join(file));
            }
            let real = protected.real.of(folder);
            protected.extensions.extend(real);
            protected.extensions.insert(folder.clone());
        }
        for vouched in &workspace.vouched {
            protected.file_of_hook(vouched.hook.source.file.to_path_buf());
        }
        protected.and([settled_file(&opening.home)])
    }

    /// Adds the files that hooks depend on which consist of the same ones.
    pub(crate) fn depend_on(&mut self, group: &[&Vouched], examined: &Examined, root: &Path) {
        let Some(hook) = group.first().map(|it| &it.hook) else {
            return;
        };
        let belonging = examined.belonging();
        for file in belonging.files {
            // The system's own programs are left out: agents can't write them, and they would only
            // cost time.
            self.file_of_hook(file);
        }
        self.loads(&examined.loaded(), hook);
        for folder in belonging.caches {
            let real = self.real.of(&folder);
            self.caches.extend(real);
            self.caches.insert(folder);
        }
        for folder in belonging.folders {
            // Other programs install files there.
            self.folder(&folder);
            self.busy.insert(folder);
        }
        for file in belonging.reads {
            // Another hook may write it at any time, so it is protected, but not compared.
            self.file(&file);
            self.busy.insert(file);
        }
        let fingerprints = group.iter().filter_map(|it| it.fingerprint.as_ref());
        for file in fingerprints.flat_map(|it| &it.files) {
            self.file_of_hook(root.join(&file.path));
        }
        if hook.is_from_project() {
            self.awaited.extend(belonging.awaited);
        }
        for path in &hook.data {
            let real = self.real.of(&root.join(path));
            self.data.extend(real);
        }
    }

    /// Protects a file of a hook, which many others may have, too.
    fn file_of_hook(&mut self, path: PathBuf) {
        if !self.of_hooks.contains(&path) {
            self.file(&path);
            self.of_hooks.insert(path);
        }
    }

    /// Records what in a hook's module folders affects it, and how its scripts are read.
    fn loads(&mut self, loaded: &Loaded, hook: &HookDeclaration) {
        for searched in Searched::of(loaded, hook) {
            if !self.searched.contains(&searched) {
                self.searched.push(searched);
            }
        }
        let kinds = Kinds::of(loaded);
        for file in kinds.files_of_parts() {
            self.pass(file.parent());
        }
        self.kinds.extend(kinds);
    }

    /// Protects additional files, such as this program and its records. They aren't compared.
    #[must_use]
    pub fn and(mut self, files: impl IntoIterator<Item = PathBuf>) -> Self {
        for file in files {
            let real = self.file(&file);
            self.busy.extend(real);
            self.busy.insert(file);
        }
        self
    }

    /// Protects folders with their current and future content. They aren't compared.
    #[must_use]
    pub fn and_folders(mut self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        for folder in folders {
            let real = self.folder(&folder);
            self.busy.extend(real);
            self.busy.insert(folder);
        }
        self
    }

    /// Adds everything that `other` protects.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.files.extend(other.files);
        self.folders.extend(other.folders);
        self.on_the_way.extend(other.on_the_way);
        self.busy.extend(other.busy);
        self.caches.extend(other.caches);
        self.extensions.extend(other.extensions);
        self.awaited.extend(other.awaited);
        self.searched.extend(other.searched);
        self.kinds.extend(other.kinds);
        self.has_guards |= other.has_guards;
        self
    }

    /// Resolves paths as if a link existed.
    #[must_use]
    pub(crate) fn with_link(mut self, link: &Path, target: PathBuf) -> Self {
        let named = link.parent().and_then(|it| self.leads_to(it));
        let named = named.zip(link.file_name());
        if let Some((folder, name)) = named {
            self.planned.insert(folder.join(name), target);
        }
        self
    }

    /// Resolves a path, with existing and planned links.
    fn leads_to(&self, path: &Path) -> Option<PathBuf> {
        if self.planned.is_empty() {
            real_path(path)
        } else {
            real_path_with(path, &self.planned)
        }
    }

    /// Returns the planned links below a folder, with their targets.
    pub(crate) fn links_below(&self, folder: &Path) -> impl Iterator<Item = PathBuf> {
        let folder = real_path(folder);
        let below = move |link: &Path| folder.as_ref().is_some_and(|it| link.starts_with(it));
        let planned = self.planned.iter().filter(move |(link, _)| below(link));
        planned.map(|(link, target)| link.parent().unwrap_or(link).join(target))
    }

    /// Returns whether a file is read only on demand: it is next to hook scripts, in a folder of
    /// hooks or of an extension, and isn't part of a known hook. Hooks keep logs and state there.
    pub fn is_read_anew(&self, path: &Path) -> bool {
        let is_of_hooks = |folder: &&PathBuf| folder.ends_with("hooks");
        let mut folders = self.folders.iter().filter(is_of_hooks);
        let mut extensions = self.extensions.iter();
        let is_of_extension = extensions.any(|folder| {
            let inside = path.strip_prefix(folder).ok();
            let first = inside.and_then(|it| it.iter().next());
            // These are read when a session begins.
            first.is_some_and(|it| it == "hooks" || !FOLDERS.iter().any(|folder| it == *folder))
        });
        (is_of_extension || folders.any(|folder| path.starts_with(folder)))
            && !self.files.contains(path)
    }

    /// Returns whether any hook is configured.
    pub(crate) fn has_guards(&self) -> bool {
        self.has_guards
    }

    /// Returns the protected files and folders below a folder, by their paths there.
    pub fn below(&self, folder: &Path) -> Vec<PathBuf> {
        let real = self.leads_to(folder);
        let all = self.files.iter().chain(&self.folders);
        let below = all.filter_map(|path| {
            if path.starts_with(folder) {
                return Some(path.clone());
            }
            let rest = path.strip_prefix(real.as_ref()?).ok()?;
            Some(folder.join(rest))
        });
        below.filter(|it| !self.data.contains(it)).collect()
    }

    /// Returns the existing files below a folder that are deciding by their names: lists that
    /// affect git's answers to a hook.
    pub(crate) fn lists_below(&self, folder: &Path) -> Vec<PathBuf> {
        let real = self.leads_to(folder);
        let there = self.kinds.existing_files().filter_map(|path| {
            if path.starts_with(folder) {
                return Some(path.clone());
            }
            let rest = path.strip_prefix(real.as_ref()?).ok()?;
            Some(folder.join(rest))
        });
        there.filter(|it| !self.data.contains(it)).collect()
    }

    /// Returns the file that decides by its name, if copying something to a place would bring one
    /// along: what is below it, and what the same call wrote there before.
    pub(crate) fn list_brought(
        &self,
        source: &Path,
        target: &Path,
        written: &[PathBuf],
    ) -> Option<PathBuf> {
        if !self.kinds.have_names() {
            return None;
        }
        let of_call = written.iter().filter(|it| it.starts_with(source)).cloned();
        let mut brought = Compared::default();
        if source.is_dir() {
            brought.add(source);
        } else {
            brought.files.insert(source.to_path_buf());
        }
        brought.files.extend(of_call);
        brought.files.iter().find_map(|file| {
            let rest = file.strip_prefix(source).ok()?;
            let place = if rest.as_os_str().is_empty() {
                target.to_path_buf()
            } else {
                target.join(rest)
            };
            let place = self.leads_to(&place)?;
            (self.kinds.hold(&place) && !self.data.contains(&place)).then_some(place)
        })
    }

    /// Protects a file, by its path and by its real path, which is returned if it differs.
    fn file(&mut self, path: &Path) -> Option<PathBuf> {
        let real = self.real.of(path).filter(|real| real != path);
        for path in std::iter::once(path).chain(real.as_deref()) {
            self.pass(path.parent());
            self.files.insert(path.to_path_buf());
        }
        real
    }

    /// Protects a folder, by its path and by its real path, which is returned if it differs.
    fn folder(&mut self, path: &Path) -> Option<PathBuf> {
        let real = self.real.of(path).filter(|real| real != path);
        for path in std::iter::once(path).chain(real.as_deref()) {
            self.pass(Some(path));
            self.folders.insert(path.to_path_buf());
        }
        real
    }

    /// Records a folder and its parents; for a recorded folder, they are recorded already.
    fn pass(&mut self, folder: Option<&Path>) {
        for folder in folder.into_iter().flat_map(Path::ancestors) {
            if !self.on_the_way.insert(folder.to_path_buf()) {
                return;
            }
        }
    }

    /// Returns the protected file that an operation on a path would change, if there is one. The
    /// caller must resolve relative paths.
    pub fn affected(&self, touch: Touch, path: &Path) -> Option<PathBuf> {
        let real = self.leads_to(path)?;
        // A link can be replaced, and its target can be written.
        let named = path
            .parent()
            .and_then(|it| self.leads_to(it))
            .zip(path.file_name())
            .map(|(folder, name)| folder.join(name));
        let candidates: Vec<&PathBuf> = std::iter::once(&real).chain(&named).collect();
        if candidates.iter().any(|it| self.data.contains(*it)) {
            return None;
        }
        for candidate in candidates {
            let is_inside = |folder: &PathBuf| {
                candidate.starts_with(folder) || is_same_or_below(candidate, folder)
            };
            let is_on_the_way = touch == Touch::Remove && self.on_the_way.contains(candidate);
            let is_written =
                touch != Touch::Remove && self.caches.iter().any(|it| candidate.starts_with(it));
            let is_replaced = touch == Touch::Replace && self.kinds.hold(candidate);
            if is_on_the_way
                || is_written
                || is_replaced
                || self.files.contains(candidate)
                || touch == Touch::Remove && self.kinds.differ_with(candidate, None)
                || self.folders.iter().any(is_inside)
            {
                return Some(candidate.clone());
            }
        }
        // Another name of a protected file: a hard link, or another spelling on a file system that
        // ignores case.
        let id = FileId::of(&real)?;
        let mut files = self.files.iter().chain(&self.folders);
        let same = files.find(|file| id.is_at(file));
        let same = same.or_else(|| {
            let mut ways = self.on_the_way.iter().filter(|_| touch == Touch::Remove);
            ways.find(|folder| id.is_at(folder))
        });
        same.cloned()
    }

    /// Returns the file that determines how a hook's script is read, if a path is one: a change
    /// that leaves that as it is needn't be prevented.
    pub(crate) fn describing_file(&self, path: &Path) -> Option<PathBuf> {
        let real = self.leads_to(path)?;
        (self.kinds.depend_on(&real) && !self.data.contains(&real)).then_some(real)
    }

    /// Returns the file that, with this text, would change how a hook's script is read.
    pub(crate) fn read_otherwise(&self, path: &Path, text: &str) -> Option<PathBuf> {
        let file = self.describing_file(path)?;
        self.kinds.differ_with(&file, Some(text)).then_some(file)
    }

    /// Returns the parts of a file that affect hooks.
    pub(crate) fn parts_of<'k>(&'k self, file: &'k Path) -> impl Iterator<Item = &'k Part> {
        self.kinds.parts_of(file)
    }

    /// Returns whether a file is in a folder in which hooks' programs look for modules.
    pub fn is_searched(&self, path: &Path) -> bool {
        self.searched.iter().any(|it| it.holds(path))
    }

    /// Returns the protected files that a pattern of names could mean, as the shell reads it.
    pub(crate) fn matching(&self, touch: Touch, pattern: &str, reach: Reach) -> Option<PathBuf> {
        let pattern = self.pattern_of(pattern);
        let fits = |path: &PathBuf| {
            let path = path.to_string_lossy();
            match reach {
                Reach::OneFolder => hookloop_shell::may_meet(&pattern, &path),
                Reach::Below => is_found(&pattern, &path),
            }
        };
        let ways = self.on_the_way.iter().filter(|_| touch == Touch::Remove);
        let mut all = self.files.iter().chain(&self.folders).chain(ways);
        let named = all.find(|path| path.exists() && fits(path));
        named
            .or_else(|| self.possible_folder(touch, &pattern))
            .cloned()
    }

    /// Returns the protected folder that could contain matches of a pattern.
    fn possible_folder(&self, touch: Touch, pattern: &str) -> Option<&PathBuf> {
        let caches = self.caches.iter().filter(|_| touch != Touch::Remove);
        let mut folders = self.folders.iter().chain(caches);
        folders.find(|folder| {
            let named = folder.to_string_lossy();
            let depth = named.split('/').count();
            let above: Vec<&str> = pattern.split('/').take(depth).collect();
            folder.exists() && hookloop_shell::may_meet(&above.join("/"), &named)
        })
    }

    /// A pattern from the real folder that its first components name.
    fn pattern_of(&self, pattern: &str) -> String {
        let is_plain = |it: &str| !it.contains(['*', '?', '[']);
        let components: Vec<&str> = pattern.split('/').collect();
        let plain = components.iter().take_while(|it| is_plain(it)).count();
        let folder = components[..plain].join("/");
        match self.leads_to(Path::new(&folder)) {
            Some(real) if plain > 1 => {
                let rest = &components[plain..];
                let real = real.to_string_lossy();
                let all = std::iter::once(real.trim_end_matches('/')).chain(rest.iter().copied());
                all.collect::<Vec<_>>().join("/")
            }
            _ => pattern.to_owned(),
        }
    }

    /// Returns the protected file that an arbitrary file in a folder could be: in a protected
    /// folder, or beside a protected file.
    pub(crate) fn possible_file(&self, folder: &Path) -> Option<PathBuf> {
        let inside = self.affected(Touch::Write, folder);
        inside.or_else(|| {
            let real = self.leads_to(folder)?;
            let mut files = self.files.iter();
            let beside = files.find(|it| it.parent() == Some(real.as_path()));
            beside.filter(|it| !self.data.contains(*it)).cloned()
        })
    }

    /// Reads the state of all protected files.
    pub fn snapshot(&self) -> Snapshot {
        self.snapshot_after(&Snapshot::default())
    }

    /// Reads the state of all protected files again. Files that weren't modified since `earlier`
    /// aren't read.
    pub fn snapshot_after(&self, earlier: &Snapshot) -> Snapshot {
        let compared = self.compared_files();
        Snapshot {
            kinds: self.kinds.reread(),
            too_large: compared.too_large,
            ..Snapshot::look(compared.files, earlier)
        }
    }

    /// Reads the files again that are read only on demand: see
    /// [`is_read_anew`](Self::is_read_anew).
    pub fn beside_hooks_after(&self, earlier: &Snapshot) -> Snapshot {
        let mut files = self.compared_files().files;
        files.retain(|it| self.is_read_anew(it));
        Snapshot::look(files, earlier)
    }

    /// Returns the files that are compared.
    fn compared_files(&self) -> Compared {
        let mut compared = Compared::default();
        for folder in self.folders.iter().filter(|it| !self.busy.contains(*it)) {
            compared.add(folder);
        }
        let Compared {
            mut files,
            mut too_large,
        } = compared;
        if !self.has_guards {
            too_large.clear();
        }
        files.extend(self.files.iter().cloned());
        // A folder of that name isn't read.
        let awaited = self.awaited.iter().filter(|it| !it.is_dir());
        files.extend(awaited.cloned());
        files.extend(self.searched.iter().flat_map(Searched::files));
        for data in self.data.iter().chain(&self.busy) {
            files.remove(data);
        }
        Compared { files, too_large }
    }

    /// Returns which protected files have changed.
    pub fn changes_since(&self, before: &Snapshot) -> Vec<ProtectedChange> {
        before.changes_to(&self.snapshot_after(before))
    }
}

/// Returns whether a program that descends into folders could list a path: `folder/name` stands for
/// every such name below the folder.
fn is_found(pattern: &str, path: &str) -> bool {
    let (folder, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let below = path
        .strip_prefix(folder)
        .and_then(|rest| rest.strip_prefix('/'));
    let named = below.and_then(|it| it.rsplit('/').next());
    named.is_some_and(|it| hookloop_shell::matches(name, it))
        || hookloop_shell::matches(pattern, path)
}

/// Returns whether a path is a folder by another name, or in it.
fn is_same_or_below(path: &Path, folder: &Path) -> bool {
    let Some(id) = FileId::of(folder) else {
        return false;
    };
    path.ancestors().any(|above| id.is_at(above))
}
