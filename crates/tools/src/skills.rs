//! Skills: instructions that the model loads when it needs them (TO-5).

mod activate_skill;
mod discovery;

pub use activate_skill::ActivateSkill;
pub use discovery::{Skill, SkillFolders, SkillProblem, Skills};
