#include <fmt/format.h>

#include "spcart/output.hpp"

namespace spcart {
namespace {

/// Quoted if a reader could take it for something else.
void append_field(std::string& out, std::string_view text) {
  const bool blank_ends = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!text.empty() && !blank_ends && text.find_first_of(",;\"\t\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

std::vector<std::string> component_names(Index count) {
  std::vector<std::string> names;
  for (Index i = 1; i <= count; ++i) names.push_back(fmt::format("PC{}", i));
  return names;
}

}  // namespace

std::string to_csv(ConstBlock values, std::span<const std::string> columns,
                   std::span<const std::string> rows) {
  std::string out;
  fmt::memory_buffer number;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (j > 0 || !rows.empty()) out += ',';
    append_field(out, columns[j]);
  }
  out += '\n';
  for (Index i = 0; i < values.rows(); ++i) {
    if (!rows.empty()) append_field(out, rows[static_cast<std::size_t>(i)]);
    for (Index j = 0; j < values.cols(); ++j) {
      if (j > 0 || !rows.empty()) out += ',';
      number.clear();
      fmt::format_to(fmt::appender(number), "{}", values(i, j));
      out.append(number.data(), number.size());
    }
    out += '\n';
  }
  return out;
}

std::string loadings_csv(const Loadings& x, std::span<const std::string> variables) {
  return to_csv(Matrix(x), component_names(x.cols()), variables);
}

std::string scores_csv(ConstBlock scores, std::span<const std::string> samples) {
  return to_csv(scores, component_names(scores.cols()), samples);
}

}  // namespace spcart
