//! What git commands start.

use crate::simple::join_fields;
use crate::understood::Word;

use super::{Unwrapped, after_option, after_options};

/// Reads `git rebase -x …`, `git bisect run …`, `git submodule foreach …`.
pub(super) fn started_by(words: &[Word]) -> Option<Unwrapped> {
    const WITH_VALUE: &[&str] = &[
        "-C",
        "-c",
        "--git-dir",
        "--work-tree",
        "--namespace",
        "--config-env",
        "--super-prefix",
        "--attr-source",
    ];
    let words = after_options(words, WITH_VALUE)?;
    let texts: Vec<Word> = match words.first()?.text.as_str() {
        "rebase" => {
            let mut inner = after_option(words, &["-x", "--exec", "-X", "--exec-batch"])?;
            inner.commands.clear();
            return Some(inner);
        }
        "difftool" | "mergetool" => return after_option(words, &["-x", "--extcmd"]),
        "bisect" => {
            let at = words.iter().position(|it| it.text == "run")?;
            return Some(Unwrapped {
                commands: vec![words.get(at + 1..)?.to_vec()],
                ..Unwrapped::default()
            });
        }
        "submodule" => {
            let at = words.iter().position(|it| it.text == "foreach")?;
            let rest = after_options(words.get(at + 1..)?, &[])?;
            vec![join_fields(rest.to_vec())]
        }
        "filter-branch" => {
            let filters = words
                .windows(2)
                .filter(|pair| pair[0].text.ends_with("-filter"));
            filters.map(|pair| pair[1].clone()).collect()
        }
        _ => return None,
    };
    (!texts.is_empty()).then(|| Unwrapped {
        texts,
        ..Unwrapped::default()
    })
}
