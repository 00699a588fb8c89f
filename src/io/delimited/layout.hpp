#pragma once

#include <string>
#include <vector>

#include "io/delimited/cells.hpp"
#include "io/delimited/records.hpp"
#include "spcart/io.hpp"

namespace spcart::io {

/// What the cells of a column are, by the first records.
enum class ColumnKind { numbers, text, empty };

/// How a text is a table, determined from its first records.
struct Layout {
  Decimal decimal = Decimal::point;
  bool header = false;                  ///< the first record has the names of the columns
  Index units_line = 0;                 ///< below the header; 0: none
  bool labels = false;                  ///< the first field of a record is the sample's name
  std::size_t fields = 0;               ///< of a data record
  std::size_t first_fields = 0;         ///< of the first record
  std::vector<std::string> names = {};  ///< of all columns except the samples' names
  std::vector<ColumnKind> kinds = {};   ///< of the same

  /// How many of the first records are not data.
  std::size_t skipped() const { return (header ? 1 : 0) + (units_line > 0 ? 1 : 0); }
};

/// The first records of a text, at least one.
std::vector<Record> first_records(RecordReader& records);

/// Throws Error if the records do not say which sign is the decimal one.
Layout layout_of(const std::vector<Record>& head, const RecordReader& records,
                 const ReadOptions& options);

/// Rejects a record that has another number of fields than those before it.
[[noreturn]] void reject_ragged(const Layout& layout, const RecordReader& records, Index line,
                                std::size_t fields);

}  // namespace spcart::io
