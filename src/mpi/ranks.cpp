#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpi/check.hpp"
#include "mpi/slepc.hpp"
#include "spcart/error.hpp"
#include "spcart/mpi.hpp"

namespace spcart::mpi {
namespace {

/// Numbers that are sent at a time: this many fit the counts of MPI, and no buffer of it is larger.
constexpr Index kAtOnce = Index{1} << 22;

/// The content of an exception, so that it can be thrown again elsewhere.
struct Failure {
  enum Kind : int { kNone, kError, kCancelled, kMemory, kOther };
  Kind kind = kNone;
  std::string message;
  std::vector<Error::Argument> arguments = {};  ///< of an Error, and its source
  std::string source = {};
};

Failure failure_of(const std::exception_ptr& thrown) {
  if (!thrown) return {};
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return {Failure::kError, error.rule(), error.arguments(), error.source()};
  } catch (const Cancelled&) {
    return {Failure::kCancelled, "cancelled"};
  } catch (const std::bad_alloc&) {
    return {Failure::kMemory, "there is not enough memory"};
  } catch (const std::exception& error) {
    return {Failure::kOther, error.what()};
  } catch (...) {
    return {Failure::kOther, "unknown failure"};
  }
}

[[noreturn]] void throw_again(const Failure& failure, int rank) {
  switch (failure.kind) {
    case Failure::kError:
      throw Error(failure.arguments, failure.message).in(failure.source);
    case Failure::kCancelled:
      throw Cancelled();
    case Failure::kMemory:
      throw std::bad_alloc();
    default:
      throw std::runtime_error(fmt::format("rank {}: {}", rank, failure.message));
  }
}

/// Calls visit(first, count) for pieces of this many numbers.
template <class Visit>
void in_pieces(Index numbers, Visit visit) {
  for (Index first = 0; first < numbers; first += kAtOnce)
    visit(first, static_cast<int>(std::min(kAtOnce, numbers - first)));
}

}  // namespace

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw std::runtime_error(
      fmt::format("MPI failed to {}: {}", what, text.substr(0, static_cast<std::size_t>(length))));
}

Session::Session(int& argc, char**& argv) {
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun != 0) return;
  int provided = 0;
  check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "begin");
  begun_here_ = true;
  if (provided < MPI_THREAD_FUNNELED)
    throw std::runtime_error("this MPI cannot be used in a program of several threads");
}

Session::~Session() {
  end_slepc();
  if (begun_here_) MPI_Finalize();
}

Ranks::Ranks(MPI_Comm of) {
  check(MPI_Comm_dup(of, &comm_), "make a communicator");
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host),
        "find the ranks of a host");
  MPI_Comm_size(host, &on_this_host_);
  MPI_Comm_free(&host);
}

Ranks::~Ranks() {
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended == 0) MPI_Comm_free(&comm_);
}

void Ranks::broadcast_bytes(void* bytes, std::size_t count, int from) const {
  in_pieces(static_cast<Index>(count), [&](Index first, int piece) {
    check(MPI_Bcast(static_cast<char*>(bytes) + first, piece, MPI_BYTE, from, comm_), "broadcast");
  });
}

void Ranks::broadcast(Block numbers) const {
  if (numbers.outerStride() == numbers.rows()) {
    broadcast_bytes(numbers.data(), static_cast<std::size_t>(numbers.size()) * sizeof(double));
    return;
  }
  for (auto column : numbers.colwise())
    broadcast_bytes(column.data(), static_cast<std::size_t>(column.size()) * sizeof(double));
}

std::string Ranks::broadcast(std::string text, int from) const {
  text.resize(broadcast(text.size(), from));
  broadcast_bytes(text.data(), text.size(), from);
  return text;
}

std::vector<std::string> Ranks::gather(const std::string& text) const {
  constexpr int kTag = 1;
  std::vector<std::string> texts;
  const std::vector<Index> sizes = all(static_cast<Index>(text.size()));
  if (is_root()) texts.push_back(text);
  for (int rank = 1; rank < size_; ++rank) {
    const Index size = sizes[static_cast<std::size_t>(rank)];
    if (is_root()) {
      std::string& got = texts.emplace_back(static_cast<std::size_t>(size), '\0');
      in_pieces(size, [&](Index first, int piece) {
        check(MPI_Recv(got.data() + first, piece, MPI_BYTE, rank, kTag, comm_, MPI_STATUS_IGNORE),
              "receive");
      });
    } else if (rank == rank_) {
      in_pieces(size, [&](Index first, int piece) {
        check(MPI_Send(text.data() + first, piece, MPI_BYTE, 0, kTag, comm_), "send");
      });
    }
  }
  return texts;
}

std::vector<Index> Ranks::all(Index number) const {
  std::vector<Index> numbers(static_cast<std::size_t>(size_));
  const auto mine = static_cast<std::int64_t>(number);
  static_assert(sizeof(Index) == sizeof(std::int64_t));
  check(MPI_Allgather(&mine, 1, MPI_INT64_T, numbers.data(), 1, MPI_INT64_T, comm_), "gather");
  return numbers;
}

void Ranks::sum_at_root(Block numbers) const {
  const auto sum = [this](double* data, Index count) {
    in_pieces(count, [&](Index first, int piece) {
      double* at = data + first;
      check(MPI_Reduce(is_root() ? MPI_IN_PLACE : at, at, piece, MPI_DOUBLE, MPI_SUM, 0, comm_),
            "sum");
    });
  };
  if (numbers.outerStride() == numbers.rows()) return sum(numbers.data(), numbers.size());
  for (auto column : numbers.colwise()) sum(column.data(), column.size());
}

void Ranks::together(const std::function<void()>& work) const {
  std::exception_ptr thrown;
  try {
    work();
  } catch (...) {
    thrown = std::current_exception();
  }
  const int mine = thrown ? rank_ : size_;
  int first = size_;
  check(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm_), "agree");
  if (first == size_) return;
  Failure failure = failure_of(thrown);
  failure.kind = broadcast(failure.kind, first);
  failure.message = broadcast(failure.message, first);
  failure.source = broadcast(failure.source, first);
  failure.arguments.resize(broadcast(failure.arguments.size(), first));
  for (Error::Argument& argument : failure.arguments) {
    argument.option = broadcast(argument.option, first);
    argument.value = broadcast(argument.value, first);
  }
  if (!is_root()) throw Abandoned(failure.message);
  if (first == rank_) std::rethrow_exception(thrown);
  throw_again(failure, first);
}

}  // namespace spcart::mpi
