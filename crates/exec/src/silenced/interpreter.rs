//! The interpreters that can be tested, and the variables that may change the behaviour of each.

use std::ffi::OsStr;

use hookloop_shell::{Command, Language, is_posix_shell};

use crate::later_environment::is_harmless_of_python;

/// The exit code that an interpreter is told to end with.
pub(super) const CODE: i32 = 79;

/// How the names of functions of bash begin.
pub(super) const FUNCTION: &str = "BASH_FUNC_";

/// A kind of interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interpreter {
    Shell,
    Fish,
    Python,
    Node,
    Bun,
    Deno,
    Perl,
    Ruby,
    Php,
    Lua,
    R,
    Julia,
}

const ALL: [Interpreter; 12] = [
    Interpreter::Shell,
    Interpreter::Fish,
    Interpreter::Python,
    Interpreter::Node,
    Interpreter::Bun,
    Interpreter::Deno,
    Interpreter::Perl,
    Interpreter::Ruby,
    Interpreter::Php,
    Interpreter::Lua,
    Interpreter::R,
    Interpreter::Julia,
];

/// Returns whether a variable may change what an interpreter does before it runs its program.
pub(super) fn is_suspect(name: &OsStr) -> bool {
    ALL.iter().any(|it| it.is_affected_by(name))
}

/// Returns whether a variable names what is loaded into every program.
fn is_for_all(name: &str) -> bool {
    name.starts_with("LD_") || name.starts_with("DYLD_")
}

impl Interpreter {
    /// Knows an interpreter by its program's base name.
    pub(super) fn of(program: &str) -> Option<Self> {
        Some(match Language::from_program(program)? {
            Language::Shell if is_posix_shell(program) => Self::Shell,
            Language::Shell => return (program == "fish").then_some(Self::Fish),
            Language::Python => Self::Python,
            // Other JavaScript programs are scripts that name one of these in their first line.
            Language::JavaScript => match program {
                "node" | "nodejs" => Self::Node,
                "bun" => Self::Bun,
                "deno" => Self::Deno,
                _ => return None,
            },
            Language::Perl => Self::Perl,
            Language::Ruby => Self::Ruby,
            Language::Php => Self::Php,
            Language::Lua => Self::Lua,
            Language::R => Self::R,
            Language::Julia => Self::Julia,
            // No variable keeps these from running their programs, or they take no program text as
            // an argument.
            _ => return None,
        })
    }

    /// Returns the arguments that make it print the line that it reads, and end with [`CODE`].
    pub(super) fn trial(self) -> [&'static str; 2] {
        match self {
            Self::Shell => ["-c", r#"IFS= read -r it; printf '%s\n' "$it"; exit 79"#],
            Self::Fish => ["-c", "read it; echo $it; exit 79"],
            Self::Python => [
                "-c",
                "import sys; sys.stdout.write(sys.stdin.readline()); sys.exit(79)",
            ],
            Self::Node | Self::Bun => [
                "-e",
                "import('node:fs').then(it => process.stdout.write(it.readFileSync(0), () => process.exit(79)))",
            ],
            Self::Deno => [
                "eval",
                "const it = new Uint8Array(99); const n = Deno.stdin.readSync(it); \
                 Deno.stdout.writeSync(it.subarray(0, n)); Deno.exit(79)",
            ],
            Self::Perl => ["-e", "print scalar <STDIN>; exit 79"],
            Self::Ruby => ["-e", "print STDIN.gets; exit 79"],
            Self::Php => ["-r", "echo fgets(STDIN); exit(79);"],
            Self::Lua => ["-e", "io.write(io.read(), '\\n') os.exit(79)"],
            Self::R => ["-e", "cat(readLines('stdin', 1)); quit(status = 79)"],
            Self::Julia => ["-e", "println(readline()); exit(79)"],
        }
    }

    /// Returns whether a variable names what is loaded into every program.
    pub(super) fn is_for_all(name: &OsStr) -> bool {
        name.to_str().is_some_and(is_for_all)
    }

    /// Returns whether its options make it ignore variables, or something else starts it.
    pub(super) fn is_told_to_mind_nothing(self, command: &Command) -> bool {
        let of_options = match self {
            Self::Python => command.has_flag("-I") || command.has_flag("-E"),
            Self::Shell => command.has_flag("-p"),
            Self::Perl => command.has_flag("-T"),
            _ => false,
        };
        // Another user has another environment.
        let of_others = |it: &String| matches!(it.as_str(), "sudo" | "doas" | "su" | "runuser");
        of_options || command.through.iter().any(of_others)
    }

    /// Returns whether a variable may change what it does.
    pub(super) fn is_affected_by(self, name: &OsStr) -> bool {
        let Some(name) = name.to_str() else {
            return false;
        };
        if is_for_all(name) {
            return true;
        }
        let begins = |beginnings: &[&str]| beginnings.iter().any(|it| name.starts_with(it));
        match self {
            Self::Shell => {
                matches!(
                    name,
                    "BASH_ENV" | "ENV" | "SHELLOPTS" | "BASHOPTS" | "ZDOTDIR"
                ) || name.starts_with(FUNCTION)
            }
            Self::Fish => matches!(name, "XDG_CONFIG_HOME" | "XDG_CONFIG_DIRS"),
            Self::Python => {
                name == "__PYVENV_LAUNCHER__"
                    || name.starts_with("PYTHON") && !is_harmless_of_python(name)
            }
            Self::Node => begins(&["NODE_"]) && !matches!(name, "NODE_ENV" | "NODE_EXTRA_CA_CERTS"),
            Self::Bun => begins(&["BUN_"]),
            Self::Deno => begins(&["DENO_"]),
            Self::Perl => begins(&["PERL5", "PERLLIB", "PERLIO", "PERL_"]),
            Self::Ruby => begins(&["RUBY", "GEM_", "BUNDLE"]),
            Self::Php => begins(&["PHPRC", "PHP_INI"]),
            Self::Lua => begins(&["LUA_"]),
            Self::R => begins(&["R_"]),
            Self::Julia => begins(&["JULIA_"]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Interpreter, is_suspect};

    /// IO-35: variables that many people set for other ends cost no trial.
    #[test]
    fn common_variables_are_no_suspects() {
        for name in [
            "PATH",
            "HOME",
            "LANG",
            "NODE_ENV",
            "PYTHONUNBUFFERED",
            "BASH",
            "SHELL",
            "TERM",
            "PWD",
        ] {
            assert!(!is_suspect(name.as_ref()), "{name}");
        }
        for name in [
            "LD_PRELOAD",
            "BASH_FUNC_x%%",
            "PYTHONINSPECT",
            "PERL5OPT",
            "RUBYOPT",
            "LUA_INIT_5_4",
            "BUN_OPTIONS",
            "ZDOTDIR",
        ] {
            assert!(is_suspect(name.as_ref()), "{name}");
        }
    }

    /// IO-35: interpreters are known by their names.
    #[test]
    fn interpreters_are_known() {
        assert_eq!(Interpreter::of("python3.12"), Some(Interpreter::Python));
        assert_eq!(Interpreter::of("dash"), Some(Interpreter::Shell));
        assert_eq!(Interpreter::of("csh"), None);
        assert_eq!(Interpreter::of("jq"), None);
    }
}
