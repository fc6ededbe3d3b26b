mod answers;
mod parameters;
mod requests;
mod servers;
