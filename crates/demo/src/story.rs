//! The story of the demo: each turn with its prompt, the model's script, and the expected results.

use std::path::Path;

use hookloop_agent::TurnEnd;

use crate::files::example;
use crate::timeline::{Effect, Step, Turn};

/// One turn of the demo.
pub(crate) struct Act {
    /// Its title.
    pub(crate) title: &'static str,
    /// The user's prompt.
    pub(crate) prompt: &'static str,
    /// The script's file under `examples/demo/turns/`.
    pub(crate) script_name: &'static str,
    /// The model's script.
    pub(crate) script: &'static str,
    /// The expected results.
    pub(crate) claims: &'static [Claim],
}

impl Act {
    /// Evaluates a finished turn and its expected results.
    pub(crate) fn evaluate(&self, steps: Vec<Step>, end: TurnEnd, project: &Path) -> Turn {
        let mut turn = Turn {
            title: self.title,
            prompt: self.prompt,
            steps,
            end,
            effects: Vec::new(),
        };
        let evidence = Evidence {
            project,
            turn: &turn,
        };
        let effect = |claim: &Claim| Effect {
            claim: claim.words,
            holds: (claim.holds)(&evidence),
        };
        turn.effects = self.claims.iter().map(effect).collect();
        turn
    }
}

/// An expected result of a turn.
pub(crate) struct Claim {
    /// The claim in words.
    pub(crate) words: &'static str,
    /// Returns whether it is true.
    pub(crate) holds: fn(&Evidence<'_>) -> bool,
}

/// The evidence for a claim.
pub(crate) struct Evidence<'a> {
    /// The project.
    pub(crate) project: &'a Path,
    /// What happened in the turn.
    pub(crate) turn: &'a Turn,
}

impl Evidence<'_> {
    fn exists(&self, path: &str) -> bool {
        self.project.join(path).exists()
    }

    fn file(&self, path: &str) -> String {
        std::fs::read_to_string(self.project.join(path)).unwrap_or_default()
    }
}

/// The demo, turn by turn.
pub(crate) const STORY: [Act; 4] = [
    Act {
        title: "A key is about to land in a file",
        prompt: "Add upload.env with the settings of our S3 bucket.",
        script_name: "1-secret.jsonl",
        script: example!("demo/turns/1-secret.jsonl"),
        claims: &[
            Claim {
                words: "the first attempt was refused, and the model found another way",
                holds: |evidence| evidence.turn.refusals() == 1,
            },
            Claim {
                words: "upload.env is on disk, and no key is in it",
                holds: |evidence| {
                    let text = evidence.file("upload.env");
                    text.contains("${AWS_ACCESS_KEY_ID}") && !text.contains("AKIA")
                },
            },
        ],
    },
    Act {
        title: "A command is made harmless",
        prompt: "Clean up: the build folder can go.",
        script_name: "2-rewrite.jsonl",
        script: example!("demo/turns/2-rewrite.jsonl"),
        claims: &[Claim {
            words: "build is gone, and is in .trash/ with everything that it contained",
            holds: |evidence| {
                !evidence.exists("build") && evidence.exists(".trash/build/receipt.txt")
            },
        }],
    },
    Act {
        title: "The model says too much",
        prompt: "Who do I ask about a refund, and how do I try one out?",
        script_name: "3-redact.jsonl",
        script: example!("demo/turns/3-redact.jsonl"),
        claims: &[Claim {
            words: "the answer is shown and kept without the address and the card",
            holds: |evidence| {
                let response = evidence.turn.response();
                response.contains("redacted")
                    && !response.contains('@')
                    && !response.contains("4111")
            },
        }],
    },
    Act {
        title: "The work isn't done yet",
        prompt: "Give orders over 100 a discount of 10 %.",
        script_name: "4-retry.jsonl",
        script: example!("demo/turns/4-retry.jsonl"),
        claims: &[
            Claim {
                words: "the agent had to try again, once",
                holds: |evidence| evidence.turn.retries() == 1,
            },
            Claim {
                words: "total.sh gives the discount above 100, not at 100",
                holds: |evidence| evidence.file("total.sh").contains("-gt 100"),
            },
        ],
    },
];
