//! The configuration of a server in the settings.

use std::sync::Arc;

use serde_json::json;

use super::*;

fn read_value(configuration: Value) -> (Result<Configuration, String>, Vec<String>) {
    read_from(configuration, None)
}

fn read_from(
    configuration: Value,
    extension: Option<&str>,
) -> (Result<Configuration, String>, Vec<String>) {
    let server = McpServer {
        name: "srv".to_owned(),
        configuration,
        source: Source {
            extension: extension.map(Arc::from),
            ..Source::of_file(Path::new("/p/settings.json"))
        },
    };
    let environment = [("KEY".into(), "secret".into())];
    read(&server, &environment, Path::new("/p"))
}

/// TO-3: a program gets base and configured environment; hooks get the settings as written, without
/// secrets.
#[test]
fn a_program_is_read_and_hooks_learn_what_is_written() {
    let (read, notes) = read_value(json!({
        "command": "run", "args": ["--key", "$KEY"], "cwd": "sub",
        "env": {"A": "${KEY}", "PORT": 1}, "timeout": 1500, "trust": true,
    }));
    let read = read.expect("sound");
    assert_eq!(notes, Vec::<String>::new());
    let Channel::Stdio(program) = &read.channel else {
        panic!("no program");
    };
    assert_eq!(program.arguments, ["--key", "secret"]);
    assert_eq!(program.directory, Path::new("/p/sub"));
    let expected: Vec<(OsString, OsString)> = vec![
        ("KEY".into(), "secret".into()),
        ("A".into(), "secret".into()),
        ("PORT".into(), "1".into()),
    ];
    assert_eq!(program.environment, expected);
    assert_eq!(read.timeout, Some(Duration::from_millis(1500)));
    assert_eq!(read.trust, Trust::Trusted);
    assert_eq!(
        serde_json::to_value(&read.context).expect("a value"),
        json!({
            "server_name": "srv", "tool_name": "", "command": "run",
            "args": ["--key", "$KEY"], "cwd": "sub",
        })
    );
}

/// TO-3: an address with headers; hooks never get the headers.
#[test]
fn an_address_is_read_without_its_headers_for_hooks() {
    let (read, notes) = read_value(json!({
        "httpUrl": "https://host/mcp?k=$KEY", "headers": {"Authorization": "Bearer $KEY"},
    }));
    let read = read.expect("sound");
    assert!(notes.is_empty());
    let Channel::Http(address) = &read.channel else {
        panic!("no address");
    };
    assert_eq!(address.url, "https://host/mcp?k=secret");
    assert_eq!(address.headers[0].1, "Bearer secret");
    let context = serde_json::to_string(&read.context).expect("text");
    assert!(
        !context.contains("secret") && !context.contains("Bearer"),
        "{context}"
    );
}

/// TO-3: options that are ignored are reported.
#[test]
fn what_does_not_count_is_told() {
    let (read, notes) = read_from(
        json!({
            "command": "run", "url": "http://host", "env": {"A": "$NONE"}, "tiemout": 3,
            "timeout": "soon", "trust": true, "includeTools": "a", "headers": {"X": "$OTHER"},
        }),
        Some("ext"),
    );
    let read = read.expect("sound");
    assert_eq!((read.trust, read.timeout), (Trust::Asked, None));
    let notes = notes.join("\n");
    for note in [
        "unknown option \"tiemout\"",
        "\"url\" is used, so \"command\" is ignored",
        "\"env\" has no effect",
        "variable OTHER isn't set",
        "\"timeout\" isn't a positive number",
        "\"trust\" is ignored",
        "\"includeTools\" isn't a list",
    ] {
        assert!(notes.contains(note), "{note} in {notes}");
    }
}

/// TO-3: the transport depends on the address's option and `type`; an unknown type is reported.
#[test]
fn an_address_says_how_it_is_spoken_to() {
    for (configuration, manner, count) in [
        (json!({"httpUrl": "http://h"}), Manner::Streamable, 0),
        (json!({"url": "http://h"}), Manner::Either, 0),
        (
            json!({"url": "http://h", "type": "http"}),
            Manner::Streamable,
            0,
        ),
        (json!({"url": "http://h", "type": "sse"}), Manner::Events, 0),
        (
            json!({"httpUrl": "http://h", "type": "sse"}),
            Manner::Streamable,
            1,
        ),
        (
            json!({"url": "http://h", "type": "carrier"}),
            Manner::Either,
            1,
        ),
    ] {
        let (read, notes) = read_value(configuration.clone());
        let Channel::Http(address) = read.expect("sound").channel else {
            panic!("no address");
        };
        assert_eq!(address.manner, manner, "{configuration}");
        assert_eq!(notes.len(), count, "{notes:?}");
    }
}

/// TO-3: a server that can't be used at all gets a reason.
#[test]
fn a_server_without_a_way_to_it_is_refused() {
    for (configuration, why) in [
        (json!([]), "isn't an object"),
        (json!({}), "neither command nor httpUrl"),
        (json!({"command": 3}), "command can't be used"),
        (
            json!({"command": "x", "args": [1]}),
            "aren't a list of strings",
        ),
        (json!({"tcp": "host:1"}), "\"tcp\" isn't supported"),
        (
            json!({"command": "x", "env": {"A=B": "c"}}),
            "an environment can't",
        ),
    ] {
        let error = read_value(configuration).0.expect_err("refused");
        assert!(error.contains(why), "{error}");
    }
}

/// TO-3: `excludeTools` wins over `includeTools`; entries without a tool are reported.
#[test]
fn tools_are_chosen_by_name() {
    let choice = ToolChoice {
        included: Some(vec!["a".into(), "b(x)".into(), "ghost".into()]),
        excluded: vec!["a".into()],
    };
    assert_eq!(choice.leaves_out("a"), Some("excluded by excludeTools"));
    assert_eq!(choice.leaves_out("b"), None);
    assert_eq!(choice.leaves_out("bb"), Some("not among includeTools"));
    let tools = ["a".to_owned(), "b".to_owned()];
    assert_eq!(choice.idle(&tools).collect::<Vec<_>>(), ["ghost"]);
}
