#include "spcart/threads.hpp"

#include <omp.h>

namespace spcart {

Index threads() { return omp_get_max_threads(); }

ThreadScope::ThreadScope(Index count) : before_(threads()) {
  if (count > 0) omp_set_num_threads(static_cast<int>(count));
}

ThreadScope::~ThreadScope() { omp_set_num_threads(static_cast<int>(before_)); }

}  // namespace spcart
