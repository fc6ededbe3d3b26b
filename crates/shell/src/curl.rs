//! Option files of `curl` and `wget`.

/// Turns an option file of `curl` (`-K FILE`) into the equivalent command.
pub fn curl_line(config: &str) -> String {
    line_of("curl", config)
}

/// Turns an option file of `wget` (`--config=FILE`, or a line after `-e`) into the equivalent
/// command.
pub fn wget_line(config: &str) -> String {
    line_of("wget", config)
}

fn line_of(program: &str, config: &str) -> String {
    let mut words = vec![program.to_owned()];
    for line in config.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let end = line.find(|it: char| it.is_whitespace() || "=:".contains(it));
        let (name, value) = line.split_at(end.unwrap_or(line.len()));
        let value = value.trim_start_matches(|it: char| it.is_whitespace() || "=:".contains(it));
        words.push(match program {
            _ if name.starts_with('-') => name.to_owned(),
            // wget ignores case and the kind of dash.
            "wget" => format!("--{}", name.to_ascii_lowercase().replace('_', "-")),
            _ => format!("--{name}"),
        });
        let quoted = value.strip_prefix('"');
        let value = quoted.map_or(value, |it| it.split('"').next().unwrap_or(it));
        if !value.is_empty() {
            words.push(value.to_owned());
        }
    }
    crate::join(words.iter().map(String::as_str))
}
