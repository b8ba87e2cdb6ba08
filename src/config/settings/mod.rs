//! The user's folders, settings and environment; no other module reads them.
//!
//! Everything is read once, at the start, and passed on as values; nothing here changes later. Only the settings and,
//! if needed, a key are read from files.

mod environment;
mod keys;
mod layers;
mod list;
mod look;
mod model_update;
mod origin;
mod paths;
mod remember;
mod serving;
mod table;
mod user_file;

pub use environment::Environment;
pub use keys::Binding;
pub use layers::Project;
pub use list::{Family, ModelList};
pub use look::{
    ColourDepth, Habits, Motion, Mouse, Notify, ScreenPace, Signs, StartFocus, ThemeChoice,
};
pub use model_update::{MODEL_LIST_URL, ModelUpdateError, model_rows};
pub use origin::Origin;
pub use paths::{Error, Paths, forget_key, keep_key, make_private};
pub use remember::{remember_server, remember_usual};
pub use serving::{AgentSettings, Serving, ToolSettings};
pub use table::{SETTINGS, Setting, schema};
pub use user_file::{
    CONFIG_VARIABLE, Layer, ModelFacts, Provider, Retries, Settings, SettingsError, SystemRole,
    ToolForm, read_key_file,
};
