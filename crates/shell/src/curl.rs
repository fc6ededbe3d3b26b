//! Files with options of `curl`.

/// Turns a file with options of `curl` (`-K FILE`) into the command that it stands for.
pub fn curl_line(config: &str) -> String {
    let mut words = vec!["curl".to_owned()];
    for line in config.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let end = line.find(|it: char| it.is_whitespace() || "=:".contains(it));
        let (name, value) = line.split_at(end.unwrap_or(line.len()));
        let value = value.trim_start_matches(|it: char| it.is_whitespace() || "=:".contains(it));
        words.push(if name.starts_with('-') {
            name.to_owned()
        } else {
            format!("--{name}")
        });
        let quoted = value.strip_prefix('"');
        let value = quoted.map_or(value, |it| it.split('"').next().unwrap_or(it));
        if !value.is_empty() {
            words.push(value.to_owned());
        }
    }
    crate::join(words.iter().map(String::as_str))
}
