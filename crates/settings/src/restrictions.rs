//! What settings forbid, in Gemini CLI's words (AG-CLI-9). No layer can lift another layer's
//! prohibition, so all of them are kept, each with its place.

use hookloop_hook::Source;
use regex::Regex;

/// A prohibition.
#[derive(Debug, Clone)]
pub enum Forbidden {
    /// The approval mode that never asks.
    NeverAsking,
    /// "Allow always" in a question.
    AllowAlways,
    /// All MCP servers of a session.
    McpServers,
    /// All MCP servers of a session except these.
    OtherMcpServers(Vec<String>),
    /// The MCP server of this name.
    McpServer(String),
    /// All skills.
    Skills,
    /// The skill of this name.
    Skill(String),
    /// All sub-agents.
    SubAgents,
    /// The sub-agent of this name.
    SubAgent(String),
    /// All extensions.
    Extensions,
    /// Extensions from repositories.
    FetchedExtensions,
    /// All extensions except those whose source matches one of these patterns.
    OtherExtensions(Vec<Regex>),
    /// All ways to authenticate except this one.
    OtherAuthentication(String),
}

/// The prohibition of one setting.
#[derive(Debug, Clone)]
pub struct Restriction {
    /// What is forbidden.
    pub forbidden: Forbidden,
    /// The path of the setting, such as `mcp.excluded`.
    pub key: String,
    /// Its place.
    pub source: Source,
}

impl Restriction {
    /// Formats the setting with its place, as `file:line:column: "mcp.excluded"`.
    pub fn place(&self) -> String {
        format!("{}: \"{}\"", self.source, self.key)
    }
}

impl PartialEq for Restriction {
    /// Restrictions from one place are the same.
    fn eq(&self, other: &Self) -> bool {
        (&self.key, &self.source) == (&other.key, &other.source)
    }
}

/// The source of an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtensionSource<'a> {
    /// A repository, by its address.
    Fetched(&'a str),
    /// A folder, by its path.
    Folder(&'a str),
    /// Unknown: it was placed there manually.
    Unknown,
}

/// The prohibitions of all layers, the most trusted first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Restrictions(pub(crate) Vec<Restriction>);

impl FromIterator<Restriction> for Restrictions {
    /// Takes prohibitions, the most trusted layer's first.
    fn from_iter<I: IntoIterator<Item = Restriction>>(restrictions: I) -> Self {
        Self(restrictions.into_iter().collect())
    }
}

impl Restrictions {
    /// Joins what the layers that decide which extensions there are say.
    pub(crate) fn for_extensions(layers: [&Self; 2]) -> Self {
        let all = layers.into_iter().flat_map(|it| &it.0);
        Self(all.cloned().collect())
    }

    /// Appends what another layer forbids.
    pub(crate) fn extended_by(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Returns all of them, the most trusted layer's first.
    pub fn iter(&self) -> impl Iterator<Item = &Restriction> {
        self.0.iter()
    }

    /// Returns the prohibition of the mode that never asks.
    pub fn of_never_asking(&self) -> Option<&Restriction> {
        self.find(|it| matches!(it, Forbidden::NeverAsking))
    }

    /// Returns what forbids allowing something for the rest of a session.
    pub fn of_allow_always(&self) -> Option<&Restriction> {
        self.find(|it| matches!(it, Forbidden::AllowAlways))
    }

    /// Returns what keeps a server out of sessions.
    pub fn of_mcp_server(&self, name: &str) -> Option<&Restriction> {
        self.find(|it| match it {
            Forbidden::McpServers => true,
            Forbidden::OtherMcpServers(names) => !names.iter().any(|it| is_called(it, name)),
            Forbidden::McpServer(other) => is_called(other, name),
            _ => false,
        })
    }

    /// Returns what keeps a skill out.
    pub fn of_skill(&self, name: &str) -> Option<&Restriction> {
        self.find(|it| match it {
            Forbidden::Skills => true,
            Forbidden::Skill(other) => is_called(other, name),
            _ => false,
        })
    }

    /// Returns what keeps a sub-agent out.
    pub fn of_sub_agent(&self, name: &str) -> Option<&Restriction> {
        self.find(|it| match it {
            Forbidden::SubAgents => true,
            Forbidden::SubAgent(other) => is_called(other, name),
            _ => false,
        })
    }

    /// Returns what keeps an extension out. If a list says which may be there, nothing else about
    /// their source counts.
    pub fn of_extension(&self, from: ExtensionSource<'_>) -> Option<&Restriction> {
        let address = match from {
            ExtensionSource::Fetched(address) | ExtensionSource::Folder(address) => address,
            ExtensionSource::Unknown => "",
        };
        let has_list = self.find(|it| matches!(it, Forbidden::OtherExtensions(_)));
        self.find(|it| match it {
            Forbidden::Extensions => true,
            Forbidden::FetchedExtensions => {
                has_list.is_none() && matches!(from, ExtensionSource::Fetched(_))
            }
            Forbidden::OtherExtensions(patterns) => {
                from == ExtensionSource::Unknown || !patterns.iter().any(|it| it.is_match(address))
            }
            _ => false,
        })
    }

    /// Returns what enforces another way of authenticating than this one, and that way.
    pub fn of_authentication(&self, way: &str) -> Option<(&Restriction, &str)> {
        self.0.iter().find_map(|it| match &it.forbidden {
            Forbidden::OtherAuthentication(wanted) if wanted != way => Some((it, wanted.as_str())),
            _ => None,
        })
    }

    fn find(&self, forbids: impl Fn(&Forbidden) -> bool) -> Option<&Restriction> {
        self.0.iter().find(|it| forbids(&it.forbidden))
    }
}

/// Compares names as Gemini CLI does in these lists.
pub fn is_called(listed: &str, name: &str) -> bool {
    listed.trim().eq_ignore_ascii_case(name.trim())
}
