//! Reduces the hooks' decisions to what an agent can do. The rest becomes a refusal or is reported
//! as lost; it is never dropped silently (BR-20, BR-21).

use serde_json::Value;

use crate::agent::Agent;
use crate::conclusion::{Conclusion, Ruling};
use crate::moment::Moment;
use crate::profile::{Capabilities, Capability};

/// What happens to a rewrite that an agent can't do: `hooksConfig.bridge.rewrite`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RewritePolicy {
    /// The call is refused, with the arguments as advice to the model.
    #[default]
    Refuse,
    /// The call runs as the model requested, and this is reported.
    Drop,
}

/// The part of a conclusion that an agent can carry out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fitted {
    /// What the agent can do.
    pub conclusion: Conclusion,
    /// What it can't do, each as a sentence.
    pub losses: Vec<String>,
    /// Text for the model that must wait for a later moment.
    pub carried: Option<String>,
    /// The reason with which all tools of the turn are refused, if the agent runs a prompt although
    /// it was refused.
    pub refuses_turn: Option<String>,
}

/// Fits a conclusion to what an agent can do.
pub fn fit(agent: Agent, moment: Moment, conclusion: Conclusion, policy: RewritePolicy) -> Fitted {
    let mut fitter = Fitter {
        name: agent.name(),
        abilities: &agent.profile().abilities,
        moment,
        policy,
        fitted: Fitted {
            losses: conclusion.impossible.clone(),
            conclusion,
            ..Fitted::default()
        },
    };
    match moment {
        Moment::BeforeTool => {
            fitter.rewrite();
            fitter.ask();
            fitter.stop();
        }
        Moment::Prompt => {
            fitter.ask();
            fitter.prompt();
        }
        Moment::AfterTool => {
            fitter.stop();
            fitter.withhold();
        }
        Moment::End => fitter.end(),
        Moment::ConfigChange => fitter.ask(),
        Moment::SessionStart => fitter.start(),
        Moment::Compress => fitter.compress(),
        _ => fitter.fitted.conclusion.ruling = Ruling::Silent,
    }
    fitter.context();
    fitter.fitted
}

struct Fitter {
    name: &'static str,
    abilities: &'static Capabilities,
    moment: Moment,
    policy: RewritePolicy,
    fitted: Fitted,
}

impl Fitter {
    fn lose(&mut self, what: String) {
        self.fitted.losses.push(what);
    }

    fn rewrite(&mut self) {
        let Some(rewrite) = &self.fitted.conclusion.rewrite else {
            return;
        };
        if self.fitted.conclusion.ruling.is_refusal() {
            self.fitted.conclusion.rewrite = None;
            return;
        }
        if self.abilities.has(Capability::Rewrite) && rewrite.theirs.is_some() {
            return;
        }
        let ours = Value::Object(rewrite.ours.clone());
        let name = self.name;
        self.fitted.conclusion.rewrite = None;
        match self.policy {
            RewritePolicy::Refuse => {
                let reason = format!(
                    "a hook changes the arguments of this call, which {name} doesn't allow; call \
                     the tool again with {ours}"
                );
                let ruling = std::mem::take(&mut self.fitted.conclusion.ruling);
                self.fitted.conclusion.ruling = ruling.or_stricter(Ruling::Refuse(reason));
                self.lose(format!(
                    "{name} can't run this call with other arguments, so the rewrite became a \
                     refusal that suggests the arguments"
                ));
            }
            RewritePolicy::Drop => self.lose(format!(
                "{name} can't run this call with other arguments: the rewrite was dropped, as \
                 `hooksConfig.bridge.rewrite` says"
            )),
        }
    }

    fn ask(&mut self) {
        let Ruling::Ask(reason) = &self.fitted.conclusion.ruling else {
            return;
        };
        if self.moment == Moment::BeforeTool && self.abilities.has(Capability::Ask) {
            return;
        }
        let reason = format!("needs approval: {reason}");
        self.fitted.conclusion.ruling = Ruling::Refuse(reason);
        self.fitted.conclusion.rewrite = None;
        let name = self.name;
        self.lose(format!(
            "{name} can't ask the user on behalf of a hook, so `ask` is a refusal"
        ));
    }

    fn stop(&mut self) {
        let Ruling::Stop(reason) = &self.fitted.conclusion.ruling else {
            return;
        };
        if self.abilities.end_run.contains(&self.moment) {
            return;
        }
        self.fitted.conclusion.ruling = Ruling::Refuse(reason.clone());
        let name = self.name;
        self.lose(format!(
            "{name} can't be made to end its run here: what a hook stopped is refused, and the run \
             continues"
        ));
    }

    fn prompt(&mut self) {
        let (Ruling::Refuse(reason) | Ruling::Stop(reason)) = &self.fitted.conclusion.ruling else {
            return;
        };
        if self.abilities.has(Capability::RefusePrompt) {
            return;
        }
        self.fitted.refuses_turn = Some(format!("the prompt was refused: {reason}"));
        self.fitted.conclusion.ruling = Ruling::Silent;
        let name = self.name;
        self.lose(format!(
            "{name} can't drop a prompt: every tool that it requests in this turn is refused"
        ));
    }

    fn withhold(&mut self) {
        if !self.fitted.conclusion.ruling.is_refusal() || self.abilities.has(Capability::Withhold) {
            return;
        }
        let name = self.name;
        self.lose(format!(
            "{name} can't withhold a result: the model reads it along with the reason"
        ));
    }

    fn end(&mut self) {
        let name = self.name;
        if let Ruling::Refuse(_) | Ruling::Ask(_) = self.fitted.conclusion.ruling
            && !self.abilities.has(Capability::Retry)
        {
            self.fitted.conclusion.ruling = Ruling::Silent;
            self.lose(format!(
                "{name} can't be made to continue at the end of a turn: the answer stands"
            ));
        }
        if let Ruling::Stop(_) = self.fitted.conclusion.ruling
            && !self.abilities.end_run.contains(&Moment::End)
        {
            // The turn is ending anyway.
            self.fitted.conclusion.ruling = Ruling::Silent;
        }
    }

    /// Only hooks of other agents stop a session at its start (FD-21).
    fn start(&mut self) {
        let Ruling::Stop(reason) = &self.fitted.conclusion.ruling else {
            self.fitted.conclusion.ruling = Ruling::Silent;
            return;
        };
        if self.abilities.end_run.contains(&Moment::SessionStart) {
            return;
        }
        let name = self.name;
        let loss =
            format!("{name} can't be kept from continuing a session that a hook stopped: {reason}");
        self.fitted.conclusion.ruling = Ruling::Silent;
        self.lose(loss);
    }

    /// Only hooks of other agents refuse the compression of the history (FD-21).
    fn compress(&mut self) {
        let (Ruling::Refuse(reason) | Ruling::Stop(reason) | Ruling::Ask(reason)) =
            &self.fitted.conclusion.ruling
        else {
            return;
        };
        let reason = reason.clone();
        if self.abilities.has(Capability::KeepHistory) {
            self.fitted.conclusion.ruling = Ruling::Refuse(reason);
            return;
        }
        let name = self.name;
        self.fitted.conclusion.ruling = Ruling::Silent;
        self.lose(format!(
            "{name} can't be kept from compressing the history, which a hook refused: {reason}"
        ));
    }

    /// Finds a place for text for the model: here, in the reason of a refusal, or later.
    fn context(&mut self) {
        let conclusion = &mut self.fitted.conclusion;
        let Some(context) = conclusion.context.take() else {
            return;
        };
        // Whether a person wrote the prompt can't be determined there (BR-11).
        let is_told = self.moment != Moment::Prompt || self.abilities.has(Capability::TellPrompts);
        if self.abilities.context.contains(&self.moment) && is_told {
            conclusion.context = Some(context);
            return;
        }
        let name = self.name;
        if let Ruling::Refuse(reason) | Ruling::Stop(reason) = &mut conclusion.ruling
            && matches!(self.moment, Moment::BeforeTool | Moment::AfterTool)
        {
            reason.push('\n');
            reason.push_str(&context);
            return;
        }
        let later: &[Moment] = match self.moment {
            Moment::BeforeTool => &[Moment::AfterTool, Moment::Prompt],
            Moment::AfterTool | Moment::SessionStart | Moment::End => &[Moment::Prompt],
            _ => &[],
        };
        let place = later.iter().find(|it| {
            self.abilities.context.contains(it)
                && (**it != Moment::Prompt || self.abilities.has(Capability::TellPrompts))
        });
        match place {
            Some(place) => {
                self.fitted.carried = Some(context);
                let place = if *place == Moment::AfterTool {
                    "with the next result"
                } else {
                    "with the next prompt"
                };
                self.lose(format!(
                    "{name} can't pass text to the model here: the model gets it {place}"
                ));
            }
            None => self.lose(format!(
                "{name} can't pass text to the model here: it was dropped"
            )),
        }
    }
}
