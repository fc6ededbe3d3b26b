//! Writes the tables of `guards/*.toml` as data of the program: reading them takes longer than a
//! call of another agent may. A table that can't be read fails the build.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use serde::Deserialize;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Effects {
    effect: Vec<Effect>,
    code: Vec<Code>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Effect {
    name: String,
    is: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Code {
    name: String,
    programs: Vec<String>,
    #[serde(default)]
    arguments: bool,
    patterns: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Secrets {
    /// Keys that vendors publish as examples.
    published: Vec<String>,
    /// Beginnings of keys that are meant to be public.
    publishable: Vec<String>,
    key: Vec<Key>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Key {
    kind: String,
    /// The first line alone is enough: there is nothing random about it.
    #[serde(default)]
    sure: bool,
    /// Its beginning is also a word for other things: letters and digits have to alternate within
    /// it.
    #[serde(default)]
    dense: bool,
    is: Vec<String>,
}

fn main() -> Outcome<()> {
    let target = env::var("OUT_DIR")?;
    for (name, write) in [
        ("effects", effects as fn(&str) -> Outcome<String>),
        ("secrets", secrets),
    ] {
        let path = format!("guards/{name}.toml");
        println!("cargo::rerun-if-changed={path}");
        let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let written = write(&text).map_err(|error| format!("{path}: {error}"))?;
        fs::write(Path::new(&target).join(format!("{name}.rs")), written)?;
    }
    Ok(())
}

/// Writes what programs do: each line once, and by program where its lines are.
fn effects(text: &str) -> Outcome<String> {
    let file: Effects = toml::from_str(text)?;
    let mut lines = String::new();
    let mut programs: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut count = 0;
    for effect in &file.effect {
        for line in &effect.is {
            let line = line.trim();
            let (names, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            if names.is_empty() {
                return Err(format!("an empty line of {}", effect.name).into());
            }
            writeln!(lines, "({:?}, {rest:?}),", effect.name)?;
            for name in names.split('|') {
                programs.entry(name).or_default().push(count);
            }
            count += 1;
        }
    }
    let mut codes = String::new();
    for Code {
        name,
        programs,
        arguments,
        patterns,
        unless,
    } in &file.code
    {
        writeln!(
            codes,
            "CodeText {{ effect: {name:?}, programs: &{programs:?}, reads_arguments: {arguments}, \
             patterns: &{patterns:?}, unless: &{unless:?} }},"
        )?;
    }
    let mut by_program = String::new();
    for (name, lines) in &programs {
        writeln!(by_program, "({name:?}, &{lines:?}),")?;
    }
    Ok(format!(
        "static LINES: &[(&str, &str)] = &[{lines}];\n\
         static PROGRAMS: &[(&str, &[u16])] = &[{by_program}];\n\
         static CODES: &[CodeText] = &[{codes}];\n"
    ))
}

/// Writes what keys look like.
fn secrets(text: &str) -> Outcome<String> {
    let file: Secrets = toml::from_str(text)?;
    let mut keys = String::new();
    for Key {
        kind,
        sure,
        dense,
        is,
    } in &file.key
    {
        writeln!(
            keys,
            "KeyText {{ kind: {kind:?}, sure: {sure}, dense: {dense}, is: &{is:?} }},"
        )?;
    }
    let (published, publishable) = (file.published, file.publishable);
    Ok(format!(
        "static PUBLISHED: &[&str] = &{published:?};\n\
         static PUBLISHABLE: &[&str] = &{publishable:?};\n\
         pub(super) static KEYS: &[KeyText] = &[{keys}];\n"
    ))
}
