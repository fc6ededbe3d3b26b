//! Opens a browser, if there is one.

use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::thread;

use reqwest::Url;

use crate::expansion::value;

/// Opens an address in the user's browser; returns whether a program for that was started.
pub(crate) fn open(address: &Url, environment: &[(OsString, OsString)]) -> bool {
    // An authorisation server must not make the browser open a program or a file.
    if !matches!(address.scheme(), "http" | "https") {
        return false;
    }
    let Some((program, arguments)) = opener(environment) else {
        return false;
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .arg(address.as_str())
        .env_clear()
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else {
        return false;
    };
    // The opener may run as long as the browser does.
    thread::spawn(move || drop(child.wait()));
    true
}

/// Returns the program that opens addresses on this system.
fn opener(environment: &[(OsString, OsString)]) -> Option<(&'static str, &'static [&'static str])> {
    if cfg!(target_os = "macos") {
        return Some(("open", &[]));
    }
    if cfg!(windows) {
        return Some(("rundll32", &["url.dll,FileProtocolHandler"]));
    }
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| value(name, environment).is_some_and(|it| !it.is_empty()));
    has_screen.then_some(("xdg-open", &[]))
}
