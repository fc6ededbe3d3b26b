//! Trust with real folders: fingerprints, standing, the store, folders.

mod fingerprints;
mod fixture;
mod folders;
mod standing;
mod store;
mod upstream;
