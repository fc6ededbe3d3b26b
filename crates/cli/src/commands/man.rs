//! `man`: the manual pages that packages install.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Command};

use crate::output::{Exit, Output};

/// Contains the arguments of `man`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ManArguments {
    /// Write a page for the program and each command into this folder, instead of printing the
    /// program's page
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

/// Prints the program's page, or writes all of them.
pub(crate) fn man(arguments: &ManArguments, grammar: Command) -> Output {
    let written = match &arguments.dir {
        Some(folder) => write_all(folder, grammar),
        None => page(grammar).map_err(|error| error.to_string()),
    };
    match written {
        Ok(text) => Output::from_text(text),
        Err(error) => Output::from_error(&error, Exit::Failed),
    }
}

fn page(grammar: Command) -> std::io::Result<String> {
    let mut text = Vec::new();
    clap_mangen::Man::new(grammar).render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn write_all(folder: &Path, grammar: Command) -> Result<String, String> {
    let failed = |error: std::io::Error| {
        format!(
            "failed to write manual pages to {}: {error}",
            folder.display()
        )
    };
    fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(grammar, folder).map_err(failed)?;
    Ok(format!("wrote manual pages to {}\n", folder.display()))
}
