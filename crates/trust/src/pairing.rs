//! Which of the current hooks each record is about (TR-1, TR-8): all records and all hooks of a
//! project are matched at once, so that no hook is mistaken for another one.

use std::collections::{HashMap, HashSet};

use hookloop_hook::HookDeclaration;
use serde_json::{Value, json};

use self::Property::{Command, Event, MadeOf, Matcher, Name};
use crate::fields::{Fields, fields};
use crate::record::TrustRecord;

/// A property by which a record and a hook are compared.
#[derive(Debug, Clone, Copy)]
enum Property {
    Event,
    Name,
    Matcher,
    MadeOf,
    Command,
}

/// A way in which a record and a hook can be a pair.
#[derive(Debug, Clone, Copy)]
struct Likeness {
    /// The properties that both must have in common.
    shared: &'static [Property],
    /// Which records and hooks it can pair.
    among: fn(&Traits) -> bool,
}

impl Likeness {
    const fn among(among: fn(&Traits) -> bool, shared: &'static [Property]) -> Self {
        Self { shared, among }
    }

    const fn by(shared: &'static [Property]) -> Self {
        Self::among(|_| true, shared)
    }

    /// Returns the values of the shared properties; `None` if this can't pair the record or hook.
    fn key(self, traits: &Traits) -> Option<Key<'_>> {
        let shared = || self.shared.iter().copied();
        let can_pair = (self.among)(traits) && shared().all(|it| traits.can_share(it));
        can_pair.then(|| shared().map(|it| traits.value(it)).collect())
    }
}

/// The values of the properties that a record and a hook have in common if they are a pair.
type Key<'t> = Vec<Option<&'t str>>;

/// The ways to make pairs, nearest first. Hooks made of the same things are the same hook, then
/// hooks with the same name. A hook without a name and a command to distinguish it may have become
/// any other of its kind. Whatever is left may have come from another event.
const LIKENESSES: [Likeness; 11] = [
    Likeness::by(&[Event, Name, MadeOf, Matcher]),
    Likeness::by(&[Event, Name, MadeOf]),
    Likeness::by(&[Event, Name, Command, Matcher]),
    Likeness::by(&[Event, Name, Command]),
    Likeness::among(Traits::has_only_a_name, &[Event, Name, Matcher]),
    Likeness::among(Traits::has_only_a_name, &[Event, Name]),
    Likeness::by(&[Event, Command, Matcher]),
    Likeness::by(&[Event, Command]),
    Likeness::among(Traits::may_move, &[Name, MadeOf]),
    Likeness::among(Traits::has_name, &[Name]),
    Likeness::among(|it| !it.has_name(), &[Command]),
];

/// Which records are about which hooks. A record of exactly an entry is about that entry and its
/// copies; any other is about one hook at most, and no hook has two of these.
#[derive(Debug)]
pub(crate) struct Pairing {
    /// By the places of hooks: the place of the record of what each hook is or was.
    of_hooks: Vec<Option<usize>>,
    /// By the places of records: whether each is about a hook.
    is_there: Vec<bool>,
}

impl Pairing {
    /// Matches records with hooks that need trust. Hooks that are known elsewhere exactly as they
    /// are come last: they don't depend on a record here.
    pub(crate) fn of<'a>(
        records: &[TrustRecord],
        hooks: &[HookDeclaration],
        elsewhere: impl IntoIterator<Item = &'a TrustRecord>,
    ) -> Self {
        let mut pairing = Self {
            of_hooks: vec![None; hooks.len()],
            is_there: vec![false; records.len()],
        };
        if records.is_empty() {
            return pairing;
        }
        let hooks: Vec<(usize, Traits)> = (hooks.iter().enumerate())
            .filter(|(_, hook)| hook.is_from_project())
            .map(|(place, hook)| (place, Traits::from_hook(hook)))
            .collect();
        let records: Vec<Traits> = records.iter().map(Traits::from_record).collect();
        pairing.match_exactly(&records, &hooks);
        let elsewhere = Entries::from_records(elsewhere).entries;
        let is_elsewhere = |(_, hook): &(usize, Traits)| {
            let entry = hook.entry.as_ref();
            entry.is_some_and(|it| elsewhere.contains(it))
        };
        let (mut order, first): (Vec<_>, Vec<_>) = hooks.into_iter().partition(is_elsewhere);
        order.extend(first);
        for likeness in LIKENESSES {
            pairing.match_by(likeness, &records, &order);
        }
        pairing
    }

    /// Returns the place of the record of what the hook is or was.
    pub(crate) fn record_of(&self, hook: usize) -> Option<usize> {
        self.of_hooks.get(hook).copied().flatten()
    }

    /// Returns the places of the records whose hooks are gone.
    pub(crate) fn unpaired(&self) -> impl Iterator<Item = usize> {
        let all = self.is_there.iter().enumerate();
        all.filter(|(_, is_there)| !**is_there)
            .map(|(place, _)| place)
    }

    fn match_exactly(&mut self, records: &[Traits], hooks: &[(usize, Traits)]) {
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut of_old: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, hook) in hooks {
            if let Some(entry) = &hook.entry {
                places.entry(entry).or_default().push(*place);
            }
            of_old.entry(&hook.old_entry).or_default().push(*place);
        }
        for (record, traits) in records.iter().enumerate() {
            let known = match &traits.entry {
                Some(entry) => places.get(&**entry),
                None => of_old.get(&*traits.old_entry),
            };
            for place in known.into_iter().flatten() {
                self.of_hooks[*place] = Some(record);
                self.is_there[record] = true;
            }
        }
    }

    /// Makes pairs in one way. The latest record comes first: an earlier one of the same hook is
    /// obsolete.
    fn match_by(&mut self, likeness: Likeness, records: &[Traits], hooks: &[(usize, Traits)]) {
        let mut waiting: HashMap<Key<'_>, Vec<usize>> = HashMap::new();
        for (place, hook) in hooks {
            if let (None, Some(key)) = (self.of_hooks[*place], likeness.key(hook)) {
                waiting.entry(key).or_default().push(*place);
            }
        }
        for (record, traits) in records.iter().enumerate().rev() {
            if self.is_there[record] {
                continue;
            }
            let found = likeness
                .key(traits)
                .and_then(|key| waiting.get_mut(&key)?.pop());
            if let Some(place) = found {
                self.of_hooks[place] = Some(record);
                self.is_there[record] = true;
            }
        }
    }
}

/// Entries by all that they contain, whatever their files are.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    entries: HashSet<String>,
    /// The same by the fields that version 0.1 recorded.
    old: HashSet<String>,
}

impl Entries {
    pub(crate) fn from_hooks<'a>(hooks: impl IntoIterator<Item = &'a HookDeclaration>) -> Self {
        let all = hooks.into_iter().map(Traits::from_hook);
        let all = all.map(|it| (it.entry.unwrap_or_default(), it.old_entry));
        let (entries, old) = all.unzip();
        Self { entries, old }
    }

    pub(crate) fn from_records<'a>(records: impl IntoIterator<Item = &'a TrustRecord>) -> Self {
        let mut entries = Self::default();
        for record in records.into_iter().map(Traits::from_record) {
            match record.entry {
                Some(entry) => entries.entries.insert(entry),
                None => entries.old.insert(record.old_entry),
            };
        }
        entries
    }

    /// Returns whether one of them is exactly a record's entry.
    pub(crate) fn contain(&self, record: &TrustRecord) -> bool {
        let record = Traits::from_record(record);
        match record.entry {
            Some(entry) => self.entries.contains(&entry),
            None => self.old.contains(&record.old_entry),
        }
    }
}

/// Returns whether a record is certainly about a hook, including one of another worktree: by its
/// name, or because it may be.
pub(crate) fn is_surely_about(record: &TrustRecord, hook: &HookDeclaration) -> bool {
    record.name.is_some() && record.name == hook.name || may_match(record, hook)
}

/// Returns whether a record may be an earlier or later state of a hook: same event, and same name,
/// or otherwise same command. If neither distinguishes them, what they are made of does.
pub(crate) fn may_match(record: &TrustRecord, hook: &HookDeclaration) -> bool {
    let is_same = match (&record.name, &*record.command) {
        (Some(_), _) if record.name == hook.name => true,
        (None, "") => Entries::from_hooks([hook]).contain(record),
        (_, command) => !command.is_empty() && command == hook.command(),
    };
    record.event == hook.event.as_str() && is_same
}

/// What distinguishes hooks.
struct Traits {
    event: String,
    name: Option<String>,
    command: String,
    matcher: Option<String>,
    /// What it is made of, whenever it runs; nothing in records of version 0.1, which only had
    /// commands.
    made_of: Option<String>,
    /// All its fields; nothing in records of version 0.1.
    entry: Option<String>,
    /// The fields that version 0.1 recorded.
    old_entry: String,
}

impl Traits {
    fn from_hook(hook: &HookDeclaration) -> Self {
        let fields = fields(hook);
        let old = json!([
            hook.event.as_str(),
            hook.name,
            hook.command(),
            hook.matcher,
            hook.env
        ]);
        Self {
            event: hook.event.as_str().to_owned(),
            name: hook.name.clone(),
            command: hook.command().to_owned(),
            matcher: hook.matcher.clone(),
            made_of: Some(describe_fields(&fields)),
            entry: Some(json!(fields).to_string()),
            old_entry: old.to_string(),
        }
    }

    fn from_record(record: &TrustRecord) -> Self {
        let fields = (!record.is_of_first_rules()).then_some(&record.fields);
        let old = json!([
            record.event,
            record.name,
            record.command,
            record.matcher,
            record.env
        ]);
        Self {
            event: record.event.clone(),
            name: record.name.clone(),
            command: record.command.clone(),
            matcher: record.matcher.clone(),
            made_of: fields.map(describe_fields),
            entry: fields.map(|it| json!(it).to_string()),
            old_entry: old.to_string(),
        }
    }

    fn value(&self, property: Property) -> Option<&str> {
        match property {
            Event => Some(&self.event),
            Name => self.name.as_deref(),
            Matcher => self.matcher.as_deref(),
            MadeOf => self.made_of.as_deref(),
            Command => (!self.command.is_empty()).then_some(&*self.command),
        }
    }

    /// Returns whether a property can make a pair: having no name and no matcher is something in
    /// common, having no command isn't.
    fn can_share(&self, property: Property) -> bool {
        matches!(property, Name | Matcher) || self.value(property).is_some()
    }

    fn has_name(&self) -> bool {
        self.name.is_some()
    }

    /// Returns whether only its name, or the lack of one, distinguishes it from others of its
    /// event.
    fn has_only_a_name(&self) -> bool {
        self.name.is_some() || self.command.is_empty()
    }

    /// Returns whether it may have moved to another event.
    fn may_move(&self) -> bool {
        self.name.is_some() || !self.command.is_empty()
    }
}

fn describe_fields(fields: &Fields) -> String {
    const IDENTIFYING_FIELDS: [&str; 10] = [
        "type", "command", "args", "url", "plugin", "rules", "server", "tool", "input", "prompt",
    ];
    let fields: Vec<Option<&Value>> = IDENTIFYING_FIELDS
        .iter()
        .map(|it| fields.get(*it))
        .collect();
    json!(fields).to_string()
}
