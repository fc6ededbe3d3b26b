//! Proves the built-in tools with real files and processes.

#[cfg(unix)]
#[cfg(test)]
mod background;
#[cfg(test)]
mod bench;
#[cfg(test)]
mod editing;
#[cfg(test)]
mod finding;
#[cfg(test)]
mod listing;
#[cfg(test)]
mod reading;
#[cfg(unix)]
#[cfg(test)]
mod shell;
#[cfg(test)]
mod toolbox;
