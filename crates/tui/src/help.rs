//! The output of `/help` (TU-2, TU-5).

use crate::slash::{self, CustomCommand};
use hookloop_text::visible_row;

/// What keys do.
const KEYS: &str = "
Enter sends; Shift+Enter, Alt+Enter or \\ Enter starts a new line.
!COMMAND runs a shell command, @PATH includes a file, ? shows this.
Tab completes, Shift+Tab changes the approval mode, Ctrl+R searches earlier input.
Ctrl+_ undoes a change, Ctrl+Y inserts what Ctrl+U, Ctrl+K or Ctrl+W deleted.
Ctrl+X or Ctrl+G opens $VISUAL or $EDITOR, Ctrl+Z suspends, Ctrl+L clears the screen.
In lists of models, sessions and prompts, letters search, Enter chooses, Esc goes back.
Ctrl+O shows what each hook said in the last turn.
Esc cancels what runs. Ctrl+C twice or Ctrl+D leaves.";

/// Lists the commands, including those of user, project and extensions, and the keys.
pub(crate) fn text(known: &[CustomCommand]) -> String {
    let row = |name: &str, note: &str| format!("{:<12} {note}\n", format!("/{name}"));
    let own = known
        .iter()
        .map(|it| row(&visible_row(&it.name), &visible_row(&it.note)));
    let heading =
        (!known.is_empty()).then(|| "\nCommands of yours and of this project:\n".to_owned());
    slash::ALL
        .iter()
        .map(|it| row(it.name(), it.description()))
        .chain(heading)
        .chain(own)
        .chain([KEYS.to_owned()])
        .collect()
}
