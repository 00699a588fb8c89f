#pragma once

#include <string_view>

#include "spcart/error.hpp"
#include "spcart/export.hpp"
#include "spcart/types.hpp"

namespace SPCART_EXPORT spcart {

/// A number of the data is NaN or infinite. Whoever counts rows and columns from zero, or knows the
/// names of variables, words the message anew.
class NotFinite : public Error {
 public:
  /// `what` is "" for a table, or says what else it is in: "covariance: ".
  NotFinite(std::string_view what, Index row, Index col, double value);

  Index row() const { return row_; }  ///< from 0
  Index col() const { return col_; }
  double number() const { return number_; }

 private:
  Index row_, col_;
  double number_;
};

}  // namespace spcart
