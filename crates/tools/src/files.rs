//! Tools on files and folders.

pub(crate) mod atomic;
pub(crate) mod edit;
pub(crate) mod encoding;
pub(crate) mod excerpt;
mod list_directory;
mod read_file;
mod read_many_files;
pub(crate) mod replace;
pub(crate) mod text;
mod unsaved;
pub(crate) mod write_file;

pub(crate) use list_directory::ListDirectory;
pub(crate) use read_file::ReadFile;
pub(crate) use read_many_files::ReadManyFiles;
pub use read_many_files::files_to_read;
