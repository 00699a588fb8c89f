#include "table/source_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "spcart/error.hpp"
#include "table/file_scalar.hpp"
#include "table/with_scalar.hpp"

namespace spcart {
namespace {

template <class T>
void copy_rows(const DenseView& view, Index first, Index count, T* to) {
  const T* from = static_cast<const T*>(view.data) + first * view.row_stride;
  for (Index i = 0; i < count; ++i, from += view.row_stride, to += view.cols)
    if (view.col_stride == 1)
      std::copy_n(from, view.cols, to);
    else
      for (Index j = 0; j < view.cols; ++j) to[j] = from[j * view.col_stride];
}

void check_rows(const DenseView&) {}
void check_rows(const SparseView& view) {
  if (view.major != SparseView::Major::row)
    throw Error("the source of samples has a block that is compressed by columns, not by rows");
  const auto rises = [&]<class I>(I) {
    const auto* outer = static_cast<const I*>(view.outer);
    return outer[0] >= 0 && std::is_sorted(outer, outer + view.rows + 1);
  };
  if (!(view.wide ? rises(std::int64_t{}) : rises(std::int32_t{})))
    throw Error("the source of samples has a sparse block whose row offsets do not rise from 0");
}

std::uint64_t block_bytes(const RowSource& source) {
  return source.memory / ReadAhead<DenseBlock>::kBuffers;
}

}  // namespace

CheckedSource::CheckedSource(RowSource given) : source(std::move(given)) {
  if (!source.pass) throw Error("a source of samples needs a function that begins a pass");
  if (source.sparse && source.cols > std::numeric_limits<std::int32_t>::max())
    throw Error(fmt::format("a sparse source of {} variables: at most {} are possible", source.cols,
                            std::numeric_limits<std::int32_t>::max()));
}

void SourceRows::advance() {
  if (!next_) next_ = source_.pass();
  block_ = next_();
  used_ = 0;
  if (!block_)
    throw Error(fmt::format("the source of samples ends after {} of {}", first_, source_.rows));
  std::visit(
      [&](const auto& view) {
        if (view.cols != source_.cols || view.scalar != source_.scalar)
          throw Error(fmt::format(
              "the source of samples has a block of {} {} numbers per row, instead of {} {}",
              view.cols, name(view.scalar), source_.cols, name(source_.scalar)));
        if (view.rows > source_.rows - first_)
          throw Error(fmt::format("the source has more than its {} samples", source_.rows));
        check_rows(view);
      },
      *block_);
}

template <class View>
const View& SourceRows::current() {
  const auto rows = [this] {
    return std::visit([](const auto& view) { return view.rows; }, *block_);
  };
  while (!block_ || used_ == rows()) advance();
  const auto* view = std::get_if<View>(&*block_);
  if (view == nullptr)
    throw Error("the source of samples has both dense and sparse blocks: all must be of one kind");
  return *view;
}

void SourceRows::finish() {
  while (const auto more = next_())
    if (std::visit([](const auto& view) { return view.rows; }, *more) > 0)
      throw Error(fmt::format("the source has more than its {} samples", source_.rows));
  passes_->check(fingerprint_.value());
}

DenseSourceBlocks::DenseSourceBlocks(const CheckedSource& checked, Index step)
    : source_(checked.source),
      rows_(checked.source, checked.passes),
      lines_([&] {
        const auto row = static_cast<std::uint64_t>(source_.cols) * size_of(source_.scalar);
        const auto fitting = static_cast<Index>(block_bytes(source_) / row);
        return std::max(fitting / step, Index{1}) * step;
      }()),
      ahead_([this](DenseBlock& block, const std::stop_token&) { return fill(block); }) {}

bool DenseSourceBlocks::fill(DenseBlock& block) {
  if (rows_.ended()) return false;
  block.first = rows_.first();
  block.count = std::min(lines_, source_.rows - block.first);
  with_scalar(source_.scalar, [&]<class T>(T) {
    auto* to = reinterpret_cast<T*>(block.stored.reserve(static_cast<std::size_t>(block.count) *
                                                         static_cast<std::size_t>(source_.cols) *
                                                         sizeof(T)));
    block.values = DenseView::row_major(to, block.count, source_.cols);
    rows_.take<DenseView>(block.count, [&](const DenseView& view, Index first, Index count) {
      copy_rows(view, first, count, to);
      to += count * source_.cols;
    });
  });
  rows_.filled(block);
  return true;
}

SparseSourceBlocks::SparseSourceBlocks(const CheckedSource& checked, Index step)
    : source_(checked.source),
      rows_(checked.source, checked.passes),
      step_(step),
      most_entries_(block_bytes(source_) / (size_of(source_.scalar) + sizeof(std::int32_t))),
      ahead_([this](SparseBlock& block, const std::stop_token&) { return fill(block); }) {}

bool SparseSourceBlocks::fill(SparseBlock& block) {
  if (rows_.ended()) return false;
  block.first = rows_.first();
  block.outer.assign(1, 0);
  const auto entries = [&] { return static_cast<std::size_t>(block.outer.back()); };
  do {
    const std::size_t before = entries();
    rows_.take<SparseView>(std::min(step_, source_.rows - rows_.first()),
                           [&](const SparseView& view, Index first, Index count) {
                             with_scalar(view.scalar, [&]<class T>(T) {
                               view.wide ? append<T, std::int64_t>(view, first, count, block)
                                         : append<T, std::int32_t>(view, first, count, block);
                             });
                           });
    if (2 * entries() - before > most_entries_) break;  // another step of as many would not fit
  } while (!rows_.ended());
  block.count = rows_.first() - block.first;
  block.values = {.major = SparseView::Major::row,
                  .rows = block.count,
                  .cols = source_.cols,
                  .values = block.stored.data(),
                  .scalar = source_.scalar,
                  .inner = block.inner.data(),
                  .outer = block.outer.data(),
                  .wide = false};
  rows_.filled(block);
  return true;
}

template <class T, class I>
void SparseSourceBlocks::append(const SparseView& view, Index row, Index count,
                                SparseBlock& block) const {
  const auto* outer = static_cast<const I*>(view.outer) + row;
  const auto* inner = static_cast<const I*>(view.inner);
  const auto used = static_cast<std::size_t>(block.outer.back());
  const auto added = static_cast<std::size_t>(outer[count] - outer[0]);
  if (used + added > std::numeric_limits<std::int32_t>::max())
    throw Error("the source of samples has rows that are too long");
  auto* columns = reinterpret_cast<std::int32_t*>(
      block.inner.extend(used * sizeof(std::int32_t), added * sizeof(std::int32_t)));
  auto* values = reinterpret_cast<T*>(block.stored.extend(used * sizeof(T), added * sizeof(T)));
  std::copy_n(static_cast<const T*>(view.values) + outer[0], added, values);
  for (Index i = 0; i < count; ++i) {
    I last = -1;
    for (I k = outer[i]; k < outer[i + 1]; ++k) {
      if (inner[k] <= last || inner[k] >= source_.cols)
        throw Error(
            fmt::format("the source of samples has a row whose columns do not rise from 0 "
                        "to {}: row {}",
                        source_.cols - 1, block.first + static_cast<Index>(block.outer.size())));
      last = inner[k];
      *columns++ = static_cast<std::int32_t>(inner[k]);
    }
    block.outer.push_back(
        static_cast<std::int32_t>(static_cast<I>(used) + outer[i + 1] - outer[0]));
  }
}

}  // namespace spcart
