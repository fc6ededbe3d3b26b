//! Texts that never occur in what a condition searches: the possible values of some fields of
//! paths, effects and commands are known.

use std::collections::BTreeMap;
use std::sync::Arc;

use cel::IdedExpr;
use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, LiteralValue, operators};

use super::patterns::Sought;
use super::{Doubt, collect_texts, fields};
use crate::effects::EFFECTS;
use crate::fact::Fact;
use crate::secrets::KINDS;

/// What a path has (HT-1).
const PATH_FIELDS: [&str; 4] = ["name", "path", "use", "inside"];

/// What an effect has (HT-40).
const EFFECT_FIELDS: [&str; 3] = ["name", "line", "about"];

/// What a secret has (HT-41).
const SECRET_FIELDS: [&str; 5] = ["kind", "certain", "entropy", "chosen", "length"];

/// What a command has (HT-30).
const COMMAND_FIELDS: [&str; 13] = [
    "program",
    "subcommand",
    "name",
    "line",
    "args",
    "flags",
    "env",
    "redirects",
    "reads",
    "writes",
    "deletes",
    "through",
    "known",
];

/// The uses of a path.
const USES: [&str; 3] = ["read", "write", "delete"];

/// What people call a use, and what it is.
const OTHER_USES: &[(&str, &str)] = &[
    ("modify", "write"),
    ("edit", "write"),
    ("create", "write"),
    ("change", "write"),
    ("update", "write"),
    ("overwrite", "write"),
    ("append", "write"),
    ("remove", "delete"),
    ("rm", "delete"),
    ("unlink", "delete"),
    ("open", "read"),
    ("view", "read"),
    ("execute", "read"),
];

/// Flags of one letter, written together as people do.
const BUNDLES: [&str; 9] = [
    "-rf", "-fr", "-Rf", "-fR", "-fd", "-df", "-fdx", "-xdf", "-dfx",
];

/// Services whose keys are recognised by their form, not by these names.
const VENDORS: [&str; 16] = [
    "anthropic",
    "aws",
    "azure",
    "cloud",
    "gcp",
    "github",
    "gitlab",
    "google",
    "huggingface",
    "openai",
    "pypi",
    "rsa",
    "sendgrid",
    "slack",
    "stripe",
    "twilio",
];

/// The fields of a list's elements.
fn fields_of(list: &str) -> &'static [&'static str] {
    match list {
        "paths" => &PATH_FIELDS,
        "effects" => &EFFECT_FIELDS,
        "secrets" => &SECRET_FIELDS,
        _ => &COMMAND_FIELDS,
    }
}

/// Returns the list, if an expression is one whose elements' fields are known.
fn list_of(expression: &IdedExpr) -> Option<&str> {
    match &expression.expr {
        Expr::Ident(name) if ["paths", "effects", "secrets"].contains(&name.as_str()) => Some(name),
        Expr::Select(select)
            if select.field == "commands"
                && matches!(&select.operand.expr, Expr::Ident(name) if name == "shell") =>
        {
            Some("commands")
        }
        // A filtered list has the same elements.
        Expr::Comprehension(it) if matches!(it.accu_init.expr, Expr::List(_)) => {
            is_filter(it).then(|| list_of(&it.iter_range))?
        }
        _ => None,
    }
}

/// Returns whether a comprehension keeps some of the elements as they are: `effects.filter(e, …)`.
fn is_filter(comprehension: &ComprehensionExpr) -> bool {
    match &comprehension.loop_step.expr {
        Expr::Call(call) => {
            call.func_name == operators::CONDITIONAL
                && matches!(&call.args[..], [_, kept, _] if adds(kept, &comprehension.iter_var))
        }
        _ => false,
    }
}

/// Returns whether a step adds the element itself: `result + [e]`.
fn adds(step: &IdedExpr, variable: &str) -> bool {
    let Expr::Call(call) = &step.expr else {
        return false;
    };
    let Some(Expr::List(list)) = call.args.last().map(|it| &it.expr) else {
        return false;
    };
    matches!(&list.elements[..], [one] if matches!(&one.expr, Expr::Ident(name) if name == variable))
}

/// Judges `effects[0].nome`, where no element has such a field.
pub(super) fn doubt_of_element(operand: &IdedExpr, field: &str) -> Option<Doubt> {
    let Expr::Call(call) = &operand.expr else {
        return None;
    };
    let [list, _] = &call.args[..] else {
        return None;
    };
    let list = list_of(list).filter(|_| call.func_name == operators::INDEX)?;
    let known = fields_of(list);
    (!known.contains(&field)).then(|| Doubt::NoField {
        of: format!("{list}[…]"),
        field: field.to_owned(),
        known: fields(known),
    })
}

/// Judges a part that reads nothing but effects, whatever texts it contains: it is never true if it
/// is false for no effects, for each one alone, and for all of them together.
pub(super) fn doubt_of_effects(expression: &IdedExpr) -> Option<Doubt> {
    let mut texts = Vec::new();
    texts_within(expression, &mut texts);
    if texts.is_empty() || !asks_for_effects_alone(expression, &mut Vec::new()) {
        return None;
    }
    let effect = |name: &&str| {
        let unknown = || Fact::Unknown(Arc::from("it isn't asked"));
        Fact::map([
            ("name", Fact::text(*name)),
            ("line", unknown()),
            ("about", unknown()),
        ])
    };
    let all: Vec<Fact> = EFFECTS.iter().map(effect).collect();
    let alone = all.iter().map(|it| vec![it.clone()]);
    let mut tried = alone.chain([Vec::new(), all.clone()]);
    let is_false = |effects: Vec<Fact>| {
        let facts = BTreeMap::from([("effects".to_owned(), Fact::list(effects))]);
        super::value(expression, &facts) == Some(false)
    };
    tried.all(is_false).then(|| Doubt::NeverHeld {
        of: "\"name\" of effects".to_owned(),
        text: texts.join(", "),
        why: Why::OneOf(EFFECTS.to_vec(), None),
    })
}

/// Returns whether an expression reads nothing but the effects and variables bound within it.
fn asks_for_effects_alone(expression: &IdedExpr, bound: &mut Vec<String>) -> bool {
    match &expression.expr {
        Expr::Ident(name) => name == "effects" || bound.contains(name),
        Expr::Select(select) => asks_for_effects_alone(&select.operand, bound),
        Expr::Call(call) => {
            let target = call.target.iter().map(|it| &**it);
            target
                .chain(&call.args)
                .all(|it| asks_for_effects_alone(it, bound))
        }
        Expr::List(list) => list
            .elements
            .iter()
            .all(|it| asks_for_effects_alone(it, bound)),
        Expr::Comprehension(it) => {
            let is_range = asks_for_effects_alone(&it.iter_range, bound);
            bound.extend([it.iter_var.clone(), it.accu_var.clone()]);
            let mut parts = [&it.accu_init, &it.loop_cond, &it.loop_step, &it.result].into_iter();
            let are_parts = parts.all(|it| asks_for_effects_alone(it, bound));
            bound.truncate(bound.len() - 2);
            is_range && are_parts
        }
        Expr::Literal(_) => true,
        _ => false,
    }
}

/// Collects the texts of an expression, also within conditions on each element.
fn texts_within(expression: &IdedExpr, texts: &mut Vec<String>) {
    match &expression.expr {
        Expr::Comprehension(it) => {
            for part in [&it.iter_range, &it.loop_cond, &it.loop_step, &it.result] {
                texts_within(part, texts);
            }
        }
        Expr::Call(call) => {
            let target = call.target.iter().map(|it| &**it);
            target
                .chain(&call.args)
                .for_each(|it| texts_within(it, texts));
        }
        other => collect_texts(other, texts),
    }
}

/// Looks into the condition on each element of a list.
pub(super) fn doubt(comprehension: &ComprehensionExpr) -> Option<Doubt> {
    let list = list_of(&comprehension.iter_range)?;
    let finder = Finder {
        list,
        variable: &comprehension.iter_var,
    };
    [&comprehension.loop_cond, &comprehension.loop_step]
        .into_iter()
        .find_map(|it| finder.look(it))
}

struct Finder<'f> {
    list: &'f str,
    variable: &'f str,
}

impl Finder<'_> {
    fn look(&self, expression: &IdedExpr) -> Option<Doubt> {
        match &expression.expr {
            Expr::Call(call) => {
                let target = call.target.iter().map(|it| &**it);
                let mut parts = target.chain(&call.args);
                self.comparison(call)
                    .or_else(|| self.field(expression).and_then(|it| self.no_field(it)))
                    .or_else(|| parts.find_map(|it| self.look(it)))
            }
            Expr::Comprehension(it) => [&it.iter_range, &it.loop_cond, &it.loop_step, &it.result]
                .into_iter()
                .find_map(|it| self.look(it)),
            Expr::Select(select) => match self.field(expression) {
                Some(field) if !select.test => self.no_field(field),
                _ => self.look(&select.operand),
            },
            _ => None,
        }
    }

    /// Judges `x.field`, where no element has such a field.
    fn no_field(&self, field: &str) -> Option<Doubt> {
        let known = fields_of(self.list);
        (!known.contains(&field)).then(|| Doubt::NoField {
            of: self.variable.to_owned(),
            field: field.to_owned(),
            known: fields(known),
        })
    }

    /// Judges `x.field == "text"`, `x.field in ["text"]` and `"text" in x.field`.
    fn comparison(&self, call: &CallExpr) -> Option<Doubt> {
        let operation = call.func_name.as_str();
        if let Some((of, sought, text)) = Sought::of(call) {
            let field = self.field(of)?;
            let why = self.part_mismatch_reason(field, &sought)?;
            return Some(self.never_doubt(field, text, why));
        }
        let [one, other] = &call.args[..] else {
            return None;
        };
        if operation == operators::IN && self.field(other) == Some("flags") {
            let text = text(one)?;
            return BUNDLES
                .contains(&text.as_str())
                .then(|| self.never_doubt("flags", text.clone(), Why::Bundle));
        }
        let (field, texts) = match (self.field(one), self.field(other)) {
            (Some(field), _) => (field, texts_of(other)?),
            (None, Some(field)) => (field, texts_of(one)?),
            _ => return None,
        };
        if ![operators::EQUALS, operators::IN].contains(&operation) {
            return None;
        }
        // One of several strings may be meant for another call, but not all of them.
        let why = texts
            .first()
            .and_then(|it| self.mismatch_reason(field, it))?;
        let mut others = texts.iter().skip(1);
        let text = texts.first()?.clone();
        others
            .all(|it| self.mismatch_reason(field, it).is_some())
            .then(|| self.never_doubt(field, text, why))
    }

    fn never_doubt(&self, field: &str, text: String, why: Why) -> Doubt {
        let list = match self.list {
            "commands" => "shell.commands",
            other => other,
        };
        Doubt::NeverHeld {
            of: format!("\"{field}\" of {list}"),
            text,
            why,
        }
    }

    /// Returns why a field never contains what is sought in it.
    fn part_mismatch_reason(&self, field: &str, sought: &Sought) -> Option<Why> {
        match (self.list, field) {
            ("commands", "program") if sought.needs(char::is_whitespace) => Some(Why::OneWord),
            ("commands", "program") if sought.needs(|it| it == '/') => Some(Why::BaseName),
            ("paths", "name") if sought.needs(|it| it == '/') => Some(Why::LastPart),
            ("paths", "path") => {
                let beginning = sought.required_prefix()?;
                let is_plain = beginning.starts_with(|it: char| it.is_alphanumeric() || it == '.');
                let is_drive = beginning.len() == 1 || beginning.get(1..2) == Some(":");
                (is_plain && !is_drive).then_some(Why::Rooted(beginning))
            }
            _ => None,
        }
    }

    /// Returns why a field never equals a text.
    fn mismatch_reason(&self, field: &str, text: &str) -> Option<Why> {
        let is_plain = |text: &str| !text.contains(['*', '?', '$', '~', '^', '\\', '|']);
        match (self.list, field) {
            ("paths", "use") if !USES.contains(&text) => {
                let mut others = OTHER_USES.iter();
                let meant = others.find(|(other, _)| other.eq_ignore_ascii_case(text));
                let meant = meant.map(|(_, meant)| *meant);
                let same = USES.into_iter().find(|it| it.eq_ignore_ascii_case(text));
                Some(Why::OneOf(USES.to_vec(), meant.or(same)))
            }
            ("paths", "path") if is_plain(text) && !text.is_empty() => {
                let is_absolute = text.starts_with(['/', '\\']) || text.get(1..2) == Some(":");
                (!is_absolute).then_some(Why::Absolute)
            }
            ("paths", "name") if is_plain(text) && text.contains('/') => Some(Why::NoFolder),
            ("commands", "program") if text.trim().contains(' ') => Some(Why::OneWord),
            ("commands", "program") if is_plain(text) && text.contains('/') => Some(Why::BaseName),
            ("effects", "name") if !EFFECTS.contains(&text) => {
                let plain = |it: &str| it.to_ascii_lowercase().replace(['-', '_', '.', ' '], "");
                let own = plain(text);
                let same = EFFECTS.iter().copied().find(|it| plain(it) == own);
                let family = format!("{text}.");
                let of_family = EFFECTS.iter().filter(|it| it.starts_with(&family));
                let of_family: Vec<&'static str> = of_family.copied().collect();
                match (same, of_family.is_empty()) {
                    (Some(same), _) => Some(Why::OneOf(vec![same], Some(same))),
                    (None, false) => Some(Why::Family(of_family)),
                    (None, true) => Some(Why::OneOf(EFFECTS.to_vec(), None)),
                }
            }
            ("secrets", "kind") if VENDORS.iter().any(|it| it.eq_ignore_ascii_case(text)) => {
                Some(Why::OneOf(KINDS.to_vec(), None))
            }
            _ => None,
        }
    }

    /// Returns the field if an expression is one of an element: `e.name` or `e["name"]`.
    fn field<'e>(&self, expression: &'e IdedExpr) -> Option<&'e str> {
        match &expression.expr {
            Expr::Call(call) if call.func_name == operators::INDEX => match &call.args[..] {
                [of, field] if matches!(&of.expr, Expr::Ident(name) if name == self.variable) => {
                    match &field.expr {
                        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
                        _ => None,
                    }
                }
                _ => None,
            },
            Expr::Select(select) => match &select.operand.expr {
                Expr::Ident(name) if name == self.variable => Some(&select.field),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Why a field never contains a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// The field has one of these values; the second one may have been meant.
    OneOf(Vec<&'static str>, Option<&'static str>),
    /// The text is only the first part of the values. The complete ones are these.
    Family(Vec<&'static str>),
    /// The field is an absolute path.
    Absolute,
    /// The field is the last component of a path.
    NoFolder,
    /// The field is only the name of a program.
    OneWord,
    /// The field is the name of a program without its folder.
    BaseName,
    /// The field is the last component of a path, and a folder is sought in it.
    LastPart,
    /// The field is an absolute path, and it would have to begin with this text.
    Rooted(String),
    /// Single-letter flags are listed separately.
    Bundle,
}

fn text(expression: &IdedExpr) -> Option<String> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner().to_owned()),
        _ => None,
    }
}

/// Returns the texts of a literal, or of a list of nothing else.
fn texts_of(expression: &IdedExpr) -> Option<Vec<String>> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(vec![text.inner().to_owned()]),
        Expr::List(list) => {
            let mut texts = Vec::new();
            collect_texts(&expression.expr, &mut texts);
            (texts.len() == list.elements.len() && !texts.is_empty()).then_some(texts)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Surroundings;
    use super::*;
    use crate::condition::Condition;

    fn never_held(text: &str) -> Option<Why> {
        let surroundings = Surroundings {
            event: "BeforeTool",
            absent: &[],
            tools: &[],
        };
        let doubts = Condition::read(text).expect(text).doubts(&surroundings);
        doubts.into_iter().find_map(|it| match it {
            Doubt::NeverHeld { why, .. } => Some(why),
            _ => None,
        })
    }

    /// HT-1, CM-3: values that a field of a path, an effect or a command never has are found.
    #[test]
    fn what_a_field_never_holds_is_found() {
        let of_use = |meant| Some(Why::OneOf(USES.to_vec(), meant));
        for (text, why) in [
            (
                "paths.exists(p, p.use == 'modify' && p.name == '.env')",
                of_use(Some("write")),
            ),
            (
                "paths.exists(p, p.use in ['edit', 'remove'])",
                of_use(Some("write")),
            ),
            ("paths.exists(p, p.use == 'Write')", of_use(Some("write"))),
            ("paths.exists(p, p.path == '.env')", Some(Why::Absolute)),
            (
                "paths.exists(p, p.path in ['src/a.py', 'b'])",
                Some(Why::Absolute),
            ),
            (
                "paths.exists(p, p.name == 'secrets/.env')",
                Some(Why::NoFolder),
            ),
            (
                "shell.commands.exists(c, c.program == 'rm -rf')",
                Some(Why::OneWord),
            ),
            (
                "shell.commands.exists(c, c.program == 'rm' && '-rf' in c.flags)",
                Some(Why::Bundle),
            ),
            (
                "effects.exists(e, e.name == 'git.forcepush')",
                Some(Why::OneOf(vec!["git.force-push"], Some("git.force-push"))),
            ),
        ] {
            assert_eq!(never_held(text), why, "{text}");
        }
        for text in [
            "effects.exists(e, e.name == 'netwrok')",
            "effects.exists(e, e.name in ['overwrites', 'net'])",
            "effects.exists(e, e.name.startsWith('branches.'))",
            "effects.exists(e, e.name.endsWith('.forcepush'))",
            "effects.exists(e, e.name.matches('^netwrok'))",
            "effects.exists(e, e.name.contains('netwrok') || e.name == 'x')",
            "effects.exists(e, like(e.name, ['netwrok*', 'x']))",
            "effects.exists(e, e['name'] == 'netwrok')",
            "effects.filter(e, e.name == 'netwrok').size() > 0",
            "'netwrok' in effects.map(e, e.name)",
            "effects.map(e, e.name).exists(n, n == 'netwrok')",
            "tool.name == 'x' || effects.exists(e, e.name == 'netwrok')",
        ] {
            let why = never_held(text);
            assert!(
                matches!(why, Some(Why::OneOf(all, _)) if all == EFFECTS),
                "{text}"
            );
        }
        let of_vendor = never_held("secrets.exists(s, s.kind == 'aws')");
        assert!(matches!(of_vendor, Some(Why::OneOf(all, None)) if all == KINDS));
        let of_delete = never_held("effects.exists(e, e.name == 'delete')");
        assert!(matches!(of_delete, Some(Why::Family(names)) if names.contains(&"delete.root")));
    }

    /// HT-1, CM-3: values that a field may have aren't reported.
    #[test]
    fn what_a_field_may_hold_is_not_reported() {
        for text in [
            "paths.exists(p, p.use == 'write' && p.name == '.env')",
            "paths.exists(p, p.use != 'read')",
            "secrets.exists(s, s.kind == 'cloud key' || s.kind == 'DB_PASSWORD')",
            "paths.exists(p, p.path == '/etc/passwd')",
            "paths.exists(p, p.path.endsWith('src/a.py'))",
            "paths.exists(p, p.path in ['/etc/passwd', 'x'])",
            "paths.exists(p, glob(p.path, 'src/**'))",
            "shell.commands.exists(c, c.program == 'rm')",
            "shell.commands.exists(c, '-r' in c.flags && '-f' in c.flags)",
            "shell.commands.exists(c, c.program == 'terraform' && '-auto-approve' in c.flags)",
            "shell.commands.exists(c, c.line == 'rm -rf x')",
            "effects.exists(e, e.name == 'git.force-push')",
            "effects.exists(e, e.name in ['network', 'one.of.tomorrow'])",
            "effects.exists(e, e.name.startsWith('env.'))",
            "effects.exists(e, e.name == 'network' && e.about.contains('example.org'))",
            "effects.all(e, e.name != 'network')",
            "effects.exists_one(e, e.name.startsWith('delete.'))",
            "effects.exists(e, like(e.name, ['delete.*', 'later.*']))",
            "effects.exists(e, e.name == tool.name)",
            "effects.size() == 3",
            "effects.exists(e, e.name.startsWith('delete.'))",
            "tool.input.paths.exists(p, p == 'x')",
            "paths.exists(p, p.use == 'modify') || paths.exists(p, p.use == 'write')",
        ] {
            assert_eq!(never_held(text), None, "{text}");
        }
    }

    /// HT-1, CM-3: a field that no element has is found, wherever it is used; one whose presence is
    /// checked first isn't.
    #[test]
    fn a_field_that_no_element_has_is_found() {
        let surroundings = Surroundings {
            event: "BeforeTool",
            absent: &[],
            tools: &[],
        };
        let doubts = |text: &str| Condition::read(text).expect(text).doubts(&surroundings);
        for text in [
            "paths.exists(p, p.size > 10)",
            "paths.all(p, p.nope == 'x')",
            "effects.exists(e, e.nome == 'network')",
            "effects.exists(e, e.nome.startsWith('network'))",
            "secrets.exists(s, s.sort == 'key')",
            "effects.exists(e, e['nome'] == 'network')",
            "effects[0].nome == 'network'",
            "effects.filter(e, e.name == 'network').exists(e, e.line2 == 'x')",
            "paths.exists(p, p.nmae == 'x') || tool.name == 'replace'",
            "shell.commands.exists(c, c.argv.exists(a, a == '-f'))",
            "shell.commands.exists(c, c.program == 'rm' && !('-i' in c.options))",
        ] {
            let found = doubts(text);
            assert!(
                matches!(found[..], [Doubt::NoField { .. }]),
                "{text}: {found:?}"
            );
        }
        for text in [
            "paths.exists(p, has(p.size))",
            "paths.exists(p, p.inside && p.use == 'read')",
            "secrets.exists(s, s.certain && s.entropy > 3.0 && s.length > 8 && !s.chosen)",
            "shell.commands.exists(c, c.env.CI == '1')",
        ] {
            assert_eq!(doubts(text), [], "{text}");
        }
    }
}
