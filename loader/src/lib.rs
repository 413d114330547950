//! chime-loader
