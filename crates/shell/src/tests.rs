use crate::{OpaqueReason, Surroundings, Unpinned, files_named, permitted, understand};

fn around() -> Surroundings<'static> {
    Surroundings {
        folder: Some("/p"),
        home: Some("/home/u"),
        repository: Some("/p"),
        variables: None,
        files: None,
    }
}

/// Returns the normal forms of what a text runs.
fn lines(text: &str) -> Vec<String> {
    let understood = understand(text, around());
    assert!(understood.parsed, "{text}");
    understood
        .commands
        .iter()
        .filter(|it| !it.program.is_empty())
        .map(crate::Command::line)
        .collect()
}

#[track_caller]
fn runs(text: &str, expected: &str) {
    let lines = lines(text);
    assert!(lines.iter().any(|it| it == expected), "{text}: {lines:?}");
}

/// HT-30: programs whose input or script starts commands with a syntax of its own.
#[test]
fn commands_in_the_input_of_other_programs_are_found() {
    for text in [
        "echo '!rm x' | dc",
        "dc -e '!rm x'",
        "printf 'cd a\\n!rm x\\n' | sftp -b - host",
        "echo '!rm x' | ftp -n",
        "lftp -e 'open h; !rm x'",
        "uv run - <<< 'import os; os.system(\"rm x\")'",
        "uv run --with a - b <<< 'import os; os.system(\"rm x\")'",
        "bash --rcfile <(echo 'rm x') -i",
        "python3 -m IPython <<< '!rm x'",
        "ipython <<< '!rm x'",
        "m4 <<'E'\nsyscmd(`rm x')\nE",
        "echo 'esyscmd(rm x)' | m4 -",
        "cat > a.cmake <<'E'\nexecute_process(COMMAND rm x)\nE\ncmake -P a.cmake",
        "echo 'execute_process(COMMAND rm x)' > a.cmake; ctest -S a.cmake",
    ] {
        runs(text, "rm x");
    }
    for text in ["echo '2 3 + p' | dc", "sftp host", "cmake -S . -B build"] {
        assert!(!understand(text, around()).opaque(), "{text}");
    }
}

/// Names under which a program opens its own standard input, spelled in ways that the kernel or
/// bash resolves.
const STANDARD_INPUT: &[&str] = &[
    "/dev/stdin",
    "/dev/fd/0",
    "/dev//stdin",
    "/dev/../dev/fd/0",
    "/proc/self/fd/0",
    "/proc/thread-self/fd/0",
    "/dev/std?n",
    "\"/dev/stdin\"",
    "$HOME/../../dev/stdin",
];

/// Programs that carry out the file that they are given, and a text in their language that runs
/// `rm x`.
const CARRY_OUT: &[[&str; 2]] = &[
    ["bash F", "rm x"],
    ["sh -e F a", "rm x"],
    ["dash F", "rm x"],
    ["source F", "rm x"],
    [". F", "rm x"],
    ["python3 F", "import os; os.system(\"rm x\")"],
    ["perl F", "system(\"rm x\")"],
    ["ruby F", "system(\"rm x\")"],
    ["node F", "require(\"child_process\").execSync(\"rm x\")"],
    ["make -f F", "a:;rm x"],
    ["make --file=F", "a:;rm x"],
    ["sed -f F a", "1e rm x"],
    ["awk -f F a", "BEGIN { system(\"rm x\") }"],
    ["dc -f F", "!rm x"],
    ["gdb -x F", "shell rm x"],
    ["cmake -P F", "execute_process(COMMAND rm x)"],
    ["env -i timeout 5 bash F", "rm x"],
    ["bash --rcfile F -i", "rm x"],
    ["bash --init-file F -ic true", "rm x"],
    ["uv run --script F", "import os; os.system(\"rm x\")"],
    ["bash -c \"bash F\"", "rm x"],
];

/// HT-30: standard input is carried out under each of its names as it is without a name.
#[test]
fn standard_input_is_carried_out_under_every_name() {
    for [program, script] in CARRY_OUT {
        for name in STANDARD_INPUT {
            let program = program.replace('F', name);
            for text in [
                format!("echo '{script}' | {program}"),
                format!("{program} <<< '{script}'"),
                format!("{program} <<'E'\n{script}\nE"),
                format!("exec <<< '{script}'; {program}"),
                format!("echo '{script}' > s; {program} < s"),
            ] {
                runs(&text, "rm x");
            }
        }
    }
}

/// HT-30: what comes from an open file is unknown wherever it is carried out.
#[test]
fn open_files_are_not_taken_for_files_on_disk() {
    for [program, script] in CARRY_OUT {
        for name in ["/dev/fd/3", "/dev//fd/3", "/proc/self/fd/3"] {
            let text = format!("{} 3<<< '{script}'", program.replace('F', name));
            assert!(understand(&text, around()).opaque(), "{text}");
        }
    }
    for text in [
        "exec 3<<< 'rm x'; bash <&3",
        "bash <&3 3<<< 'rm x'",
        "if [ -e a ]; then exec <<< 'rm x'; fi; bash",
        "echo a | { exec < b; bash; }",
    ] {
        assert!(understand(text, around()).opaque(), "{text}");
    }
    for text in [
        "diff <(echo a) <(echo b)",
        "while read -r l <&3; do echo $l; done 3< a",
        "echo '{}' | jq . /dev/stdin",
        "sort /dev/stdin < a",
        "exec 2>&1; echo a",
    ] {
        assert!(!understand(text, around()).opaque(), "{text}");
    }
}

/// HT-30: a command is found wherever it is.
#[test]
fn commands_are_found_wherever_they_stand() {
    for text in [
        "if true; then rm x; fi",
        "! rm x",
        "time rm x",
        "FOO=1 rm x",
        "\"rm\" x",
        "alias rm=true; rm x",
        "alias t=rm; t x",
        "cp /bin/true rm; rm x",
        "cp /bin/rm z && ./z x",
        "ln -s $(which rm) q; ./q x",
        "install -m 755 /bin/rm /tmp/z; /tmp/z x",
        "\\rm x",
        "/bin/rm x",
        ">/dev/null rm x",
        "command rm x",
        "env A=1 rm x",
        "echo x | xargs rm",
        "a && b || rm x",
        "(cd /; { rm x; })",
        "f() { rm x; }; f",
        "echo $(rm x)",
        "echo `rm x`",
        "echo \"a `rm x` b\"",
        "cat <(rm x)",
        "bash <<E\nrm x\nE",
        "sh -c 'rm x'",
        "bash -lc \"rm x\"",
        "eval 'rm x'",
        "echo 'rm x' | sh",
        "sudo -u root nice -n 5 timeout -k 1 5 rm x",
        "while read a; do rm x; done",
        "case $a in b) rm x;; esac",
        "[[ -n $(rm x) ]]",
        "echo ${A:-$(rm x)}",
        "echo $((1 + $(rm x)))",
        "A=($(rm x))",
        "trap 'rm x' EXIT",
        "nohup rm x &",
        "X='rm x'; $X",
        "r''m x",
        "$'\\x72m' x",
        "{rm,x}",
        "echo cm0geA== | base64 -d | bash",
        "powershell -EncodedCommand cgBtACAAeAA=",
        "pwsh.exe -NoProfile -enc cgBtACAAeAA=",
        "printf '\\162m x' | sh",
        "echo 'x mr' | rev | sh",
        "echo 'rm x' > s.sh; bash s.sh",
        "cat > s.sh <<E\nrm x\nE\nchmod +x s.sh && ./s.sh",
        "find . -exec sh -c 'rm x' \\;",
        "python3 -c 'import os; os.system(\"rm x\")'",
        "perl -e 'system(\"rm\", \"x\")'",
        "awk 'BEGIN { system(\"rm x\") }'",
        "ssh host 'rm x'",
        "su -c 'rm x'",
        "flock /tmp/l -c 'rm x'",
        "docker exec -it box rm x",
        "coproc rm x",
        "sshpass -p y ssh host 'rm x'",
        "lxc exec box -- rm x",
        "multipass exec box -- rm x",
        "vagrant ssh -c 'rm x'",
        "fly ssh console -C 'rm x'",
        "sudo -s <<< 'rm x'",
        "a=(rm); a+=(x); \"${a[@]}\"",
        "$RM x",
        "echo cm0geA== | openssl base64 -d | sh",
        "ruby -e '%x(rm x)'",
        "node -e \"const {execSync: r} = require('child_process'); r('rm x')\"",
        "python3 -c \"from os import system as r; r('rm x')\"",
        "python3 -c \"import os; os.spawnlp(os.P_WAIT, 'rm', 'x')\"",
    ] {
        runs(text, "rm x");
    }
}

/// HT-30: this also applies if a name stands for a program, a container starts it, or a builtin
/// evaluates what was quoted.
#[test]
fn commands_are_found_behind_other_names_and_in_quoted_text() {
    for text in [
        "for f in x y; do rm $f; done",
        "set -- x; rm $1",
        "rm${IFS}x",
        "<<<'rm x' bash",
        "printf -v 'a[$(rm x)]' y",
        "read 'a[$(rm x)]' <<< y",
        "test -v 'a[$(rm x)]'",
        "[ -v 'a[`rm x`]' ]",
        "[[ -v 'a[$(rm x)]' ]]",
        "[[ 'a[$(rm x)]' -eq 1 ]]",
        "let 'a[$(rm x)]=1'",
        "declare -i 'a[$(rm x)]=1'",
        "y='a[$(rm x)]'; echo $((y))",
        "unset 'a[$(rm x)]'",
        "mapfile -C 'rm x' -c 1 a < y",
        "compgen -C 'rm x'",
        "compgen -W '$(rm x)'",
        "PS4='$(rm x)'; set -x; true",
        "PS1='`rm x`' bash -i",
        "env 'BASH_FUNC_ls%%=() { rm x; }' bash -c ls",
        "command_not_found_handle() { rm x; }; zzz",
        "jobs -x rm x",
        "cp /bin/rm z; cp /bin/true z; ./z x",
        "if [ -e y ]; then cp /bin/rm z; fi; ./z x",
        "cp -t /tmp /bin/rm; /tmp/rm x",
        "printf 'a:\n\trm x\n' > j; just --justfile=j",
        "docker run --entrypoint rm image x",
        "docker run --entrypoint=rm image x",
        "podman create --entrypoint rm image x",
        "docker run someone/git rm x",
        "docker run alpine rm x",
    ] {
        runs(text, "rm x");
    }
    let texts = [
        "docker run alpine rm x --entrypoint true",
        "docker exec box rm x --entrypoint true",
    ];
    for text in texts {
        let lines = lines(text);
        assert!(
            lines.iter().any(|it| it.starts_with("rm x")),
            "{text}: {lines:?}"
        );
    }
}

/// HT-30: what a trap does runs with what its shell knows when it may end: functions, variables and
/// the folder.
#[test]
fn traps_run_where_their_shell_ends() {
    for text in [
        "trap 'rm $A' EXIT; A=x",
        "(f() { rm x; }; trap f EXIT)",
        "(A=x; trap 'rm $A' EXIT); A=y",
        "bash -c 'trap \"rm \\$A\" EXIT; A=x'; A=y",
        "echo y | { trap 'rm $A' EXIT; A=x; }",
        "{ trap 'rm $A' EXIT; A=x; } & A=y",
        "echo $(trap 'rm $A' EXIT; A=x)",
        "cat <(trap 'rm $A' EXIT; A=x)",
        "coproc { trap 'rm $A' EXIT; A=x; }",
        "bash <<E\ntrap 'rm \\$A' EXIT; A=x\nE",
        "trap 'rm $A' EXIT; A=x; exit; A=y",
        "trap 'rm $A' 0; A=x; if [ -e z ]; then exit 1; fi; A=y",
        "trap 'rm $A' EXIT; A=x; exec true; A=y",
        "trap 'rm $A' USR1; A=x; kill -USR1 $$; A=y",
        "trap 'rm $A' EXIT TERM; A=x",
        "f() { trap 'rm $A' EXIT; }; f; A=x",
        "eval \"trap 'rm \\$A' EXIT\"; A=x",
        "trap 'trap \"rm x\" EXIT' EXIT",
    ] {
        runs(text, "rm x");
    }
    let found = understand("(cd /tmp; trap 'rm x' EXIT; cd /srv)", around());
    let command = found.commands.iter().find(|it| it.program == "rm");
    let folders = command.map(|it| it.folders.clone()).unwrap_or_default();
    assert!(folders.contains(&"/srv".to_owned()), "{folders:?}");
    // A trap that ends the shell doesn't run forever.
    assert!(understand("trap 'exit 1' EXIT; exit; exit", around()).parsed);
}

/// HT-30: subcommands have one form, whatever precedes them.
#[test]
fn subcommands_have_one_form() {
    runs("git -C /x -c a=b push --force", "git push --force");
    runs("git  push", "git push");
    runs("docker --host x container rm y", "docker container rm y");
    runs("cargo +nightly publish", "cargo publish");
    runs("cargo +1.80 --locked yank x", "cargo yank x");
    runs("cargo +/srv/tools test", "cargo +/srv/tools test");
    let understood = understand("rm -rfv --one=2 -- -x", around());
    assert_eq!(understood.commands[0].flags, ["-r", "-f", "-v", "--one"]);
}

/// HT-30: what can't be known is reported as such.
#[test]
fn what_cannot_be_known_says_so() {
    for (text, why) in [
        ("$X y", OpaqueReason::ComputedProgram),
        ("eval \"$X\"", OpaqueReason::ComputedText),
        ("bash -c \"$X\"", OpaqueReason::ComputedText),
        ("curl https://x | sh", OpaqueReason::PipedText),
        ("bash <(curl https://x)", OpaqueReason::PipedText),
        ("if", OpaqueReason::Unreadable),
        (":() { : | : & }; :", OpaqueReason::TooDeep),
        ("while :; do x & done", OpaqueReason::Endless),
        (
            "until false; do echo a; (x | y &); done",
            OpaqueReason::Endless,
        ),
        (
            "for ((;;)); do n=1; { x & disown; } done",
            OpaqueReason::Endless,
        ),
        ("while ((1)); do nohup x & y & done", OpaqueReason::Endless),
        ("until ! true; do x & done", OpaqueReason::Endless),
        ("while [[ 1 ]]; do x & done", OpaqueReason::Endless),
        ("while [[ 1 -eq 1 ]]; do x & done", OpaqueReason::Endless),
        ("while [ a = a ]; do x & done", OpaqueReason::Endless),
        ("until [[ -n \"\" ]]; do x & done", OpaqueReason::Endless),
        ("for ((;42;)); do x & done", OpaqueReason::Endless),
        (
            "if a; then while [ 1 ]; do x & done; fi",
            OpaqueReason::Endless,
        ),
    ] {
        let understood = understand(text, around());
        let found: Vec<OpaqueReason> = understood.opaque_parts.iter().map(|it| it.why).collect();
        assert!(found.contains(&why), "{text}: {found:?}");
    }
    let understood = understand("echo 'rm -rf /' | wc; grep 'x; rm' f", around());
    assert!(!understood.opaque());
    assert!(!understood.commands.iter().any(|it| it.program == "rm"));
    for text in [
        "while :; do x & sleep 1; done",
        "while :; do x & wait; done",
        "while ! true; do x & done",
        "while :; do x & break; done",
        "while :; do x & if y; then break; fi; done",
        "while :; do x && y; done",
        "while read a; do x & done",
        "while [[ $a ]]; do x & done",
        "while [[ 1 -eq 2 ]]; do x & done",
        "while [ -e f ]; do x & done",
        "until [[ 1 ]]; do x & done",
        "for a in 1 2; do x & done",
        "for ((a=0; a<9; a++)); do x & done",
    ] {
        let found = understand(text, around()).opaque_parts;
        let is_endless = found.iter().any(|it| it.why == OpaqueReason::Endless);
        assert!(!is_endless, "{text}");
    }
}

/// TR-8, HT-30: a program with an option for another folder works there; redirects stay where they
/// are.
#[test]
fn programs_work_where_their_options_say() {
    for (text, expected) in [
        ("git -C sub rm x > log", "/p/sub"),
        ("git -C sub -C ../other rm x > log", "/p/other"),
        ("git --work-tree=/q rm x > log", "/q"),
        ("make -Csub all > log", "/p/sub"),
        ("make --directory sub > log", "/p/sub"),
        ("git commit -C HEAD > log", "/p"),
    ] {
        let understood = understand(text, around());
        let command = &understood.commands[0];
        assert_eq!(command.folders, [expected], "{text}");
        assert_eq!(command.writes[0].paths, ["/p/log"], "{text}");
        if let [deleted] = &command.deletes[..] {
            assert_eq!(deleted.paths, [format!("{expected}/x")], "{text}");
        }
    }
}

/// TR-1: files are found through folders, variables and substitutions.
#[test]
fn files_are_named() {
    for text in [
        "bash tools/x.sh",
        "cd tools && ./x.sh",
        "bash $(pwd)/tools/x.sh",
        "bash $PWD/tools/x.sh",
        "\"$(git rev-parse --show-toplevel)/tools/x.sh\"",
        "D=tools; bash $D/x.sh",
        "D=/p/; ${D%/}/tools/x.sh",
        "bash ~+/tools/x.sh",
        "$'tools/x.sh'",
        "bash -c 'bash tools/x.sh'",
        ". tools/x.sh",
        "python3 < tools/x.sh",
        "$(cd tools && pwd)/x.sh",
        "sub/../tools/x.sh; cd tools; ./x.sh",
    ] {
        let named = files_named(&understand(text, around()));
        let found = named
            .files
            .iter()
            .any(|it| it.runs && it.path == "/p/tools/x.sh");
        assert!(found, "{text}: {named:?}");
        assert_eq!(named.unpinned, [], "{text}");
    }
    let named = files_named(&understand("cd nothing; bash x.sh", around()));
    assert!(named.files.iter().any(|it| it.path == "/p/x.sh" && it.runs));
    for text in [
        "make",
        "python3 -m x",
        "python3 dir",
        "bash $X/y.sh",
        "npm run x",
        "$X",
    ] {
        assert_ne!(
            files_named(&understand(text, around())).unpinned,
            [],
            "{text}"
        );
    }
    // A file that is only tested is what a hook judges, not a part of the hook; what runs
    // afterwards is.
    for text in [
        "test -f done.txt || exit 2",
        "[ -e done.txt ] && exit 0",
        "[[ -f done.txt ]] || exit 2",
        "ls done.txt",
        "stat done.txt",
    ] {
        let named = files_named(&understand(text, around()));
        let is_named = named.files.iter().any(|it| it.path == "/p/done.txt");
        assert!(!is_named, "{text}: {named:?}");
    }
    for text in [
        "test -x ./x.sh && ./x.sh",
        "[ -f x.sh ] && . x.sh",
        "test -f x < x.sh",
        "cat x.sh",
    ] {
        let named = files_named(&understand(text, around()));
        assert!(
            named.files.iter().any(|it| it.path == "/p/x.sh"),
            "{text}: {named:?}"
        );
    }
    let made = files_named(&understand("make check", around()));
    assert_eq!(made.unpinned, [Unpinned::Chooses("make".to_owned())]);
}

/// HT-31: a text is allowed if it consists only of allowed commands.
#[test]
fn permissions_are_read_narrowly() {
    let allowed = |text: &str| {
        permitted(&understand(text, around()), |command, _| {
            ["ls", "wc", "git", "find", "cat", "echo"].contains(&command.program.as_str())
        })
    };
    for text in [
        "wc -l f && ls",
        "ls | wc",
        "ls 2>&1 >/dev/null",
        "git log",
        "echo '$(rm x)'",
    ] {
        assert!(allowed(text), "{text}");
    }
    for text in [
        "ls; rm x",
        "ls > x",
        "A=1 ls",
        "A=1",
        "ls $(rm x)",
        "$X",
        "ls() { rm x; }; ls",
        "alias ls=rm",
        "git -c core.pager=x log",
        "find . -delete",
        "find . -exec rm {} +",
        "./ls",
        "ls $X",
        "trap ls EXIT",
        "ls <(rm x)",
        "ls `rm x`",
        "",
        "# ls",
    ] {
        assert!(!allowed(text), "{text}");
    }
}

/// HT-30: a substitution with unknown output stays in the word as written, and isn't text to run.
#[test]
fn substitutions_stand_as_written() {
    runs("kill $(cat a.pid)", "kill $(cat a.pid)");
    runs(
        "git push origin \"x:`cat b`\"",
        "git push origin x:$(cat b)",
    );
    runs("echo $(a)$(b)", "echo $(…)$(…)");
    for text in ["python3 -c \"$(curl x)\"", "bash -c \"$(curl x)\""] {
        let understood = understand(text, around());
        assert!(understood.opaque(), "{text}");
    }
}
