//! Loading settings from real folders: layers, problems, switches, extensions.

mod any_key;
mod deny_wishes;
mod editing;
mod extensions;
mod fixture;
mod foreign;
mod hooks;
mod hostile;
mod layers;
mod lints;
mod migrated;
mod model_settings;
mod nested;
mod prices;
mod resolved;
mod restrictions;
mod schema;
mod strays;
mod switches;
mod system_defaults;
