//! The certificates that all clients in the program trust: models, MCP servers, services that are
//! hooks.
//!
//! ```
//! use hookloop_tls::{Way, client_config};
//!
//! let plain = client_config(Way::Plain)?;
//! assert!(!plain.alpn_protocols.contains(&b"h3".to_vec()));
//! # Ok::<(), String>(())
//! ```

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

/// Whether anything is encrypted on the way to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The server or a proxy is reached by TLS: the system's certificates are trusted.
    Encrypted,
    /// Nothing is encrypted: no certificate is loaded, and none is trusted.
    Plain,
}

/// Returns the settings of TLS for a client.
///
/// # Errors
/// The error says why the system's trusted certificates can't be loaded.
pub fn client_config(way: Way) -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(match way {
        Way::Encrypted => builder
            .with_platform_verifier()
            .map_err(|error| format!("the system's trusted certificates: {error}"))?
            .with_no_client_auth(),
        Way::Plain => builder
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth(),
    })
}
