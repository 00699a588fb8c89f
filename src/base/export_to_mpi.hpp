#pragma once

#include "spcart/export.hpp"

/// Marks internals that the MPI library uses: if that library is not built, they are hidden too.
#ifdef SPCART_HAS_MPI
#define SPCART_EXPORT_TO_MPI SPCART_EXPORT
#else
#define SPCART_EXPORT_TO_MPI
#endif
