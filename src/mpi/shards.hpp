#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "spcart/types.hpp"

namespace spcart::mpi {

/// Is the name a pattern of several files?
bool is_pattern(const std::string& source);

/// The files that a pattern stands for, in the order of their names, numbers in them by value.
/// Throws Error if there is none, or where names that differ in one number only leave one out: a
/// missing shard would go unnoticed.
std::vector<std::filesystem::path> matching_files(const std::string& pattern);

/// Some rows of a file.
struct Piece {
  std::size_t file = 0;
  Index first = 0, count = 0;

  bool operator==(const Piece&) const = default;
};

/// The rows of files, of which each has so many, that one of `ranks` ranks has if all have as many
/// as each other, or one more: in order, those of rank 0 first.
std::vector<Piece> even_pieces(const std::vector<Index>& rows, int rank, int ranks);

/// The files, of sizes in bytes, that a rank has if each is read whole by one rank: runs of files,
/// those of rank 0 first, that are about equally large. Rank 0 always has the first.
struct FileRange {
  std::size_t first = 0, last = 0;  ///< the one after it

  bool operator==(const FileRange&) const = default;
};
FileRange even_run(const std::vector<std::uint64_t>& sizes, int rank, int ranks);

}  // namespace spcart::mpi
