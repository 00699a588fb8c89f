#pragma once

/// All of the public face.
#include "spcart/criteria.hpp"
#include "spcart/data.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/fit.hpp"
#include "spcart/io.hpp"
#include "spcart/loadings.hpp"
#include "spcart/names.hpp"
#include "spcart/pca.hpp"
#include "spcart/refit.hpp"
#include "spcart/rotate.hpp"
#include "spcart/table.hpp"
#include "spcart/threads.hpp"
#include "spcart/truncation.hpp"
#include "spcart/types.hpp"
#include "spcart/version.hpp"
