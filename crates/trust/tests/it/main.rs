//! Trust with real folders: fingerprints, standing, the store, folders.

mod compared;
mod data_files;
mod databases;
mod fingerprints;
mod fixture;
mod folders;
#[cfg(unix)]
mod linking;
mod loading;
mod older_rules;
mod one_of_many;
mod resolving;
mod rivals;
mod scripts;
mod searched;
mod standing;
#[cfg(unix)]
mod starting;
mod store;
mod tellers;
mod unfollowed;
mod upstream;
