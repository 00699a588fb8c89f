#pragma once

/// Marks the namespace of a public header: its names are visible to programs that use spcart as a
/// shared library, and all others are hidden.
#define SPCART_EXPORT [[gnu::visibility("default")]]
