//! Loading settings from real folders: layers, problems, switches, extensions.

mod extensions;
mod fixture;
mod hooks;
mod hostile;
mod layers;
mod lints;
mod resolved;
mod switches;
