//! Options for the choice of models and servers.

use crate::model::Wire;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Options for the model and its server.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Models")]
pub struct ModelOptions {
    /// Default model for participants without one
    #[arg(long, value_name = "PROVIDER:NAME")]
    pub model: Option<String>,
    /// A server for this run, as the provider `endpoint`; its model is used if it has only one
    #[arg(long, value_name = "URL")]
    pub endpoint: Option<String>,
    /// API protocol of --endpoint [default: openai]
    #[arg(long, value_parser = wire(), requires = "endpoint")]
    pub wire: Option<Wire>,
}

/// Parses the name of an API protocol.
fn wire() -> impl TypedValueParser<Value = Wire> {
    PossibleValuesParser::new(Wire::ALL.map(Wire::name))
        .map(|name| Wire::by_name(&name).unwrap_or(Wire::OpenAi))
}
