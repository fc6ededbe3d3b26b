use super::{misplaced, quote_references, reference};

const NAMES: [&str; 5] = [
    "GEMINI_PROJECT_DIR",
    "GEMINI_CWD",
    "GEMINI_SESSION_ID",
    "CLAUDE_PROJECT_DIR",
    "GEMINI_PLANS_DIR",
];

fn for_posix(command: &str) -> std::borrow::Cow<'_, str> {
    quote_references(command, &NAMES)
}

fn assert_rewritten(command: &str, expected: &str) {
    assert_eq!(for_posix(command), expected, "{command}");
}

/// ENV-2: outside of quotes a reference becomes one word; both spellings, all names.
#[test]
fn unquoted_references_are_quoted() {
    assert_rewritten("$GEMINI_PROJECT_DIR/x", "\"${GEMINI_PROJECT_DIR}\"/x");
    assert_rewritten("cat ${GEMINI_CWD}/x", "cat \"${GEMINI_CWD}\"/x");
    assert_rewritten("a=$CLAUDE_PROJECT_DIR", "a=\"${CLAUDE_PROJECT_DIR}\"");
    assert_rewritten("x $GEMINI_SESSION_ID;", "x \"${GEMINI_SESSION_ID}\";");
    assert_rewritten("x$GEMINI_PLANS_DIR", "x\"${GEMINI_PLANS_DIR}\"");
}

/// ENV-2: other variables, escapes and expansions with an operator stay untouched.
#[test]
fn other_references_stay() {
    for command in [
        "$GEMINI_CWD_EXTRA $GEMINI_CWDS ${GEMINI_CWD_EXTRA}",
        r"echo \$GEMINI_CWD",
        "echo ${GEMINI_CWD:-x} ${#GEMINI_CWD}",
        "echo $$GEMINI_CWD",
        "echo '$GEMINI_CWD'",
        r"echo $'a\'$GEMINI_CWD'",
        "echo \"$GEMINI_CWD\" # it's $GEMINI_CWD",
        "cat <<END\n\"$GEMINI_CWD\"\nEND\n",
        "cat <<-'END' | wc\n\t$GEMINI_CWD\n\tEND",
        "echo $((1 + $GEMINI_CWD))",
        "echo \"${OTHER:-$GEMINI_CWD}\"",
    ] {
        assert_rewritten(command, command);
    }
}

/// ENV-2: quotes nest through command substitutions.
#[test]
fn nested_quotes_are_followed() {
    assert_rewritten(
        "echo \"$(cat $GEMINI_CWD/x \"$GEMINI_CWD\")\" $GEMINI_CWD",
        "echo \"$(cat \"${GEMINI_CWD}\"/x \"$GEMINI_CWD\")\" \"${GEMINI_CWD}\"",
    );
    assert_rewritten(
        "echo \"`cat $GEMINI_CWD`\"",
        "echo \"`cat \"${GEMINI_CWD}\"`\"",
    );
    assert_rewritten("(cd $GEMINI_CWD) # '", "(cd \"${GEMINI_CWD}\") # '");
    assert_rewritten("echo a#$GEMINI_CWD", "echo a#\"${GEMINI_CWD}\"");
    assert_rewritten("echo ${X:-$GEMINI_CWD}", "echo ${X:-\"${GEMINI_CWD}\"}");
    assert_rewritten(
        "echo $((ls); ls $GEMINI_CWD)",
        "echo $((ls); ls \"${GEMINI_CWD}\")",
    );
    assert_rewritten(
        "cat <<END; ls $GEMINI_CWD\nit's\nEND\nls $GEMINI_CWD",
        "cat <<END; ls \"${GEMINI_CWD}\"\nit's\nEND\nls \"${GEMINI_CWD}\"",
    );
    assert_rewritten("cat <<< $GEMINI_CWD", "cat <<< \"${GEMINI_CWD}\"");
}

/// ENV-2: a command whose quoting can't be followed stays as it is.
#[test]
fn unclear_commands_stay() {
    for command in [
        "echo $GEMINI_CWD 'open",
        "echo $GEMINI_CWD \"open",
        "echo $GEMINI_CWD $(open",
        "echo \"$(case x in x) echo \"$GEMINI_CWD\";; esac)\"",
    ] {
        assert_rewritten(command, command);
    }
}

/// ENV-2: only whole names count.
#[test]
fn references_end_with_the_name() {
    assert_eq!(reference("$GEMINI_CWD/x", &NAMES), Some(("GEMINI_CWD", 11)));
    assert_eq!(
        reference("${GEMINI_CWD}x", &NAMES),
        Some(("GEMINI_CWD", 13))
    );
    assert_eq!(reference("${GEMINI_CWD-x}", &NAMES), None);
    assert_eq!(reference("$GEMINI_CWDx", &NAMES), None);
    assert_eq!(reference("GEMINI_CWD", &NAMES), None);
}

/// TU-5: a mark stands for a word if quotes have the same meaning as at the top of a command; the
/// first one that doesn't is found.
#[test]
fn misplaced_marks_are_found() {
    for fine in [
        "ls",
        "echo {{a}}",
        "{{a}}; x={{a}} y > {{a}}/b <<< {{a}}",
        "grep -e {{a}} \"$(ls {{a}} 'b')\" | (wc {{a}})",
        "cat <<END {{a}}\n$x\nEND\necho {{a}}",
        "echo pre{{a}}post # it's fine",
        "echo WORD WORD_ {{a}}",
    ] {
        assert_eq!(misplaced(fine, "{{a}}"), None, "{fine}");
    }
    for (command, at) in [
        ("echo \"{{a}}\"", 6),
        ("echo '{{a}}'", 6),
        ("echo $'{{a}}'", 7),
        ("echo $\"{{a}}\"", 7),
        ("echo \"it {{a}} is\"", 9),
        ("echo {{a}} '{{a}}'", 12),
        ("echo \\{{a}}", 6),
        ("echo ${{a}}", 6),
        ("echo `ls {{a}}`", 9),
        ("echo ${x:-{{a}}}", 10),
        ("echo \"${x:-{{a}}}\"", 11),
        ("echo $(({{a}} + 1))", 8),
        ("((x = {{a}}))", 6),
        ("x[{{a}}]=1", 2),
        ("ls # {{a}}", 5),
        ("cat <<END\n{{a}}\nEND", 10),
        ("cat <<'END'\n{{a}}\nEND", 12),
        ("cat <<{{a}}", 6),
        ("echo {{a}} \"open", 5),
        ("echo \"$(case x in x) echo \"{{a}}\";; esac)\"", 27),
    ] {
        assert_eq!(misplaced(command, "{{a}}"), Some(at), "{command}");
    }
}

#[cfg(unix)]
mod laws {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::process::Command;

    use proptest::prelude::*;

    use super::{for_posix, misplaced};

    /// Runs a rewritten command as the executor does, with the value in the environment.
    fn printed(shell: &str, command: &str, value: &[u8]) -> Vec<u8> {
        Command::new(shell)
            .arg("-c")
            .arg(&*for_posix(command))
            .env("GEMINI_PROJECT_DIR", OsStr::from_bytes(value))
            .output()
            .unwrap()
            .stdout
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

        /// ENV-2: whatever the path contains, the hook gets it complete, quoted or not.
        #[test]
        fn any_path_is_one_word(value in "[a-zA-Z0-9 '\"$`\\\\\n\t*?~#&;|(){}!é]{0,24}") {
            let expected = format!("{value}/x").into_bytes();
            for command in [
                "printf %s $GEMINI_PROJECT_DIR/x",
                "printf %s ${GEMINI_PROJECT_DIR}/x",
                "printf %s \"$GEMINI_PROJECT_DIR/x\"",
                "printf %s \"${GEMINI_PROJECT_DIR}\"/x",
                "true 'it' $(true) && printf %s $GEMINI_PROJECT_DIR/x # '",
                "printf %s \"$(printf %s $GEMINI_PROJECT_DIR/x)\"",
                "printf %s \"`printf %s $GEMINI_PROJECT_DIR/x`\"",
                "printf %s \"$(printf %s \"$GEMINI_PROJECT_DIR/x\")\"",
            ] {
                for shell in ["bash", "sh"] {
                    let printed = printed(shell, command, value.as_bytes());
                    prop_assert_eq!(&printed, &expected, "{}: {}", shell, command);
                }
            }
        }

        /// TU-5: if no mark is misplaced, whatever replaces a mark is one word in every shell.
        #[test]
        fn words_in_place_of_marks_stay_words(
            value in "[a-zA-Z0-9 '\"$`\\\\\n\t*?~#&;|(){}!\\[\\]é]{0,16}",
            pieces in prop::collection::vec(prop::sample::select(vec![
                "\"", "'", "$", "$'", "\\", "`", "$(printf %s ", ")", "${x:-", "}", "{{a}}", "a", " ",
                "\n", "#", "((", "))", "<<a", "case a in a) ", " esac", "[", "]", ";;",
            ]), 0..8),
        ) {
            let around = pieces.concat();
            let command = format!("IFS=; set -f; printf '<%s>' {around} {{{{a}}}} 2>&1");
            if misplaced(&command, "{{a}}").is_none() {
                let run = |word: &str| {
                    let command = command.replace("{{a}}", &crate::quote(word));
                    let output = Command::new("sh").arg("-c").arg(&command).output().unwrap();
                    let output = String::from_utf8_lossy(&output.stdout).into_owned();
                    (output.matches(word).count(), command)
                };
                // Whatever the command does with a word, it does with this one.
                let (plain, _) = run("qzq");
                let (other, command) = run(&format!("qz{value}q"));
                prop_assert_eq!(plain, other, "{}", command);
            }
        }

        /// ENV-2: commands without our names stay unchanged; none causes a panic.
        #[test]
        fn other_text_is_untouched(command in "[a-z$(){}'\"`\\\\<# \né-]{0,40}") {
            prop_assert_eq!(for_posix(&command), command.as_str());
            let with = format!("{command}$GEMINI_CWD{command}");
            let rewritten = for_posix(&with).into_owned();
            prop_assert_eq!(rewritten.replace("\"${GEMINI_CWD}\"", "$GEMINI_CWD"), with);
        }
    }
}
