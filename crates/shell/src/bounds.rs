//! Work and depth are bounded for every text, whatever it contains.

use crate::budget::MAX_WORK;
use crate::walk::walk_text;
use crate::{OpaqueReason, Surroundings, files_named, lost_statuses, understand};

fn around() -> Surroundings<'static> {
    Surroundings {
        folder: Some("/p"),
        home: Some("/home/u"),
        repository: Some("/p"),
        ..Surroundings::default()
    }
}

/// A single step may cost as much as the whole text contains, plus what is left of each open one.
const LAST_STEPS: usize = 4_000_000;

/// Walks a text on a stack of a thread's usual size; returns whether all of it was understood.
#[track_caller]
fn ends(text: String) -> bool {
    let shown: String = text.chars().take(40).collect();
    let walk = move || {
        let walker = walk_text(&text, around());
        lost_statuses(&text);
        files_named(&understand(&text, around()));
        (walker.work, walker.found.opaque())
    };
    let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let (work, is_opaque) = thread.spawn(walk).unwrap().join().unwrap();
    assert!(work <= MAX_WORK + LAST_STEPS, "{shown}: {work}");
    !is_opaque
}

#[track_caller]
fn is_blind(text: String) {
    let shown: String = text.chars().take(60).collect();
    assert!(!ends(text), "{shown}");
}

fn nested(count: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(count), close.repeat(count))
}

/// Functions or aliases, each of which uses the one before it three times.
fn chained(count: usize, define: impl Fn(usize, usize) -> String, first: &str) -> String {
    let others: Vec<String> = (1..count).map(|it| define(it, it - 1)).collect();
    format!("{first}\n{}\na{}", others.join("\n"), count - 1)
}

/// HT-30: programs that start programs are followed to a certain depth, and what is beyond it
/// doesn't count as harmless.
#[test]
fn repeated_wrappers_end_and_are_blind() {
    for wrapper in [
        "sudo ",
        "doas ",
        "env ",
        "env A=1 ",
        "nohup ",
        "nice -n 5 ",
        "timeout 5 ",
        "xargs ",
        "npx ",
        "bunx ",
        "uvx ",
        "command ",
        "builtin ",
        "exec ",
        "busybox ",
        "strace ",
        "setsid ",
        "time ",
        "stdbuf -o0 ",
        "find . -exec ",
        "fd x -x ",
        "docker exec a ",
        "docker run a ",
        "kubectl exec a -- ",
        "flock a ",
        "uv run ",
        "npm exec -- ",
        "bundle exec ",
        "chroot / ",
        "cmake -E ",
        "git bisect run ",
        "runuser -u a -- ",
        "direnv exec . ",
        "eval ",
        "env -S ",
        "/lib/ld-linux.so ",
    ] {
        is_blind(format!("{}rm -rf /", wrapper.repeat(1_500)));
    }
    // These pass a text on, or treat the rest as their own arguments.
    for wrapper in [
        "ssh a ",
        "watch ",
        "parallel ",
        "git -C a ",
        "bash -c ",
        "su -c ",
        "cmd /c ",
        "adb shell ",
        "trap ",
        "source ",
        "nix-shell --run ",
        "hyperfine ",
    ] {
        ends(format!("{}rm -rf /", wrapper.repeat(1_500)));
    }
}

/// HT-30: loops multiply their content, and what follows them isn't ignored.
#[test]
fn nested_loops_end_and_are_blind() {
    for open in [
        "for i in a b c d e f g h; do ",
        "for i in a b c; do ",
        "for i in *; do ",
        "select i in a b; do ",
        "while ((x++)); do ",
        "until ((x++)); do x=$x$x; ",
        "for ((i=0;i<3;i++)); do ",
    ] {
        for inner in ["((x))", "rm x", ":", "x=1", "f() { :; }"] {
            let text = nested(40, open, inner, "; done");
            is_blind(format!("{text}; rm -rf /"));
        }
    }
    for depth in [11, 12, 20] {
        let text = nested(depth, "for i in a b c d e f g h; do ", "((x))", "; done");
        is_blind(format!("{text}; rm -rf /"));
    }
}

/// HT-30: so do functions and aliases that use each other, and values that grow.
#[test]
fn what_multiplies_ends_and_is_blind() {
    is_blind(chained(
        20,
        |a, b| format!("a{a}() {{ a{b}; a{b}; a{b}; }}"),
        "a0() { ((x)); }",
    ));
    is_blind(chained(
        20,
        |a, b| format!("alias a{a}='a{b}; a{b}; a{b}'"),
        "alias a0=rm",
    ));
    is_blind("f() { g; g; }; g() { h; h; }; h() { f; f; }; f".to_owned());
    is_blind("f() { f \"$@\" \"$@\"; }; f a b".to_owned());
    for (first, again) in [
        ("a=(x x)", "a=(${a[@]} ${a[@]}); "),
        ("set -- a", "set -- \"$@\" \"$@\"; "),
        ("echo x > f", "cat f f > g; cat g g > f; "),
        ("a=xx", "a=$a$a; "),
        ("a=xx", "a=$(echo $a $a); "),
    ] {
        ends(format!("{first}; {}sh f; \"$a\" \"$@\"", again.repeat(200)));
    }
    ends(format!("echo {}", "{1..1000} ".repeat(5_000)));
    ends(format!("echo {}", "{a,b}".repeat(40)));
    ends(format!(
        "a={}; echo ${{a%%{}b}}",
        "a".repeat(100_000),
        "*a".repeat(30)
    ));
}

/// HT-30: the grammar and the walk only descend so deep that every thread's stack suffices.
#[test]
fn deep_texts_end() {
    for (open, close) in [
        ("$(", ")"),
        ("(", ")"),
        ("{ ", "; }"),
        ("\"$(", ")\""),
        ("${a:-", "}"),
        ("\"${a:-", "}\""),
        ("if a; then ", "; fi"),
        ("if a; then b; else ", "; fi"),
        ("while a; do ", "; done"),
        ("case x in x) ", ";; esac"),
        ("a&&if ", "; then b; fi"),
        ("a|while ", "; do b; done"),
        ("! ", ""),
        ("time ", ""),
        ("coproc ", ""),
        ("f() ", ""),
        ("function f ", ""),
        ("`", ""),
        ("a[", "]"),
        ("{a,", "}"),
        ("@(a|", ")"),
        ("<(", ")"),
        ("[[ ! ", " ]]"),
        ("eval '", "'"),
        ("$((", "))"),
        ("a=(", ")"),
    ] {
        for count in [20, 59, 239, 3_000, 15_000] {
            ends(nested(count, open, "x", close));
            ends(nested(count, open, "rm -rf /", ""));
            ends(format!("echo {}", nested(count, open, "x", close)));
        }
    }
    for sign in [
        "1+", "-", "!", "~", "a=", "2**", "1?1:", "1,", "++", "a[", "(", "1<<", "1&&",
    ] {
        for count in [30, 300, 3_000, 20_000] {
            ends(format!("echo $(({}1))", sign.repeat(count)));
            ends(format!("(({}1))", sign.repeat(count)));
            ends(format!("for (({}1;;)); do x; done", sign.repeat(count)));
        }
    }
    // A variable's value is a separate text.
    let inner = nested(58, "${x:-", "$(eval \"$a\")", "}");
    ends(format!("a='echo {inner}'; eval \"$a\""));
}

/// HT-30: examining long texts of many parts ends.
#[test]
fn long_texts_end() {
    for part in [
        "a; ",
        "a && ",
        "a || ",
        "a | ",
        "a & ",
        "a\n",
        "a=1; ",
        "a=1 ",
        "((a=1)); ",
        "cd a; ",
        "pushd a; ",
        "cat <<E\n$a\nE\n",
        "echo $(x); ",
        "x <(y); ",
        "trap x EXIT; ",
        "a=(x); ",
        "f() { :; }; ",
        "if a; then b; fi; ",
        "x >a >b <c; ",
        "sh | ",
        "export A=1; ",
        "alias a=b; ",
        "[[ a && b ]]; ",
    ] {
        for count in [5_000, 20_000] {
            ends(format!("{}x", part.repeat(count)));
            ends(format!("f() {{ {}x; }}; f", part.repeat(count)));
        }
    }
    for part in [
        ">a ",
        "<<<a ",
        "-a ",
        "'a' ",
        "$a ",
        "${a:-b} ",
        "$((1+1)) ",
        "~:",
        "[",
        "\\\"",
        "a && ",
    ] {
        ends(format!("x {}", part.repeat(20_000)));
        ends(format!("[[ x {} ]]", part.repeat(20_000)));
    }
}

/// HT-30: what is copied within what was copied is followed to a certain number of files, and
/// beyond that nobody knows what is in them.
#[test]
fn files_that_are_copied_again_and_again_end() {
    for copy in [
        "cp -r a a/{}",
        "mv -t a a",
        "rsync -a a/ a/{}",
        "ln -s a a/{}",
    ] {
        let copies: Vec<String> = (0..300)
            .map(|it| copy.replace("{}", &it.to_string()))
            .collect();
        for first in ["echo x > a/f", "curl -s u | tar x -C a", "mkfifo a/p"] {
            ends(format!("{first}; {}; sh a/f", copies.join("; ")));
        }
    }
    let many: Vec<String> = (0..20_000).map(|it| format!("a/{it}")).collect();
    ends(format!(
        "touch {0}; cp {0} b; cp -t b {0}; tar xf {0}",
        many.join(" ")
    ));
    let written: Vec<String> = (0..700).map(|it| format!("echo x > a/{it}")).collect();
    ends(format!(
        "{}; cp -r a b; cp -r a c; cp -r a d; cp {1} e; pytest {1}; sh e/*",
        written.join("; "),
        many.join(" ")
    ));
    // A file that was fetched stays unseen, however many are copied.
    let copies: Vec<String> = (0..20).map(|it| format!("cp -r a a/{it}")).collect();
    is_blind(format!("curl u -o a/f; {}; sh a/19/f", copies.join("; ")));
}

/// HT-30: what people write is understood completely, even on one line.
#[test]
fn what_people_write_is_seen_through() {
    let line: Vec<String> = (0..200).map(|it| format!("echo {it}")).collect();
    for sign in ["; ", "\n"] {
        let text = format!("{}{sign}rm x", line.join(sign));
        let understood = understand(&text, around());
        assert!(!understood.opaque(), "{sign:?}");
        assert_eq!(understood.commands.len(), 201);
        assert_eq!(understood.commands[200].line(), "rm x");
    }
    for text in [
        "sudo -u a env A=1 nice -n 5 timeout 5 nohup xargs rm",
        "for i in a b c d; do for j in a b c d; do for k in a b c; do rm $i$j$k; done; done; done",
        "if a; then while b; do case $c in d) (e; { f; }) ;; esac; done; fi",
        "echo ${a:-${b:-${c:-${d:-e}}}}",
        "a=$(($b + 2 * (3 - 1) % 4)); (( a += 1, b-- ))",
        "mkdir -p src/{a,b,c}/{1..20}; touch f{1..100}",
        "a & b & c && d & wait",
    ] {
        let understood = understand(text, around());
        let too_deep = understood
            .opaque_parts
            .iter()
            .any(|it| it.why == OpaqueReason::TooDeep);
        assert!(understood.parsed && !too_deep, "{text}");
    }
}
