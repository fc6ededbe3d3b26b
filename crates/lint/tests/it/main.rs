//! What is found in the commands and scripts of hooks, with a disk that the tests describe.

mod commands;
mod guards;
mod loaded;
