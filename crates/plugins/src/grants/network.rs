//! Which addresses a component may reach, and to which addresses a granted name may resolve
//! (HT-20).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::lookup_host;
use wasmtime_wasi::WasiCtxBuilder;
use wasmtime_wasi::sockets::SocketAddrUse;

use crate::state::Names;

/// The addresses that were granted.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    addresses: Arc<[Address]>,
    /// Whether a granted name may resolve to an address of this machine or of a private network.
    inner: Inner,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inner {
    /// It may: the grant is the user's own, and means what the name means here.
    Reached,
    /// It may not: the grant is a project's or an extension's, and the owner of the name could
    /// point it at a service that nobody agreed to. Such an address must be granted itself.
    Kept,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Address {
    host: Host,
    port: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Host {
    Ip(IpAddr),
    Name(String),
}

impl Reach {
    /// Parses grants. The error describes the required form.
    pub(super) fn of(grants: &[String], is_of_stranger: bool) -> Result<Self, String> {
        let addresses: Result<Vec<Address>, String> = grants.iter().map(|it| address(it)).collect();
        Ok(Self {
            addresses: addresses?.into(),
            inner: if is_of_stranger {
                Inner::Kept
            } else {
                Inner::Reached
            },
        })
    }

    /// Allows the granted connections.
    pub(super) fn open(&self, builder: &mut WasiCtxBuilder) {
        builder
            .allow_tcp(!self.addresses.is_empty())
            .allow_ip_name_lookup(!self.names().0.is_empty());
        let reach = self.clone();
        builder.socket_addr_check(move |address, purpose| {
            let reach = reach.clone();
            Box::pin(async move {
                match purpose {
                    SocketAddrUse::TcpConnect => reach.holds(address).await,
                    // To connect, a socket is bound to any free port; listening isn't possible.
                    SocketAddrUse::TcpBind => address.ip().is_unspecified() && address.port() == 0,
                    _ => false,
                }
            })
        });
    }

    /// Returns the names among the grants.
    pub(super) fn names(&self) -> Names {
        let names = self.addresses.iter().filter_map(|it| match &it.host {
            Host::Name(name) => Some(name.clone()),
            Host::Ip(_) => None,
        });
        Names(names.collect())
    }

    /// Returns whether an address is granted. Names are resolved here; what the component claims
    /// that they resolve to doesn't count.
    async fn holds(&self, address: SocketAddr) -> bool {
        let ip = address.ip().to_canonical();
        for granted in self.addresses.iter().filter(|it| it.port == address.port()) {
            match &granted.host {
                Host::Ip(granted) if granted.to_canonical() == ip => return true,
                Host::Ip(_) => {}
                Host::Name(_) if self.inner == Inner::Kept && is_inner(ip) => {}
                Host::Name(name) => {
                    let found = lookup_host((name.as_str(), granted.port)).await;
                    if found.is_ok_and(|mut all| all.any(|it| it.ip().to_canonical() == ip)) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

fn address(text: &str) -> Result<Address, String> {
    let wrong = || {
        format!(
            "its right to reach {text:?} can't be read: write a host and a port, such as \
             \"hooks.example:443\" or \"127.0.0.1:8080\""
        )
    };
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok(Address {
            host: Host::Ip(address.ip()),
            port: address.port(),
        });
    }
    let (name, port) = text.rsplit_once(':').ok_or_else(wrong)?;
    let is_name = |sign: char| sign.is_ascii_alphanumeric() || "-._".contains(sign);
    if name.is_empty() || !name.chars().all(is_name) {
        return Err(wrong());
    }
    Ok(Address {
        host: Host::Name(name.to_ascii_lowercase()),
        port: port
            .parse()
            .ok()
            .filter(|port| *port > 0)
            .ok_or_else(wrong)?,
    })
}

/// Returns whether an address belongs to this machine or to a network that isn't public.
fn is_inner(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_inner_4(ip),
        IpAddr::V6(ip) => is_inner_6(ip),
    }
}

fn is_inner_4(ip: Ipv4Addr) -> bool {
    let [first, second, ..] = ip.octets();
    ip.is_loopback()
        || ip.is_private()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_broadcast()
        || first == 0
        || (first == 100 && (64..128).contains(&second))
        || (first == 192 && second == 0)
        || (first == 198 && (18..20).contains(&second))
        || first >= 240
}

fn is_inner_6(ip: Ipv6Addr) -> bool {
    let [first, second, .., seventh, eighth] = ip.segments();
    let embedded = Ipv4Addr::from((u32::from(seventh) << 16) | u32::from(eighth));
    ip.is_loopback()
        || ip.is_unspecified()
        || ip.is_multicast()
        || first & 0xfe00 == 0xfc00
        || first & 0xffc0 == 0xfe80
        || first & 0xffc0 == 0xfec0
        // Translated IPv6 addresses mean the IPv4 address that they contain.
        || (first == 0x64 && second == 0xff9b && is_inner_4(embedded))
        || (first == 0x2002 && is_inner_4(Ipv4Addr::from((u32::from(second) << 16) | u32::from(ip.segments()[2]))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HT-20: a right to the network names a host and a port.
    #[test]
    fn a_right_to_the_network_names_host_and_port() {
        for text in ["a.example:443", "127.0.0.1:80", "[::1]:80", "LOCALHOST:1"] {
            assert!(address(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "*",
            "a.example",
            "a.example:0",
            "a.example:70000",
            ":443",
            "https://a.example:443",
            "a b:1",
            "*.example:443",
            "[::1]",
            "a.example:443/x",
            "user@a.example:443",
        ] {
            assert!(address(text).is_err(), "{text}");
        }
    }

    /// HT-20: a granted name of a project resolves to no address of this machine or of a private
    /// network, however it is written; one of the person's own does.
    #[tokio::test]
    async fn a_name_of_a_project_leads_to_no_inner_address() {
        let to = |text: &str| text.parse::<SocketAddr>().expect("an address");
        let named = vec!["localhost:80".to_owned()];
        let strange = Reach::of(&named, true).expect("a grant");
        let own = Reach::of(&named, false).expect("a grant");
        assert!(!strange.holds(to("127.0.0.1:80")).await);
        assert!(own.holds(to("127.0.0.1:80")).await);
        assert!(!own.holds(to("127.0.0.1:81")).await);
        assert!(!own.holds(to("10.0.0.1:80")).await);
        let plain = Reach::of(&["127.0.0.1:80".to_owned()], true).expect("a grant");
        assert!(plain.holds(to("127.0.0.1:80")).await);
        assert!(plain.holds(to("[::ffff:127.0.0.1]:80")).await);
        assert!(!plain.holds(to("127.0.0.2:80")).await);
        for ip in [
            "127.0.0.1",
            "10.1.1.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "198.18.0.1",
            "::1",
            "::",
            "fd00::1",
            "fe80::1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
        ] {
            assert!(is_inner(ip.parse().expect("an address")), "{ip}");
        }
        for ip in ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "64:ff9b::808:808"] {
            assert!(!is_inner(ip.parse().expect("an address")), "{ip}");
        }
    }
}
