//! Trust with real folders: fingerprints, standing, the store, folders.

mod fingerprints;
mod fixture;
mod folders;
mod loading;
mod older_rules;
mod resolving;
mod standing;
mod store;
mod upstream;
