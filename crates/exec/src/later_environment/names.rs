//! Which variables a hook may set for later commands.

use hookloop_hook::Authority;

/// Variables that the shell itself changes, or that differ for every process: they say nothing
/// about a hook.
pub(super) const OF_THE_SHELL: [&str; 5] = ["_", "SHLVL", "PWD", "OLDPWD", hookloop_process::MARK];

/// Names of variables that make something else run than a command says, or make it do something
/// else: which programs are used, where they and their libraries are searched, and what they also
/// run.
const POWERFUL: &[&str] = &[
    "AR",
    "AS",
    "BROWSER",
    "CC",
    "CLASSPATH",
    "CONFIG_SHELL",
    "CONFIG_SITE",
    "CPP",
    "CXX",
    "EDITOR",
    "ENV",
    "EXINIT",
    "FC",
    "FCEDIT",
    "FIGNORE",
    "GLOBIGNORE",
    "GOENV",
    "GOROOT",
    "GOTOOLCHAIN",
    "HGRCPATH",
    "HOME",
    "IFS",
    "INPUTRC",
    "KUBECONFIG",
    "LD",
    "LESSCLOSE",
    "LESSEDIT",
    "LESSOPEN",
    "LOCPATH",
    "MAILCAPS",
    "MAKE",
    "MAKEFILES",
    "MAKELEVEL",
    "MAKESHELL",
    "NLSPATH",
    "NM",
    "OBJC",
    "PERLDB",
    "PERLLIB",
    "PHPRC",
    "POSIXLY_CORRECT",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "RANLIB",
    "RUBYLIB",
    "RUSTC",
    "RUSTDOC",
    "SHELL",
    "SHELLOPTS",
    "STRIP",
    "SVN_EDITOR",
    "SVN_SSH",
    "TAPE",
    "TERMCAP",
    "TERMINFO",
    "TMPDIR",
    "VIM",
    "VIMINIT",
    "VIMRUNTIME",
    "VISUAL",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
];

/// Prefixes of names of such variables.
const PREFIXES: &[&str] = &[
    "ANT_",
    "AWS_CONFIG",
    "AWS_SHARED",
    "BASH",
    "BUNDLE_",
    "BUN_",
    "BUNDLER_",
    "CARGO_",
    "CLOUDSDK_",
    "CMAKE_",
    "COMPOSER_",
    "CONDA_",
    "COREPACK_",
    "DENO_",
    "DOCKER_",
    "DOTNET_",
    "DYLD_",
    "ELECTRON_",
    "EMACS",
    "ERL_",
    "GCC_",
    "GCONV_",
    "GEM_",
    "GHC_",
    "GIO_",
    "GIT_",
    "GRADLE_",
    "GTK_",
    "GUILE_",
    "HELM_",
    "HG_",
    "HOMEBREW_",
    "JAVA_",
    "JDK_",
    "JULIA_",
    "KSH_",
    "LD_",
    "LUA_",
    "M2_",
    "MAVEN_",
    "MISE_",
    "NIX_",
    "NODE_REPL",
    "NPM_",
    "NVIM_",
    "NVM_",
    "OPENSSL_",
    "PAGER",
    "PERL5",
    "PHP_",
    "PIP_",
    "PKG_CONFIG",
    "PNPM_",
    "POETRY_",
    "PYENV_",
    "QT_",
    "R_ENVIRON",
    "R_LIBS",
    "R_PROFILE",
    "RBENV_",
    "RIPGREP_",
    "RUBYOPT",
    "RUSTC_",
    "RUSTUP_",
    "SCREENRC",
    "SSH_",
    "SUDO_",
    "TF_CLI",
    "TF_PLUGIN",
    "UV_",
    "WGETRC",
    "XDG_",
    "YARN_",
];

/// Their suffixes.
const SUFFIXES: &[&str] = &[
    "FLAGS",
    "OPTIONS",
    "OPTS",
    "PATH",
    "_ASKPASS",
    "_CMD",
    "_COMMAND",
    "_EDITOR",
    "_EXEC",
    "_EXECUTABLE",
    "_HOME",
    "_HOOK",
    "_HOOKS",
    "_LAUNCHER",
    "_LINKER",
    "_OPT",
    "_PAGER",
    "_PLUGIN",
    "_PLUGINS",
    "_PRELOAD",
    "_PROGRAM",
    "_RSH",
    "_RUNNER",
    "_SHELL",
    "_SSH",
    "_STARTUP",
    "_WRAPPER",
];

/// Those of Python that don't affect what runs.
const HARMLESS_OF_PYTHON: &[&str] = &[
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
];

/// Returns whether a hook may set a variable for later commands.
pub(super) fn may_set(authority: Authority, name: &str) -> bool {
    // These variables mark a command as coming from an agent, and name the agent (TR-11).
    let is_mark = name.starts_with("HOOKLOOP_") || name.starts_with("GEMINI_CLI");
    !is_mark && (authority > Authority::Project || is_name(name) && !is_powerful(name))
}

/// Returns whether a text can be the name of a variable in a shell.
pub(super) fn is_name(name: &str) -> bool {
    let is_of_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
    !name.is_empty()
        && !name.starts_with(|it: char| it.is_ascii_digit())
        && name.chars().all(is_of_name)
}

/// Returns whether a variable could make something run other than what the commands name. Some
/// programs read names in any case.
fn is_powerful(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let name = name.as_str();
    POWERFUL.contains(&name)
        || PREFIXES.iter().any(|it| name.starts_with(it))
        || SUFFIXES.iter().any(|it| name.ends_with(it))
        || (name.starts_with("PYTHON") && !is_harmless_of_python(name))
}

/// Returns whether a variable of Python doesn't affect what runs.
pub(crate) fn is_harmless_of_python(name: &str) -> bool {
    HARMLESS_OF_PYTHON.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FD-14: hooks of projects and extensions set no variable that makes another program run, and
    /// the user's own set them; nobody sets the marks of agents.
    #[test]
    fn powerful_variables_are_the_users() {
        let powerful = "PATH LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES BASH_ENV ENV \
            SHELLOPTS BASHOPTS PROMPT_COMMAND IFS CDPATH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF \
            GIT_CONFIG_COUNT NODE_OPTIONS NODE_PATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS \
            JDK_JAVA_OPTIONS MAVEN_OPTS PYTHONSTARTUP PYTHONPATH PYTHONHOME PERL5OPT PERL5LIB \
            PERL5DB RUBYOPT RUBYLIB EDITOR VISUAL PAGER GH_PAGER LESSOPEN RUSTC_WRAPPER \
            CARGO_BUILD_RUSTC MAKEFLAGS CFLAGS GOFLAGS HOME XDG_CONFIG_HOME ZDOTDIR \
            npm_config_script_shell SSH_ASKPASS RSYNC_RSH KUBECONFIG PS4 SHELL TMPDIR LUA_INIT \
            PHP_INI_SCAN_DIR DOCKER_HOST BROWSER CC OPENSSL_CONF";
        for name in powerful.split_whitespace() {
            assert!(!may_set(Authority::Project, name), "{name}");
            assert!(!may_set(Authority::Extension, name), "{name}");
            assert!(may_set(Authority::User, name), "{name}");
        }
        assert!(!may_set(Authority::Project, "BASH_FUNC_ls%%"));
        assert!(may_set(Authority::User, "BASH_FUNC_ls%%"));
        for name in
            "STAGE NODE_ENV RAILS_ENV DATABASE_URL API_TOKEN PYTHONUNBUFFERED LANG TZ AWS_PROFILE \
            CI DEBUG FOO_1 environment"
                .split_whitespace()
        {
            assert!(may_set(Authority::Project, name), "{name}");
        }
        for name in ["HOOKLOOP_AGENT", "HOOKLOOP_RUN", "GEMINI_CLI"] {
            assert!(!may_set(Authority::System, name), "{name}");
        }
    }
}
