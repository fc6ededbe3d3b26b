use crate::{Surroundings, understand};

/// HT-30: files that Perl and Ruby change in place are written, wherever their program text and
/// their letters stand; those that they read aren't.
#[test]
fn files_changed_in_place_are_written() {
    for (text, writes) in [
        ("perl -pi -e 's/a/b/' F", true),
        ("perl -pi -e's/a/b/' F", true),
        ("perl -wpi -E's/a/b/' -- F", true),
        ("perl -0777 -i.bak -pe's/a/b/' F", true),
        ("perl5.36 -i -p script.pl F", true),
        ("ruby -i.bak -pe'sub(1, 2)' F", true),
        ("ruby -pi -e 'sub(1, 2)' F", true),
        ("perl -MList::Util=first -e 'print 1' F", false),
        ("perl -ne 'print' F", false),
        ("ruby -ne 'print' F", false),
        ("node -i F", false),
        ("python3 -i F", false),
    ] {
        let found = understand(text, Surroundings::default());
        let mut commands = found.commands.iter();
        let is_written = commands.any(|it| it.writes.iter().any(|path| path.written == "F"));
        assert_eq!(is_written, writes, "{text}");
    }
}
