//! Settings, paths, environment.
