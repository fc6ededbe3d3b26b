use super::for_posix;
use super::powershell::for_powershell;

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
    assert_rewritten("$GEMINI_CWDS '$GEMINI_CWD'", "$GEMINI_CWDS '$GEMINI_CWD'");
}

/// ENV-2: the names as PowerShell spells them.
#[test]
fn powershell_reads_the_environment() {
    assert_eq!(
        for_powershell("& $GEMINI_CWD/x \"${GEMINI_CWD}\" '$GEMINI_CWD' `$GEMINI_CWD $GEMINI_CWDS"),
        "& ${env:GEMINI_CWD}/x \"${env:GEMINI_CWD}\" '$GEMINI_CWD' `$GEMINI_CWD $GEMINI_CWDS",
    );
}
