//! Proves the built-in tools with real files and processes.

#[cfg(test)]
mod assisting;
#[cfg(unix)]
#[cfg(test)]
mod background;
#[cfg(test)]
mod bench;
#[cfg(test)]
mod delegating;
#[cfg(test)]
mod editing;
#[cfg(test)]
mod finding;
#[cfg(test)]
mod listing;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod remembering;
#[cfg(unix)]
#[cfg(test)]
mod shell;
#[cfg(test)]
mod toolbox;
