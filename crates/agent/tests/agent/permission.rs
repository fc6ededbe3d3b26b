//! Who may keep a call from running: hooks, the mode, rules, lists and the person, all together
//! (BT-1, BT-5…9, TO-6). The expectation is computed here again, from the specification's words.

use std::sync::Arc;

use hookloop_agent::{
    ApprovalMode, Consent, Permission, Protection, Rule, ToolPattern, TurnEnd, read_policy_file,
};
use hookloop_events::ToolArguments;
use serde_json::{Value, json};

use super::stage::{
    Act, Played, Plot, Screen, StubTool, asks, call, calls, denies, rewrites, says, stops, text,
};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Verdict {
    Silent,
    Allow,
    Ask,
    Deny,
    Stop,
}

impl Verdict {
    const ALL: [Self; 5] = [Self::Silent, Self::Allow, Self::Ask, Self::Deny, Self::Stop];

    fn act(self) -> Act {
        match self {
            Self::Silent => Act::silent(),
            Self::Allow => says(&json!({"decision": "allow"})),
            Self::Ask => asks("sure?"),
            Self::Deny => denies("no"),
            Self::Stop => stops("halt"),
        }
    }
}

/// What a person says; `None` if there is no person.
type Person = Option<Yes>;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Yes {
    Yes,
    No,
}

#[derive(Debug, Clone, Copy)]
struct Case {
    mode: ApprovalMode,
    tool: &'static str,
    rule: Option<&'static str>,
    verdict: Verdict,
    person: Person,
}

impl Case {
    fn is_forbidden(self) -> bool {
        let plan = self.mode == ApprovalMode::Plan && self.tool != "look";
        let hook = matches!(self.verdict, Verdict::Deny | Verdict::Stop);
        plan || hook || self.rule == Some("deny")
    }

    fn is_asked_about(self) -> bool {
        let by_mode = match (self.mode, self.tool) {
            (_, "look") | (ApprovalMode::Yolo, _) => false,
            (ApprovalMode::AutoEdit, tool) => tool != "change",
            _ => true,
        };
        let by_rule = match self.rule {
            Some("allow") => false,
            Some("ask_user") => true,
            _ => by_mode,
        };
        !self.is_forbidden() && (by_rule || self.verdict == Verdict::Ask)
    }

    fn runs(self) -> bool {
        let agreed = !self.is_asked_about() || self.person == Some(Yes::Yes);
        !self.is_forbidden() && agreed
    }

    fn plot(self) -> Plot {
        let mut plot = Plot::of([calls(&[call(self.tool, json!({"n": 1}))]), text("done")])
            .tool(StubTool::reading("look"))
            .tool(StubTool::editing("change"))
            .tool(StubTool::executing("execute"))
            .hook("BeforeTool", "guard", self.verdict.act())
            .hook("AfterTool", "watch", Act::silent());
        plot.policy.mode = self.mode;
        plot.policy.rules = self.rule.map_or_else(Vec::new, |decision| {
            rules(&format!(
                "toolName = \"{}\"\ndecision = \"{decision}\"",
                self.tool
            ))
        });
        plot.screen = match self.person {
            None => Screen::headless(),
            Some(Yes::Yes) => Screen::answering([Consent::Given]),
            Some(Yes::No) => Screen::answering([Consent::Declined]),
        };
        plot
    }

    fn assert(self, played: &Played) {
        let stage = &played.stage;
        let is_stopped = matches!(played.end, TurnEnd::Stopped(_));
        assert_eq!(is_stopped, self.verdict == Verdict::Stop, "{self:?}");
        let ran = usize::from(self.runs());
        assert_eq!(stage.ran().len(), ran, "{self:?}");
        assert_eq!(stage.read_by("AfterTool").len(), ran, "{self:?}");
        let asked = usize::from(self.is_asked_about());
        let reason = (self.verdict == Verdict::Ask).then(|| "sure?".to_owned());
        assert_eq!(stage.screen.reasons(), vec![reason; asked], "{self:?}");
        assert_eq!(stage.failed_results().len(), 1 - ran, "{self:?}");
        let decision = stage.telemetry_of("tool_call")[0]["decision"].clone();
        assert_eq!(decision == "reject", ran == 0, "{self:?}: {decision}");
        let asked_model = 2 - usize::from(is_stopped);
        assert_eq!(stage.model.requests().len(), asked_model, "{self:?}");
        stage.assert_whole();
    }
}

/// Rules as they are in policy files; each text is one.
fn rules(rule: &str) -> Vec<Rule> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rules.toml");
    std::fs::write(&path, format!("[[rule]]\n{rule}\n")).unwrap();
    read_policy_file(&path).unwrap().rules
}

async fn every_case(mode: ApprovalMode) {
    for tool in ["look", "change", "execute"] {
        for rule in [None, Some("allow"), Some("ask_user"), Some("deny")] {
            for verdict in Verdict::ALL {
                for person in [None, Some(Yes::Yes), Some(Yes::No)] {
                    let case = Case {
                        mode,
                        tool,
                        rule,
                        verdict,
                        person,
                    };
                    case.assert(&case.plot().play().await);
                }
            }
        }
    }
}

/// BT-1, BT-5, BT-6, BT-7, TO-6: the strictest of hook, rule, mode and person decides, in
/// `default`.
#[tokio::test]
async fn the_strictest_decides_by_default() {
    every_case(ApprovalMode::Default).await;
}

/// BT-1, BT-5, BT-6, BT-7, TO-6: and in `auto_edit`, which asks about no edit.
#[tokio::test]
async fn the_strictest_decides_in_auto_edit() {
    every_case(ApprovalMode::AutoEdit).await;
}

/// BT-1, BT-5, BT-6, BT-7, TO-6: and in `yolo`, where only hooks and rules ask.
#[tokio::test]
async fn the_strictest_decides_in_yolo() {
    every_case(ApprovalMode::Yolo).await;
}

/// BT-1, BT-5, BT-6, BT-7, TO-6: and in `plan`, where only what reads may run.
#[tokio::test]
async fn the_strictest_decides_in_plan() {
    every_case(ApprovalMode::Plan).await;
}

fn command(command: &str) -> Plot {
    let args = json!({"command": command});
    Plot::of([calls(&[call("run_shell_command", args)]), text("done")])
        .tool(StubTool::executing("run_shell_command"))
}

fn commands(stage: &super::stage::Stage) -> Vec<Value> {
    let ran = stage.ran_with().into_iter();
    ran.map(|it| it["command"].clone()).collect()
}

/// BT-9, TO-6: rules and lists judge what a hook turned the command into, not what the model wrote.
#[tokio::test]
async fn the_policy_judges_what_would_run() {
    let deny = "commandPrefix = \"rm\"\ndecision = \"deny\"";
    let allow = "commandPrefix = \"ls\"\ndecision = \"allow\"";
    for (rule, written, made, asked, ran) in [
        (deny, "ls", "rm x", false, false),
        (deny, "ls", "ls && rm x", false, false),
        (deny, "rm x", "ls", true, true),
        (allow, "ls", "touch x", true, true),
        (allow, "touch x", "ls", false, true),
        (allow, "ls", "ls; touch x", true, true),
    ] {
        let mut plot =
            command(written).hook("BeforeTool", "rewrite", rewrites(&json!({"command": made})));
        plot.policy.rules = rules(rule);
        let stage = plot.play().await.stage;
        let what = format!("{rule}: {written} → {made}");
        assert_eq!(!stage.screen.reasons().is_empty(), asked, "{what}");
        assert_eq!(
            commands(&stage),
            vec![json!(made); usize::from(ran)],
            "{what}"
        );
        for asked in stage.confirmed_with() {
            assert_eq!(asked["command"], made, "{what}");
        }
    }
}

/// Puts a list of patterns where it counts.
type PutList = fn(&mut Plot, Vec<ToolPattern>);

/// BT-6, TO-6: a list in the settings applies whatever a hook allows, and a hook may be stricter
/// than each of them.
#[tokio::test]
async fn lists_and_hooks_keep_each_other() {
    let pattern = || vec![ToolPattern::from("run_shell_command(git)")];
    let lists: [(&str, PutList); 4] = [
        ("core", |plot, list| plot.policy.core = Some(list)),
        ("excluded", |plot, list| plot.policy.excluded = list),
        ("allowed", |plot, list| plot.policy.allowed = list),
        ("asked", |plot, list| {
            plot.policy.confirmation_required = list;
            plot.policy.mode = ApprovalMode::Yolo;
        }),
    ];
    for (name, put) in lists {
        for (line, asked, ran) in [
            (
                "git log",
                matches!(name, "core" | "asked"),
                name != "excluded",
            ),
            ("ls", matches!(name, "excluded" | "allowed"), name != "core"),
        ] {
            for verdict in Verdict::ALL {
                let mut plot = command(line).hook("BeforeTool", "guard", verdict.act());
                put(&mut plot, pattern());
                let stage = plot.play().await.stage;
                let refused = matches!(verdict, Verdict::Deny | Verdict::Stop);
                let asked = ran && !refused && (asked || verdict == Verdict::Ask);
                let what = format!("{name}, {line}, {verdict:?}");
                assert_eq!(stage.screen.reasons().len(), usize::from(asked), "{what}");
                assert_eq!(stage.ran().len(), usize::from(ran && !refused), "{what}");
            }
        }
    }
}

/// Protects whatever a call with the number 1 would change.
#[derive(Debug)]
struct Guarded(Permission);

impl Protection for Guarded {
    fn permission(&self, _tool: &str, arguments: &ToolArguments) -> Option<Permission> {
        (arguments.get("n") == Some(&json!(1))).then(|| self.0.clone())
    }
}

/// TR-8, TO-6: changing files that guards depend on needs a person's own consent: no mode, rule,
/// list, hook or earlier consent replaces it.
#[tokio::test]
async fn nothing_stands_for_a_yes_to_guards() {
    let refused = || Permission::Refused("these are guards".to_owned());
    for (says_guard, asked, ran) in [
        (Permission::NeedsConfirmation, 2, vec![1, 2, 1]),
        (refused(), 0, vec![2]),
    ] {
        let n = |n: u64| calls(&[call("change", json!({"n": n}))]);
        let mut plot = Plot::of([n(1), n(2), n(1), text("done")])
            .tool(StubTool::editing("change"))
            .hook("BeforeTool", "allow", Verdict::Allow.act());
        plot.policy.mode = ApprovalMode::Yolo;
        plot.policy.allowed = vec![ToolPattern::from("change")];
        plot.policy.rules = rules("toolName = \"change\"\ndecision = \"allow\"");
        plot.policy.protection = Some(Arc::new(Guarded(says_guard)));
        plot.screen = Screen::answering([Consent::GivenForSession]);
        let stage = plot.play().await.stage;
        assert_eq!(stage.screen.reasons().len(), asked);
        assert_eq!(stage.ran_numbers(), ran);
    }
}

/// AG-1, AG-2, BT-5: of several hooks the strictest counts, whatever their order; all reasons of
/// those that ask are shown to the person.
#[tokio::test]
async fn several_hooks_are_as_strict_as_the_strictest() {
    for first in Verdict::ALL {
        for second in Verdict::ALL {
            let mut plot = command("ls").hook("BeforeTool", "first", first.act()).hook(
                "BeforeTool",
                "second",
                second.act(),
            );
            plot.policy.mode = ApprovalMode::Yolo;
            let played = plot.play().await;
            let stage = played.stage;
            let has = |verdict| first == verdict || second == verdict;
            let refused = has(Verdict::Deny) || has(Verdict::Stop);
            let what = format!("{first:?}, {second:?}");
            let stopped = matches!(played.end, TurnEnd::Stopped(_));
            assert_eq!(stopped, has(Verdict::Stop), "{what}");
            assert_eq!(stage.ran().len(), usize::from(!refused), "{what}");
            let asked = !refused && has(Verdict::Ask);
            assert_eq!(stage.screen.reasons().len(), usize::from(asked), "{what}");
            if asked && first == second {
                let reason = stage.screen.reasons()[0].clone();
                assert_eq!(reason.as_deref(), Some("sure?\nsure?"));
            }
        }
    }
}
