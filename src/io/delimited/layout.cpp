#include "io/delimited/layout.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/at.hpp"
#include "io/edit/select_variables.hpp"

namespace spcart::io {

namespace {

using Fields = std::vector<Field>;

class LayoutFinder {
 public:
  LayoutFinder(std::vector<Record> head, const RecordReader& records, const ReadOptions& options)
      : records_(records), options_(options), copies_(std::move(head)) {
    for (Record& copy : copies_)  // splitting unescapes quotes in place
      fields_.push_back(records.split(copy.begin(), copy.end(), copy.line));
  }

  Layout find() {
    layout_.first_fields = fields_[0].size();
    layout_.decimal = decimal();
    cells_.emplace(layout_.decimal, options_.na);
    layout_.header = has_header();
    if (layout_.header && fields_.size() == 1) fail({records_.file()}, "has a header but no data");
    layout_.labels = has_labels();
    layout_.fields = fields_[layout_.header ? 1 : 0].size();
    name_columns();
    if (has_units()) layout_.units_line = copies_[1].line;
    layout_.kinds = kinds_below(layout_.skipped());
    return std::move(layout_);
  }

 private:
  bool is_text(const Field& field) const { return cells_->is_text(trim(field.text)); }

  /// A cell that is a number with one decimal sign only, and where it stands.
  struct Evidence {
    std::string_view text;
    Index line = 0;
  };

  Decimal decimal() const {
    if (options_.decimal != Decimal::automatic) return options_.decimal;
    std::optional<Evidence> point, comma, either;
    for (std::size_t i = 0; i < fields_.size(); ++i)
      for (const Field& field : fields_[i]) {
        const std::string_view text = trim(field.text);
        const bool has_point = text.find('.') != std::string_view::npos,
                   has_comma = text.find(',') != std::string_view::npos;
        if ((!has_point || point) && (!has_comma || comma)) continue;
        const DecimalSigns signs = decimal_signs_of(text);
        const Evidence found{text, copies_[i].line};
        if (signs.point && !signs.comma && !point) point = found;
        if (signs.comma && !signs.point && !comma) comma = found;
        if (signs.point && signs.comma && !signs.same && has_comma && !either) either = found;
      }
    if (point && comma)
      fail({records_.file(), comma->line},
           "'{}' has a decimal comma, and '{}' in line {} has a decimal point; --decimal comma or "
           "--decimal point says which of them are numbers",
           printable(comma->text), printable(point->text), point->line);
    if (either && !point && !comma)
      fail({records_.file(), either->line},
           "'{}' may have a decimal comma or a comma between thousands; --decimal comma or "
           "--decimal point says which",
           printable(either->text));
    return comma ? Decimal::comma : Decimal::point;
  }

  /// Whether the first line holds names, by the content of the first two lines.
  bool has_header() const {
    if (options_.header != Tristate::automatic) return options_.header == Tristate::yes;
    const Fields& first = fields_[0];
    const Fields none, &second = fields_.size() > 1 ? fields_[1] : none;
    const auto is_quoted = [](const Field& field) { return field.quoted; };
    const auto holds_text = [this](const Field& field) { return is_text(field); };
    const bool second_is_labelled =
        second.size() > 1 && is_text(second[0]) && options_.row_labels != Tristate::no;
    // Programs that number their columns write ",0,1,2".
    const auto counts_from = [&](std::size_t start) {
      for (std::size_t j = 1; j < first.size(); ++j)
        if (first[j].text != std::to_string(start + j - 1)) return false;
      return first.size() > 1 && first[0].text.empty();
    };
    return std::any_of(first.begin() + 1, first.end(), holds_text) ||
           (is_text(first[0]) && !second_is_labelled) ||
           (second_is_labelled && second.size() == first.size() + 1) ||
           (!second.empty() && std::all_of(first.begin(), first.end(), is_quoted) &&
            !std::all_of(second.begin(), second.end(), is_quoted)) ||
           counts_from(0) || counts_from(1);
  }

  bool is_one_short() const { return layout_.header && fields_[1].size() == fields_[0].size() + 1; }

  /// Whether the first field of each line is its sample's name.
  bool has_labels() const {
    if (options_.row_labels != Tristate::automatic) return options_.row_labels == Tristate::yes;
    if (is_one_short()) return true;
    const Fields& first = fields_[0];
    if (layout_.header && is_named(options_.exclude, to_utf8(first[0].text))) return false;
    if (layout_.header && !options_.labels_column.empty() &&
        to_utf8(options_.labels_column) == to_utf8(first[0].text))
      return false;
    if (layout_.header && first[0].text.empty()) return true;
    const Fields& data = fields_[layout_.header ? 1 : 0];
    if (data.size() == 1) return false;
    return layout_.header ? begin_with_text() : is_text(data[0]);
  }

  /// Whether the first lines below the header begin with text: a single one may be a mistake. A
  /// line of units may have none there, and lines without content do not count.
  bool begin_with_text() const {
    constexpr std::size_t kMost = 21;
    bool found = false;
    for (std::size_t i = 1; i < std::min(kMost, fields_.size()); ++i) {
      const bool text = is_text(fields_[i][0]);
      const bool may_lack_it =
          fields_[i][0].text.empty() && (i == 1 ? !has_number(fields_[i]) : is_empty(fields_[i]));
      if (!text && !may_lack_it) return false;
      found |= text;
    }
    return found;
  }

  bool has_number(const Fields& fields) const {
    return std::ranges::any_of(fields, [this](const Field& field) {
      double ignored = 0;
      return cells_->classify(trim(field.text), ignored) == Cell::number;
    });
  }

  static bool is_empty(const Fields& fields) {
    return std::ranges::all_of(fields, [](const Field& field) { return field.text.empty(); });
  }

  void name_columns() {
    const std::size_t columns = layout_.fields - (layout_.labels ? 1 : 0);
    layout_.names = default_names(static_cast<Index>(columns));
    if (!layout_.header) return;
    const Fields &first = fields_[0], &second = fields_[1];
    const bool one_short = layout_.labels && is_one_short();
    if (!one_short && first.size() != second.size())
      reject_ragged({.fields = first.size(), .first_fields = first.size()}, records_,
                    copies_[1].line, second.size());
    for (std::size_t j = 0; j < columns; ++j) {
      const Field& field = first[j + (layout_.labels && !one_short ? 1 : 0)];
      if (!trim(field.text).empty()) layout_.names[j] = to_utf8(field.text);
    }
  }

  /// By the records from `begin` on. Text among more numbers is a mistake, not a column of text.
  std::vector<ColumnKind> kinds_below(std::size_t begin) const {
    std::vector<ColumnKind> kinds(layout_.names.size(), ColumnKind::empty);
    const std::size_t labels = layout_.labels ? 1 : 0;
    for (std::size_t j = 0; j < kinds.size(); ++j) {
      std::size_t texts = 0, filled = 0;
      for (std::size_t i = begin; i < fields_.size(); ++i) {
        if (j + labels >= fields_[i].size()) continue;
        double ignored = 0;
        const Cell cell = cells_->classify(trim(fields_[i][j + labels].text), ignored);
        texts += cell == Cell::text ? 1 : 0;
        filled += cell == Cell::missing ? 0 : 1;
      }
      if (filled > 0) kinds[j] = 2 * texts > filled ? ColumnKind::text : ColumnKind::numbers;
    }
    return kinds;
  }

  /// Whether the second record has no number, only text, where those below it have numbers.
  bool has_units() const {
    if (!layout_.header || fields_.size() < 3) return false;
    const Fields& second = fields_[1];
    const std::ptrdiff_t labels = layout_.labels ? 1 : 0;
    if (std::none_of(second.begin() + labels, second.end(),
                     [this](const Field& field) { return is_text(field); }))
      return false;
    bool found = false;
    const std::vector<ColumnKind> kinds = kinds_below(2);
    for (std::size_t j = 0; j < kinds.size(); ++j) {
      if (kinds[j] != ColumnKind::numbers) continue;
      double ignored = 0;
      switch (cells_->classify(trim(second[j + at(labels)].text), ignored)) {
        case Cell::text:
          found = true;
          break;
        case Cell::missing:
          break;
        case Cell::number:
        case Cell::infinite:
          return false;
      }
    }
    return found;
  }

  const RecordReader& records_;
  const ReadOptions& options_;
  std::vector<Record> copies_;
  std::vector<Fields> fields_;  ///< of each
  std::optional<CellReader> cells_;
  Layout layout_;
};

}  // namespace

std::vector<Record> first_records(RecordReader& records) {
  constexpr std::size_t kFew = 21, kMost = 1000, kBytes = std::size_t{1} << 20;
  std::vector<Record> head;
  std::size_t bytes = 0;
  while ((head.size() < kFew || (head.size() < kMost && bytes < kBytes)) && records.next()) {
    head.push_back(records.copy());
    bytes += head.back().text.size();
  }
  if (head.empty()) fail({records.file()}, "holds no data");
  return head;
}

Layout layout_of(const std::vector<Record>& head, const RecordReader& records,
                 const ReadOptions& options) {
  return LayoutFinder(head, records, options).find();
}

void reject_ragged(const Layout& layout, const RecordReader& records, Index line,
                   std::size_t fields) {
  const bool of_first = layout.first_fields == layout.fields;
  fail({records.file(), line}, "line {} has {} field{}, {} has {}", line, fields,
       fields == 1 ? "" : "s", of_first ? "the first" : "the one below the header",
       of_first ? layout.first_fields : layout.fields);
}

}  // namespace spcart::io
