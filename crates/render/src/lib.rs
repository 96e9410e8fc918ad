//! Pictures without a display.
