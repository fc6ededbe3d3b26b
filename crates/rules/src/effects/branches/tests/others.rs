//! What programs other than git do to branches, and git in repositories of the home.

use hookloop_shell::{Surroundings, understand};

use super::{effects, is_caught};
use crate::{Places, effects_of};

/// HT-40: what a program commits that keeps files of the home or of the system in a repository of
/// its own is judged by what is checked out there, and nobody sees that of one that isn't there.
#[test]
fn repositories_of_the_home_are_judged() {
    for text in [
        "yadm commit -m x",
        "yadm enter git commit -m x",
        "yadm --yadm-repo /w/main/.git commit -m x",
        "yadm push",
        "vcsh vim commit -m x",
        "vcsh run vim git commit -m x",
        "vcsh push",
        "chezmoi git -- commit -m x",
        "chezmoi git push",
        "chezmoi -S /w/main git -- commit -m x",
        "sudo etckeeper commit x",
        "etckeeper vcs push origin HEAD",
        "dotbare commit -m x",
        "git --git-dir=$HOME/.cfg --work-tree=$HOME commit -m x",
        "export GIT_DIR=~/.cfg; git commit -m x",
        "alias config='git --git-dir=$HOME/.cfg --work-tree=$HOME'; config push",
    ] {
        assert!(is_caught("topic", text), "{text}");
    }
    for text in [
        "yadm status",
        "yadm add .bashrc",
        "yadm clone https://h/r",
        "yadm --yadm-repo /w/topic/.git commit -m x",
        "vcsh list",
        "vcsh vim log",
        "chezmoi apply",
        "chezmoi git -- log",
        "chezmoi -S /w/topic git -- commit -m x",
        "etckeeper vcs log",
        "dotbare diff",
        "git --git-dir=$HOME/.cfg --work-tree=$HOME status",
        "git --git-dir=/w/topic/.git commit -m x",
        "git init --bare ~/.cfg; git --git-dir=$HOME/.cfg --work-tree=$HOME commit -m x",
    ] {
        assert!(!is_caught("topic", text), "{text}");
    }
}

/// HT-40: Mercurial's commits are judged by the branch or bookmark that is checked out, and its
/// pushes by what they name.
#[test]
fn what_mercurial_changes_is_found() {
    for text in [
        "hg commit -m x",
        "hg com -m x",
        "hg ci --amend -m x",
        "hg -R . commit -m x",
        "hg update default && hg commit -m x",
        "hg bookmark main && hg commit -m x",
        "hg graft 12",
        "hg import fix.patch",
        "hg push",
        "hg push ssh://h/r",
        "chg commit -m x",
    ] {
        assert!(is_caught("topic", text), "{text}");
    }
    for text in [
        "hg status",
        "hg pull && hg update default",
        "hg branch topic && hg commit -m x",
        "hg bookmark topic; hg ci -m x",
        "hg update topic && hg commit -m x",
        "hg push -B topic",
        "hg help commit",
        "hg import --no-commit fix.patch",
        "hg init /tmp/r && cd /tmp/r && hg commit -m x",
    ] {
        assert!(!is_caught("topic", text), "{text}");
    }
}

/// HT-40: a push to what only variables name, and programs in which somebody works on a repository
/// key by key, are asked about.
#[test]
fn what_nobody_sees_is_unknown() {
    for text in [
        "git push origin $TARGET",
        "git push -u origin \"HEAD:$TARGET\"",
        "git push origin HEAD:refs/heads/${TARGET}",
        "git push \"$REMOTE\" \"$A$B\"",
        "read b; git push origin $b",
        "b=$(cat b.txt); git push origin $b",
        "b=$OTHER; git push origin $b",
        "lazygit",
        "gitui -d ..",
        "tig",
        "tig status",
        "git town sync --all",
        "git-town sync",
        "git flow release publish 1.0",
    ] {
        let found = effects("topic", text);
        let is_unknown = found.iter().any(|it| it == "branch.unknown");
        assert!(is_unknown, "{text}: {found:?}");
    }
    for text in [
        "b=fix/y; git push origin $b",
        "b=$(git branch --show-current); git push origin $b",
        "b=fix/$n; git push -u origin \"HEAD:$b\"",
        "for b in fix/y fix/z; do git push origin $b; done",
        "git push origin feature/$X",
        "git push origin ${B:-fix/y}",
        "git push origin $TAG",
        "git push --dry-run origin $TARGET",
        "lazygit --version",
        "tig log",
        "git town sync --dry-run",
        "git town hack fix/y",
        "git flow feature publish y",
    ] {
        assert!(!is_caught("topic", text), "{text}");
    }
}

/// HT-40: whoever deletes all branches that git lists may delete the one that others build on,
/// unless a filter leaves it out.
#[test]
fn branches_that_are_listed_may_be_any() {
    for text in [
        "git branch | xargs git branch -D",
        "git branch --merged | xargs -n1 git branch -d",
        "git branch | grep -v topic | xargs git branch -D",
        "git branch | sed 's/^..//' | xargs git branch -D",
        "git branch | sed 's/= //' | xargs git branch -D",
        "git branch | sed 's#origin/##' | xargs git branch -D",
        "git branch | awk -F= '{a = $1; print a}' | xargs git branch -D",
        "git branch -D $(git branch | awk '{print $1}')",
        "git for-each-ref --format='%(refname:short)' refs/heads | xargs git branch -D",
        "git for-each-ref --format='%(refname:short)' | while read b; do git branch -D \"$b\"; done",
        "for b in $(git branch --format='%(refname:short)'); do git branch -D $b; done",
    ] {
        let found = effects("topic", text);
        let is_unknown = found.iter().any(|it| it == "branch.unknown");
        assert!(is_unknown, "{text}: {found:?}");
    }
    for text in [
        "git branch --merged main | grep -v main | xargs git branch -d",
        "git branch | grep -vE 'main|master' | xargs git branch -D",
        "git branch | grep fix/ | xargs git branch -D",
        "git branch -vv | awk '/: gone]/{print $1}' | xargs git branch -D",
        "git branch --list 'fix/*' | xargs git branch -D",
        "git for-each-ref --format='%(refname:short)' refs/heads/fix | xargs git branch -D",
        "git branch | fzf -m | xargs git branch -D",
        "git branch | sed '/main/d' | xargs git branch -D",
        "git branch | awk '$1 != \"main\" {print $1}' | xargs git branch -D",
        "git branch -a; git branch -D fix/y",
        "git branch | xargs -n1 git log -1",
    ] {
        assert!(!is_caught("topic", text), "{text}");
    }
}

/// HT-40: a push whose only operand may be several words may name any branch.
#[test]
fn what_a_variable_pushes_may_be_several_words() {
    for text in [
        "git push $ARGS",
        "git push -u $MORE",
        "git push \"${OPTIONS[@]}\"",
        "git push $(cat arguments)",
    ] {
        let found = effects("topic", text);
        let is_unknown = found.iter().any(|it| it == "branch.unknown");
        assert!(is_unknown, "{text}: {found:?}");
    }
    for text in [
        "git push \"$TARGET\"",
        "git push $REMOTE",
        "git push ${origin_url}",
        "git push https://$TOKEN@example.org/x.git",
        "R=origin; git push $R",
    ] {
        let found = effects("topic", text);
        assert!(!found.iter().any(|it| it == "branch.unknown"), "{text}");
    }
}

/// HT-40: the requests of PowerShell count like those of `curl`, and a branch may be renamed to the
/// one that others build on.
#[test]
fn requests_by_other_clients_count() {
    let host = "https://api.github.com/repos/a/b";
    for text in [
        format!("Invoke-RestMethod -Method Delete -Uri {host}/branches/main/protection"),
        format!("irm -Method Put {host}/pulls/3/merge"),
        "gh api -X POST repos/a/b/branches/x/rename -f new_name=main".to_owned(),
        format!("curl -X POST {host}/branches/x/rename -d '{{\"new_name\":\"main\"}}'"),
    ] {
        assert!(is_caught("topic", &text), "{text}");
    }
    for text in [
        format!("Invoke-RestMethod -Uri {host}/branches/main/protection"),
        "gh api -X POST repos/a/b/branches/x/rename -f new_name=y".to_owned(),
    ] {
        assert!(!is_caught("topic", &text), "{text}");
    }
}

/// HT-40: a file that is read before the checks may switch them off.
#[test]
fn files_switch_checks_off() {
    for text in [
        "echo 'export HUSKY=0' >> ~/.huskyrc",
        "echo HUSKY=0 > ~/.config/husky/init.sh",
        "printf 'export LEFTHOOK=0\\n' >> ~/.zshrc",
        "TALISMAN_SKIP=1 git push origin topic",
    ] {
        assert!(is_caught("topic", text), "{text}");
    }
    for text in [
        "echo 'export EDITOR=vim' >> ~/.zshrc",
        "echo HUSKY=0 > notes.txt",
        "echo 'export HUSKY=1' >> ~/.huskyrc",
        "GITLEAKS_VERSION=8.18 git push origin topic",
    ] {
        assert!(!is_caught("topic", text), "{text}");
    }
}

/// HT-40: checks of the project may be installed, one or all; others replace them.
#[test]
fn checks_are_installed_from_the_project() {
    let internals = |text: &str| {
        let understood = understand(text, Surroundings::default());
        let places = Places {
            workspace: "/w/p".to_owned(),
            ..Places::default()
        };
        let effects = effects_of(&understood, &places);
        let found = effects.into_iter().find(|it| it.name == "git.internals");
        found.map(|it| it.about.ends_with('/'))
    };
    for text in [
        "cp scripts/pre-commit /w/p/.git/hooks/",
        "cp .githooks/* /w/p/.git/hooks/",
        "cp -r .githooks/. /w/p/.git/hooks",
    ] {
        assert_eq!(internals(text), Some(true), "{text}");
    }
    for text in [
        "cp /tmp/hooks/* /w/p/.git/hooks/",
        "cp empty/* /w/p/.git/hooks/",
        "cp /bin/true /w/p/.git/hooks/",
    ] {
        assert_eq!(internals(text), Some(false), "{text}");
    }
}
