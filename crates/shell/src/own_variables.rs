//! Variables that shells set by themselves.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Returns whether a shell may give a variable a value that nobody else has set: bash, dash, ksh or
/// zsh, at startup or while it runs (HT-30).
pub fn is_set_by_shells(name: &str) -> bool {
    name == "_" || PREFIXES.iter().any(|it| name.starts_with(it)) || NAMES.contains(name)
}

static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| OWN.split_ascii_whitespace().collect());

/// Beginnings of names that always belong to a shell.
const PREFIXES: [&str; 7] = [
    "BASH",
    "COMP_",
    "COPROC",
    "READLINE_",
    "EPOCH",
    "ZSH_",
    "KSH_",
];

/// The names of bash, dash, ksh and zsh, in this order.
const OWN: &str = "\
    CDPATH COLUMNS COMPREPLY DIRSTACK EUID FUNCNAME FUNCNEST FIGNORE GLOBIGNORE GROUPS HISTCMD HISTCONTROL HISTFILE \
    HISTFILESIZE HISTSIZE HOME HOSTFILE HOSTNAME HOSTTYPE IFS INPUTRC LINENO LINES LOGNAME MACHTYPE MAIL MAILCHECK \
    MAILPATH MAPFILE OLDPWD OPTARG OPTERR OPTIND OSTYPE PATH PIPESTATUS POSIXLY_CORRECT PPID PROMPT_DIRTRIM PS0 PS1 \
    PS2 PS3 PS4 PWD RANDOM REPLY SECONDS SHELL SHELLOPTS SHLVL SRANDOM TERM TIMEFORMAT TMOUT UID USER \
    ATTY \
    FPATH JOBMAX JOBMIN KSHEGID KSHGID KSHUID LC_ALL PGRP USER_ID \
    ARGC CPUTYPE EGID ERRNO GID HISTCHARS HOST KEYBOARD_HACK KEYTIMEOUT LISTMAX LOGCHECK NULLCMD PROMPT PROMPT2 PROMPT3 \
    PROMPT4 PROMPT_EOL_MARK READNULLCMD REPORTMEMORY REPORTTIME RPROMPT RPROMPT2 RPS1 RPS2 SAVEHIST SPROMPT TIMEFMT TRY_BLOCK_ERROR \
    TRY_BLOCK_INTERRUPT TTY TTYIDLE USERNAME VENDOR WATCH WATCHFMT WORDCHARS aliases argv builtins cdpath commands \
    dirstack dis_aliases dis_builtins dis_functions dis_galiases dis_patchars dis_reswords dis_saliases fignore fpath \
    funcfiletrace funcsourcetrace funcstack functions functions_source functrace galiases histchars history \
    historywords jobdirs jobstates jobtexts keymaps langinfo mailpath manpath match mbegin mend module_path modules \
    nameddirs options parameters patchars path pipestatus prompt psvar reswords saliases signals status termcap \
    terminfo userdirs usergroups watch widgets zle_bracketed_paste zle_highlight zsh_eval_context \
    zsh_scheduled_events";

#[cfg(test)]
mod tests {
    use super::*;

    /// HT-30: what a shell sets by itself doesn't count as unset; bash confirms that each name here
    /// has a value.
    #[test]
    fn variables_of_shells_are_known() {
        for name in [
            "PS4",
            "SRANDOM",
            "BASH_VERSION",
            "BASH_MONOSECONDS",
            "COMP_WORDBREAKS",
            "EPOCHREALTIME",
            "HISTCMD",
            "OPTERR",
            "TERM",
            "_",
            "ZSH_NAME",
            "TTYIDLE",
            "pipestatus",
        ] {
            assert!(is_set_by_shells(name), "{name}");
        }
        for name in ["PROJECT", "BUILD_DIR", "PS", "COMP", "TMPDIR"] {
            assert!(!is_set_by_shells(name), "{name}");
        }
    }
}
