//! Files of secrets that a database is asked to read.

use std::sync::LazyLock;

use regex::Regex;

use crate::effects::secret_names;

/// Functions that read a file, and the statement that copies one.
static LOADS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?:pg_read_(?:binary_)?file|lo_import|load_file|readfile|read_(?:text|blob|csv|csv_auto|json|json_auto))
        \s*\(\s*'([^'\n]+)'|\bfrom\s+'([^'\n]+)'|\binfile\s+'([^'\n]+)'",
    )
    .ok()
});

/// Returns the effects of a query on files of secrets, each with its path.
pub(super) fn files(query: &str) -> Vec<(String, String)> {
    let Some(loads) = LOADS.as_ref() else {
        return Vec::new();
    };
    let paths = loads.captures_iter(query);
    let paths = paths.filter_map(|it| it.get(1).or(it.get(2)).or(it.get(3)));
    let found = paths.filter_map(|it| {
        let kind = secret_names::secret_kind(it.as_str(), it.as_str().contains('*'))?;
        Some((format!("{kind}.read"), it.as_str().to_owned()))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::files;

    /// HT-40: a file of secrets is read whichever function of a database reads it.
    #[test]
    fn databases_read_files() {
        for query in [
            "select readfile('.env')",
            "SELECT pg_read_file('/srv/app/.env', 0, 10)",
            "COPY t FROM '/srv/.env'",
            "LOAD DATA LOCAL INFILE '/root/.ssh/id_rsa' INTO TABLE t",
        ] {
            assert_eq!(files(query).len(), 1, "{query}");
        }
        assert!(files("select * from t where a = '.env'").is_empty());
        assert!(files("COPY t FROM '/srv/a.csv'").is_empty());
    }
}
