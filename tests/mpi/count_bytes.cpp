#include "count_bytes.hpp"

#include <mpi.h>

// Wraps the functions of MPI by its profiling interface, and counts the bytes that they move.

namespace spcart::testing {
namespace {

std::int64_t moved = 0;

void count(int items, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  moved += static_cast<std::int64_t>(items) * size;
}

}  // namespace

std::int64_t bytes_moved() { return moved; }

}  // namespace spcart::testing

extern "C" {

int MPI_Bcast(void* buffer, int items, MPI_Datatype type, int root, MPI_Comm comm) {
  spcart::testing::count(items, type);
  return PMPI_Bcast(buffer, items, type, root, comm);
}

int MPI_Reduce(const void* from, void* to, int items, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  spcart::testing::count(items, type);
  return PMPI_Reduce(from, to, items, type, op, root, comm);
}

int MPI_Allreduce(const void* from, void* to, int items, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  spcart::testing::count(2 * items, type);
  return PMPI_Allreduce(from, to, items, type, op, comm);
}

int MPI_Exscan(const void* from, void* to, int items, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  spcart::testing::count(items, type);
  return PMPI_Exscan(from, to, items, type, op, comm);
}

int MPI_Scatterv(const void* from, const int* counts, const int* offsets, MPI_Datatype from_type,
                 void* to, int items, MPI_Datatype type, int root, MPI_Comm comm) {
  spcart::testing::count(items, type);
  return PMPI_Scatterv(from, counts, offsets, from_type, to, items, type, root, comm);
}

int MPI_Send(const void* from, int items, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  spcart::testing::count(items, type);
  return PMPI_Send(from, items, type, to, tag, comm);
}

int MPI_Recv(void* to, int items, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  spcart::testing::count(items, type);
  return PMPI_Recv(to, items, type, from, tag, comm, status);
}

int MPI_Allgather(const void* from, int items, MPI_Datatype type, void* to, int to_items,
                  MPI_Datatype to_type, MPI_Comm comm) {
  spcart::testing::count(items, type);
  return PMPI_Allgather(from, items, type, to, to_items, to_type, comm);
}
}
