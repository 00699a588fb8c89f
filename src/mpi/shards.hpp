#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "spcart/types.hpp"

namespace spcart::mpi {

/// Whether the name is a pattern of several files.
bool is_pattern(const std::string& source);

/// The files that match a pattern, in the order of their names, with numbers in them by value.
/// Throws Error if there is none, or if names that differ in one number only skip one: a missing
/// shard would go unnoticed.
std::vector<std::filesystem::path> matching_files(const std::string& pattern);

/// Some rows of a file.
struct Piece {
  std::size_t file = 0;
  Index first = 0, count = 0;

  bool operator==(const Piece&) const = default;
};

/// The rows that one of `ranks` ranks has if the rows of all files are divided evenly (some ranks
/// have one more): in order, those of rank 0 first. `rows` are the numbers of rows of the files.
std::vector<Piece> even_pieces(const std::vector<Index>& rows, int rank, int ranks);

/// The files, of sizes in bytes, that a rank has if each is read as a whole by one rank: runs of
/// files of about equal total size, those of rank 0 first. Rank 0 always has the first.
struct FileRange {
  std::size_t first = 0, last = 0;  ///< `last` is the one after it

  bool operator==(const FileRange&) const = default;
};
FileRange even_run(const std::vector<std::uint64_t>& sizes, int rank, int ranks);

}  // namespace spcart::mpi
