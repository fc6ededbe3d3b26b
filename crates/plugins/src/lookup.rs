//! Which host names a component may resolve: those that it was granted, and no others, because a
//! DNS query carries data, too.

use wasmtime::component::{HasData, Resource};
use wasmtime_wasi::p2::SocketError;
use wasmtime_wasi::p2::bindings::sockets::ip_name_lookup::{
    self, Host, HostResolveAddressStream, ResolveAddressStream,
};
use wasmtime_wasi::p2::bindings::sockets::network::{self, ErrorCode, IpAddress, Network};
use wasmtime_wasi::p2::{DynPollable, bindings};
use wasmtime_wasi::sockets::{WasiSocketsCtxView, WasiSocketsView as _};

use crate::state::{Names, State};

/// A component that resolves a name.
pub(crate) struct Asking<'a> {
    names: Names,
    sockets: WasiSocketsCtxView<'a>,
}

/// Connects the two for the linker.
pub(crate) struct Lookup;

impl HasData for Lookup {
    type Data<'a> = Asking<'a>;
}

/// Replaces the linker's name resolution by one that resolves granted names only.
pub(crate) fn add_to(linker: &mut wasmtime::component::Linker<State>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    bindings::sockets::ip_name_lookup::add_to_linker::<State, Lookup>(linker, |state| Asking {
        names: state.names.clone(),
        sockets: state.sockets(),
    })
}

impl ip_name_lookup::Host for Asking<'_> {
    fn resolve_addresses(
        &mut self,
        network: Resource<Network>,
        name: String,
    ) -> Result<Resource<ResolveAddressStream>, SocketError> {
        let is_granted = |it: &String| it.eq_ignore_ascii_case(&name);
        if !self.names.0.iter().any(is_granted) {
            return Err(ErrorCode::AccessDenied.into());
        }
        Host::resolve_addresses(&mut self.sockets, network, name)
    }
}

impl HostResolveAddressStream for Asking<'_> {
    fn resolve_next_address(
        &mut self,
        stream: Resource<ResolveAddressStream>,
    ) -> Result<Option<IpAddress>, SocketError> {
        HostResolveAddressStream::resolve_next_address(&mut self.sockets, stream)
    }

    fn subscribe(
        &mut self,
        stream: Resource<ResolveAddressStream>,
    ) -> wasmtime::Result<Resource<DynPollable>> {
        HostResolveAddressStream::subscribe(&mut self.sockets, stream)
    }

    fn drop(&mut self, stream: Resource<ResolveAddressStream>) -> wasmtime::Result<()> {
        HostResolveAddressStream::drop(&mut self.sockets, stream)
    }
}

impl network::Host for Asking<'_> {
    fn convert_error_code(&mut self, error: SocketError) -> wasmtime::Result<ErrorCode> {
        network::Host::convert_error_code(&mut self.sockets, error)
    }

    fn network_error_code(
        &mut self,
        error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        network::Host::network_error_code(&mut self.sockets, error)
    }
}

impl network::HostNetwork for Asking<'_> {
    fn drop(&mut self, network: Resource<Network>) -> wasmtime::Result<()> {
        network::HostNetwork::drop(&mut self.sockets, network)
    }
}
