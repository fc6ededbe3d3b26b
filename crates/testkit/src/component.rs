//! WebAssembly components that behave as told: hooks of `type: "plugin"`, without a compiler.

use serde_json::Value;

/// How a component begins and ends; what it does is in between.
const WORLD: &str = r#"(component
  (import "log" (func $log (param "level" string) (param "text" string)))
  @IMPORTS@
  (type $shape (variant (case "none") (case "reply" string) (case "refuse" string)))
  (export $reply "reply" (type $shape))
  (core module $base
    (memory (export "memory") @PAGES@)
    (global $next (mut i32) (i32.const 131072))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      (local $at i32)
      (local.set $at (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
      (global.set $next (i32.add (local.get $at) (local.get 3)))
      (loop $more
        (if (i32.gt_u (global.get $next) (i32.mul (memory.size) (i32.const 65536)))
          (then
            (if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (then unreachable))
            (br $more))))
      (local.get $at))
    (func (export "free") (param i32) (global.set $next (i32.const 131072))))
  (core instance $base (instantiate $base))
  (core func $log (canon lower (func $log) (memory $base "memory") (realloc (func $base "realloc"))))
  @LOWERED@
  (core module $main
    (import "host" "memory" (memory 1))
    (import "host" "log" (func $log (param i32 i32 i32 i32)))
    @CORE_IMPORTS@
    (global $runs (mut i32) (i32.const 0))
    (data (i32.const 1024) "@DATA@")
    (func $says (param $kind i32) (param $length i32) (result i32)
      (i32.store (i32.const 512) (local.get $kind))
      (i32.store (i32.const 516) (i32.const 1024))
      (i32.store (i32.const 520) (local.get $length))
      (i32.const 512))
    (func $begin @START@)
    (start $begin)
    (func (export "handle") (param $payload i32) (param $size i32) (result i32)
      @LOCALS@
      (global.set $runs (i32.add (global.get $runs) (i32.const 1)))
      @BODY@))
  (core instance $main (instantiate $main (with "host" (instance
    (export "memory" (memory $base "memory"))
    (export "log" (func $log))
    @HANDED@))))
  (func (export "handle") (param "payload" string) (result $reply)
    (canon lift (core func $main "handle") (memory $base "memory") (realloc (func $base "realloc"))
      (post-return (func $base "free")))))
"#;

/// A component that doesn't end by itself, logs, or takes memory until it is stopped.
const FLOODS: &str = "(loop $on (call $log (i32.const 1024) (i32.const 4) (i32.const 1024) (i32.const @LENGTH@)) (br $on))";
/// Looks at each byte of its payload, as one does that parses it.
const READS: &str = "(loop $on
    (local.set $sum (i32.add (i32.mul (local.get $sum) (i32.const 31))
      (i32.load8_u (i32.add (local.get $payload) (local.get $at)))))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (br_if $on (i32.lt_u (local.get $at) (local.get $size))))
  (i32.store (i32.const 700) (local.get $sum))
  (call $says (i32.const 1) (i32.const @LENGTH@))";
const GROWS: &str =
    "(loop $on (br_if $on (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) unreachable";

/// Returns a component that does as told:
///
/// - `"none"`, `{"reply": value}`, `{"refuse": text}`: it answers; `{"says": text}`: a reply of any
///   text
/// - `{"log": text, "refuse": text}`: it also logs something
/// - `"trap"`, `"loop"`, `"loop_at_start"`, `"flood"`, `"grow"`, `"large"` (more memory than there
///   is, at its start), `"huge"` (a reply of many MiB), `"no_text"` and `"refuses_no_text"` (an
///   answer that isn't UTF-8), `"logs_no_text"` (it logs what isn't, and refuses), `"astray"` (a
///   reply that is nowhere): it misbehaves
/// - `"reads"`: it looks at each byte of its payload, and answers
/// - `"counts"`: a reply whose `systemMessage` is the digit of how often this instance ran
/// - `"refuses_once"`: it refuses, and traps ever after in this instance
/// - `"environment"`, `"folders"`: a reply whose `systemMessage` is the digit of how many variables
///   it sees, or how many folders
/// - `"sleep"`: it waits for an hour by a clock of WASI
/// - `"core"`, `"other_world"`, `"other_import"`: it isn't what a hook must be
pub fn component(does: &Value) -> Vec<u8> {
    wat::parse_str(text_of(does)).expect("a component is written as the text form wants it")
}

/// What fills the reserved places.
#[derive(Default)]
struct Parts {
    imports: &'static str,
    lowered: &'static str,
    core_imports: &'static str,
    handed: &'static str,
    pages: Option<&'static str>,
    start: &'static str,
    body: String,
    data: String,
}

fn text_of(does: &Value) -> String {
    match does.as_str() {
        Some("core") => return "(module)".to_owned(),
        Some("other_world") => return OTHER_WORLD.to_owned(),
        _ => {}
    }
    let parts = parts(does);
    let length = parts.data.len().to_string();
    WORLD
        .replace("@IMPORTS@", parts.imports)
        .replace("@LOWERED@", parts.lowered)
        .replace("@CORE_IMPORTS@", parts.core_imports)
        .replace("@HANDED@", parts.handed)
        .replace("@PAGES@", parts.pages.unwrap_or("16"))
        .replace("@START@", parts.start)
        .replace("@LOCALS@", "(local $at i32) (local $sum i32)")
        .replace("@BODY@", &parts.body)
        .replace("@LENGTH@", &length)
        .replace("@DATA@", &escaped(&parts.data))
}

fn parts(does: &Value) -> Parts {
    let of = |body: &str| Parts {
        body: body.to_owned(),
        ..Parts::default()
    };
    let digit = |parts: Parts, count: &str| Parts {
        data: r#"{"systemMessage":"0"}"#.to_owned(),
        // The digit is the nineteenth byte.
        body: format!(
            "(i32.store8 (i32.const 1042) (i32.add (i32.const 48) {count})) (call $says (i32.const 1) (i32.const @LENGTH@))"
        ),
        ..parts
    };
    match does.as_str() {
        Some("none") => of("(call $says (i32.const 0) (i32.const 0))"),
        Some("trap") => of("unreachable"),
        Some("loop") => of("(loop $on (br $on)) unreachable"),
        Some("loop_at_start") => Parts {
            start: "(loop $on (br $on))",
            ..of("unreachable")
        },
        Some("flood") => Parts {
            data: "warning: ".repeat(500),
            ..of(&format!("{FLOODS} unreachable"))
        },
        Some("grow") => of(GROWS),
        Some("large") => Parts {
            pages: Some("2000"),
            ..of("unreachable")
        },
        Some("huge") => Parts {
            pages: Some("512"),
            data: "{".to_owned(),
            ..of(
                "(memory.fill (i32.const 1025) (i32.const 32) (i32.const 33000000)) (i32.store8 (i32.const 33000000) (i32.const 125)) (call $says (i32.const 1) (i32.const 32998977))",
            )
        },
        Some("no_text") => of(
            "(i32.store (i32.const 1024) (i32.const -1)) (call $says (i32.const 1) (i32.const 4))",
        ),
        Some("refuses_no_text") => of(
            "(i32.store (i32.const 1024) (i32.const -1)) (call $says (i32.const 2) (i32.const 4))",
        ),
        Some("logs_no_text") => of(
            "(i32.store (i32.const 1000) (i32.const -1)) (call $log (i32.const 1000) (i32.const 4) (i32.const 1000) (i32.const 4)) (call $says (i32.const 2) (i32.const 0))",
        ),
        Some("astray") => of("(call $says (i32.const 1) (i32.const -16))"),
        Some("reads") => Parts {
            data: r#"{"systemMessage":"read"}"#.to_owned(),
            ..of(READS)
        },
        Some("counts") => digit(Parts::default(), "(global.get $runs)"),
        Some("refuses_once") => Parts {
            data: "no".to_owned(),
            ..of(
                "(if (i32.gt_u (global.get $runs) (i32.const 1)) (then unreachable)) (call $says (i32.const 2) (i32.const @LENGTH@))",
            )
        },
        Some("environment") => digit(
            environment(),
            "(block (result i32) (call $listed (i32.const 600)) (i32.load (i32.const 604)))",
        ),
        Some("folders") => digit(
            folders(),
            "(block (result i32) (call $listed (i32.const 600)) (i32.load (i32.const 604)))",
        ),
        Some("sleep") => Parts {
            body: "(call $wait (call $sleep (i64.const 3600000000000))) unreachable".to_owned(),
            ..sleep()
        },
        Some("other_import") => Parts {
            imports: r#"(import "wasi:http/handler@0.2.0" (instance (export "x" (func))))"#,
            ..of("unreachable")
        },
        Some(other) => panic!("no component is known that does {other:?}"),
        None => answering(does),
    }
}

fn answering(does: &Value) -> Parts {
    let (kind, text) = match (does.get("refuse"), does.get("reply"), does.get("says")) {
        (Some(reason), _, _) => (2, reason.as_str().unwrap_or_default().to_owned()),
        (None, Some(reply), _) => (1, reply.to_string()),
        (None, None, Some(text)) => (1, text.as_str().unwrap_or_default().to_owned()),
        (None, None, None) => panic!("a component is told to do what it can't: {does}"),
    };
    let log = does.get("log").and_then(Value::as_str).unwrap_or_default();
    let call = format!("(call $says (i32.const {kind}) (i32.const {}))", text.len());
    let logs = format!(
        "(call $log (i32.const {at}) (i32.const 4) (i32.const {beyond}) (i32.const {length})) ",
        at = 1024 + text.len(),
        beyond = 1024 + text.len() + 4,
        length = log.len(),
    );
    Parts {
        body: if log.is_empty() { call } else { logs + &call },
        data: format!("{text}info{log}"),
        ..Parts::default()
    }
}

/// A component that exports something else.
const OTHER_WORLD: &str = r#"(component
  (core module $main (func (export "handle") (result i32) (i32.const 7)))
  (core instance $main (instantiate $main))
  (func (export "handle") (result u32) (canon lift (core func $main "handle"))))
"#;

fn environment() -> Parts {
    Parts {
        imports: r#"(import "wasi:cli/environment@0.2.0" (instance $list
        (export "get-environment" (func (result (list (tuple string string)))))))
      (alias export $list "get-environment" (func $listed))"#,
        lowered: LOWERED,
        core_imports: r#"(import "host" "listed" (func $listed (param i32)))"#,
        handed: r#"(export "listed" (func $listed))"#,
        ..Parts::default()
    }
}

const LOWERED: &str = r#"(core func $listed (canon lower (func $listed) (memory $base "memory")
        (realloc (func $base "realloc"))))"#;

fn folders() -> Parts {
    Parts {
        imports: r#"(import "wasi:filesystem/types@0.2.0" (instance $types (export "descriptor" (type (sub resource)))))
      (alias export $types "descriptor" (type $descriptor))
      (import "wasi:filesystem/preopens@0.2.0" (instance $list
        (export "descriptor" (type $own (eq $descriptor)))
        (export "get-directories" (func (result (list (tuple (own $own) string)))))))
      (alias export $list "get-directories" (func $listed))"#,
        lowered: LOWERED,
        ..environment()
    }
}

fn sleep() -> Parts {
    Parts {
        imports: r#"(import "wasi:io/poll@0.2.0" (instance $poll
        (export "pollable" (type $pollable (sub resource)))
        (export "[method]pollable.block" (func (param "self" (borrow $pollable))))))
      (alias export $poll "pollable" (type $pollable))
      (alias export $poll "[method]pollable.block" (func $wait))
      (import "wasi:clocks/monotonic-clock@0.2.0" (instance $clock
        (export "pollable" (type $own (eq $pollable)))
        (export "subscribe-duration" (func (param "when" u64) (result (own $own))))))
      (alias export $clock "subscribe-duration" (func $sleep))"#,
        lowered: "(core func $sleep (canon lower (func $sleep))) (core func $wait (canon lower (func $wait)))",
        core_imports: r#"(import "host" "sleep" (func $sleep (param i64) (result i32)))
      (import "host" "wait" (func $wait (param i32)))"#,
        handed: r#"(export "sleep" (func $sleep)) (export "wait" (func $wait))"#,
        ..environment()
    }
}

/// Writes bytes as the text form wants them.
fn escaped(text: &str) -> String {
    use std::fmt::Write as _;
    text.bytes().fold(String::new(), |mut escaped, byte| {
        // Writing to a string doesn't fail.
        let _ = write!(escaped, "\\{byte:02x}");
        escaped
    })
}
