//! Word tables for many languages: calls and programs that read, write, start or evaluate
//! something.
//!
//! Each table is a single text, with words separated by blanks.

use memchr::memmem;

/// A set of words.
///
/// A call asks for a few words in some of the tables, so they are searched as they are: collecting
/// them first would take longer than the rest of the call.
#[derive(Debug)]
pub(super) struct Table(&'static str);

impl Table {
    /// Creates a table from words separated by blanks.
    pub(super) const fn of(text: &'static str) -> Self {
        Self(text)
    }

    /// Returns whether the table contains a word.
    pub(super) fn holds(&self, word: &str) -> bool {
        let is_word = !word.is_empty() && !word.contains(|it: char| it.is_ascii_whitespace());
        let text = self.0.as_bytes();
        let is_blank = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
        is_word
            && memmem::find_iter(text, word).any(|at| {
                let before = at.checked_sub(1).and_then(|it| text.get(it));
                is_blank(before) && is_blank(text.get(at + word.len()))
            })
    }

    /// Returns all words.
    pub(super) fn all_words(&self) -> impl Iterator<Item = &'static str> {
        self.0.split_ascii_whitespace()
    }
}

/// Calls that only read, or don't affect files, whatever their arguments.
pub(super) static READERS: Table = Table::of(
    "\
    print puts p pp say echo log error warn info debug write printf sprintf format len str repr \
    bytes list dict set sorted tuple int float bool any all map filter zip enumerate range type \
    isinstance Path PurePath PosixPath String join dirname basename resolve relpath abspath \
    realpath normpath expanduser splitext split exists existsSync isfile isdir islink getsize \
    getmtime stat lstat statSync lstatSync access accessSync read read_text read_bytes readFile \
    readFileSync readlines readline readlink readdir readdirSync readTextFile createReadStream \
    file_get_contents listdir scandir walk glob iglob rglob iterdir load loads parse safe_load \
    dumps stringify require import append push extend add get has includes startswith endswith \
    startsWith endsWith find index indexOf match search findall sub gsub compile test count \
    strip if while for in not and or return assert elif unless my our local const let var new \
    is_file is_dir is_symlink file dir samefile getenv print_r var_dump json_decode parse_file \
    load_file from as import_module defined exit sizeof die raise throw with lambda function def \
    class async await yield else then do end tail head sha256 md5 hexdigest",
);

/// Calls that write, delete, move or change the permissions of the file in their first argument.
pub(super) static WRITERS: Table = Table::of(
    "\
    writeFile writeFileSync appendFile appendFileSync createWriteStream unlink unlinkSync rmSync \
    rmdirSync rmtree remove_tree removedirs truncate truncateSync chmod chmodSync chown chownSync lchmod \
    lchown fchmod utimesSync writeTextFile file_put_contents rm_rf rm_f rm_r mknod mkfifo \
    binwrite copyFile copyFileSync cpSync renameSync renames symlinkSync linkSync copyfile \
    copytree copy2 sysopen unpack_archive urlretrieve extractall FileHandler RotatingFileHandler \
    TimedRotatingFileHandler WatchedFileHandler writefile",
);

/// Calls that write to the file in their second argument.
pub(super) static MOVERS: Table = Table::of(
    "\
    rename renames replace renameSync move copy copyfile copyFile copyFileSync cp cpSync mv",
);

/// Calls that create a link to their first argument.
pub(super) static LINKERS: Table = Table::of(
    "\
    symlink symlinkSync symlink_to ln_s ln_sf make_symlink make_link",
);

/// Calls that do the same if they belong to a module for files, or have no receiver.
pub(super) static WRITERS_OF_MODULES: Table = Table::of(
    "\
    remove rm rmdir delete rename replace link symlink move copy cp mv write touch utime ln ln_s \
    install mkdir makedirs promises",
);

/// Modules whose calls do something to files.
pub(super) static MODULES: Table = Table::of(
    "\
    os fs fsp promises shutil File IO FileUtils Deno Bun Dir pathlib POSIX posix",
);

/// Calls on a path that write to, delete or move it.
pub(super) static METHODS: Table = Table::of(
    "\
    write_text write_bytes unlink rmdir touch rename replace chmod symlink_to hardlink_to \
    link_to lchmod open delete rmtree move",
);

/// Those of them that only paths have: if the path isn't known, neither is the effect.
pub(super) static METHODS_OF_PATHS: Table = Table::of(
    "\
    write_text write_bytes unlink rmdir symlink_to hardlink_to link_to lchmod rmtree",
);

/// Calls that open a file, for reading or writing.
pub(super) static OPENERS: Table = Table::of(
    "\
    open fopen openSync FileIO fdopen popen_file ZipFile GzipFile BZ2File LZMAFile TarFile",
);

/// Calls that may take a loop variable over files: those that read, write or delete one of them.
pub(super) static FOR_ANY_FILE: Table = Table::of(
    "\
    open print len str repr bytes Path PurePath PosixPath join basename splitext exists isfile isdir islink \
    getsize getmtime stat lstat abspath relpath normpath fspath fsdecode format append add remove unlink chmod \
    utime truncate rmtree rmdir read_text read_bytes sorted list set tuple endswith startswith search match \
    fnmatch info debug warning error write",
);

/// Modules whose calls of that name open a file.
pub(super) static OPENING_MODULES: Table = Table::of(
    "\
    io codecs gzip bz2 lzma zipfile tarfile builtins",
);

/// Calls that start a program.
pub(super) static STARTERS: Table = Table::of(
    "\
    system popen Popen exec execSync execFile execFileSync spawn spawnSync run call check_call \
    check_output getoutput getstatusoutput passthru shell_exec proc_open execvp execv execl \
    execlp execvpe execve capture2 capture3 spawnlp spawnvp execute create_subprocess_shell \
    create_subprocess_exec posix_spawn",
);

/// Starters whose name is unambiguous, even alone or on an unknown receiver.
pub(super) static ALWAYS_STARTERS: Table = Table::of(
    "\
    system popen Popen execSync execFile execFileSync spawnSync check_call check_output \
    getoutput getstatusoutput passthru shell_exec proc_open execvp execv execl execlp execvpe \
    execve posix_spawn create_subprocess_shell create_subprocess_exec",
);

/// Calls that run text, or look up a function by a computed name.
pub(super) static EVALUATORS: Table = Table::of(
    "\
    eval exec Function __import__ getattr instance_eval class_eval globals __builtins__ __dict__ \
    runpy run_path run_module CDLL public_send assert_eval dlopen syscall execfile loadstring \
    runInThisContext runInNewContext runsource runcode _compile InteractiveInterpreter",
);

/// Extensions of sources for compilers.
pub(super) static ENDINGS_OF_SOURCES: Table = Table::of(
    "\
    c cc cpp cxx m rs go java kt kts swift cs fs hs ml nim zig dart cr d f90 pas scala",
);

/// Files that shells read before they begin.
pub(super) static STARTUP_FILES: Table = Table::of(
    "\
    .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .kshrc \
    .envrc",
);

/// Programs that compile a source, or run it.
pub(super) static COMPILERS: Table = Table::of(
    "\
    cc gcc g++ c++ c99 tcc clang clang++ rustc go gccgo javac java kotlinc kotlin scalac scala groovy swiftc swift \
    csc mcs dotnet ghc runghc runhaskell ocaml ocamlc ocamlopt ocamlfind nim zig dart crystal v odin dmd rdmd ldc2 \
    gfortran fpc as nasm yasm erlc escript elixir elixirc racket guile sbcl clisp clojure clj",
);

/// Programs that only read their files, and those whose use of files is fully understood.
pub(super) static PROGRAMS_THAT_READ: Table = Table::of(
    "\
    cat less more head tail wc ls ll dir stat file diff cmp comm grep egrep fgrep rg ag ack \
    ugrep find gfind fd tree du df md5sum sha1sum sha256sum sha512sum shasum cksum b2sum sum od \
    hexdump strings bat nl tac rev cut sort jq yq column fold fmt paste join readlink realpath \
    basename dirname test [ [[ echo printf cd pushd popd pwd which type command export \
    shellcheck hookloop true false : git date sleep seq kill set unset read wait exit return \
    local declare let trap shift xargs parallel env sudo nohup timeout time nice exec eval hash \
    alias awk gawk mawk nawk expr tr id whoami uname lsof fuser getfacl jsonlint yamllint cp gcp \
    mv gmv rm ln gln rsync install dd tar chmod chown chgrp mkdir touch tee truncate curl wget \
    diff3 colordiff delta pr zcat gzcat iconv base64 base32 openssl logger for while if function \
    lsattr namei getfattr xxd uniq sed gsed ssh say notify-send \
    split csplit b3sum cloc tokei scc eza exa lsd batcat checkbashisms bashate actionlint hadolint \
    zipinfo",
);

/// Variables that name a file or folder which programs write to.
pub(super) static VARIABLES_OF_FILES: Table = Table::of(
    "\
    GIT_INDEX_FILE GIT_DIR GIT_OBJECT_DIRECTORY HISTFILE LESSHISTFILE SQLITE_HISTORY MYSQL_HISTFILE \
    NODE_REPL_HISTORY NODE_V8_COVERAGE SSLKEYLOGFILE COVERAGE_FILE LLVM_PROFILE_FILE GOCOVERDIR \
    PYTHONPYCACHEPREFIX PYTHON_HISTORY SCRIPT NODE_REDIRECT_WARNINGS MALLOC_TRACE LD_DEBUG_OUTPUT \
    PYTHONDUMPREFSFILE PERF_BUILDID_DIR GCOV_PREFIX NODE_COMPILE_CACHE TAPE PIP_LOG",
);

/// Programs that wait.
pub(super) static PROGRAMS_THAT_WAIT: Table = Table::of(
    "\
    sleep usleep wait inotifywait fswatch",
);

/// Programs that never run a file that was just written.
pub(super) static PROGRAMS_THAT_START_NOTHING: Table = Table::of(
    "\
    cat echo printf tee mkdir touch chmod cd pushd popd ls cp mv rm true : test [ pwd head tail wc sed \
    grep sleep export set cut uniq tr stat file cmp date dirname basename realpath readlink which type du df tree false \
    unset read wait jq",
);

/// Programs that move a whole folder, or put another one over it.
pub(super) static PROGRAMS_FOR_FOLDERS: Table = Table::of(
    "\
    mount umount bindfs fusermount rename prename perl-rename file-rename mmv gio trash trash-put \
    srm wipe rimraf del-cli chcon stow unison fuse-overlayfs overlayroot",
);

/// Git commands that don't write to the working tree, at most to git's own folder.
pub(super) static READERS_OF_GIT: Table = Table::of(
    "\
    add stage diff show blame annotate cat-file log grep status rev-parse rev-list ls-files ls-tree \
    check-ignore check-attr commit hash-object shortlog describe tag branch remote config reflog \
    whatchanged diff-files diff-tree diff-index merge-base show-ref fetch push bisect notes \
    name-rev count-objects fsck gc range-diff cherry var help version reset log",
);

/// Modules whose calls start programs.
pub(super) static STARTING_MODULES: Table =
    Table::of("subprocess os child_process cp sp Open3 Kernel Process");

#[cfg(test)]
mod tests {
    use super::{PROGRAMS_THAT_READ, Table};

    /// TR-8: a table holds its words, and nothing that is only a part of them.
    #[test]
    fn only_whole_words_count() {
        static TABLE: Table = Table::of("cat [ [[ catalog g++ ad");
        for word in TABLE.all_words() {
            assert!(TABLE.holds(word), "{word}");
        }
        for other in [
            "", " ", "c", "at", "log", "g+", "cat [", "ad ", " ad", "[[[", "d",
        ] {
            assert!(!TABLE.holds(other), "{other:?}");
        }
        assert!(
            PROGRAMS_THAT_READ
                .all_words()
                .all(|it| PROGRAMS_THAT_READ.holds(it))
        );
    }
}
