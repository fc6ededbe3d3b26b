//! Where a setting comes from.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::layer::Layer;

/// A place in a text. Lines and columns count from 1; a column is a Unicode character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1; a tab is one.
    pub column: u32,
}

/// Where something was configured (ST-4; `cli-json.md` §2, "Source").
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Source {
    /// The layer, or nothing for a file outside the layers.
    pub layer: Option<Layer>,
    /// The extension's name, if the file belongs to one.
    pub extension: Option<Arc<str>>,
    /// The file, absolute, links not resolved.
    pub file: Arc<Path>,
    /// The place in it, or nothing if the whole file is meant.
    pub position: Option<Position>,
}

impl Source {
    /// Returns the same file with another place in it.
    #[must_use]
    pub fn at(&self, position: Position) -> Self {
        Self {
            position: Some(position),
            ..self.clone()
        }
    }

    /// Returns a source that means a whole file outside the layers.
    ///
    /// ```
    /// use hookloop_hook::{Position, Source};
    ///
    /// let file = Source::of_file(std::path::Path::new("/srv/shop/.gemini/settings.json"));
    /// let place = file.at(Position { line: 4, column: 7 });
    /// assert_eq!(place.to_string(), "/srv/shop/.gemini/settings.json:4:7");
    /// ```
    pub fn of_file(file: impl Into<Arc<Path>>) -> Self {
        Self {
            layer: None,
            extension: None,
            file: file.into(),
            position: None,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.file.display())?;
        match self.position {
            Some(Position { line, column }) => write!(formatter, ":{line}:{column}"),
            None => Ok(()),
        }
    }
}

impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Source", 5)?;
        object.serialize_field("layer", &self.layer)?;
        object.serialize_field("extension", &self.extension)?;
        object.serialize_field("file", &self.file.to_string_lossy())?;
        object.serialize_field("line", &self.position.map(|place| place.line))?;
        object.serialize_field("column", &self.position.map(|place| place.column))?;
        object.end()
    }
}
