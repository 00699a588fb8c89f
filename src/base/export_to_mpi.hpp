#pragma once

#include "spcart/export.hpp"

/// Marks the internals that the MPI library uses: without that library they are hidden, too.
#ifdef SPCART_HAS_MPI
#define SPCART_EXPORT_TO_MPI SPCART_EXPORT
#else
#define SPCART_EXPORT_TO_MPI
#endif
