#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/reject.hpp"
#include "io/cache.hpp"
#include "io/edit/missing.hpp"
#include "io/text.hpp"
#include "mpi/shards.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/memory.hpp"
#include "spcart/mpi.hpp"
#include "spcart/names.hpp"
#include "table/file_scalar.hpp"
#include "table/open_file.hpp"

namespace spcart::mpi {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// How the rows of a table are read by the ranks.
enum class ReadMode : int {
  pieces,   ///< each rank reads its rows of plain .npy files
  files,    ///< each rank reads some files as a whole
  slices,   ///< each rank reads everything and keeps its rows
  dataset,  ///< the same for a built-in data set
  root      ///< the root reads everything
};

// As bytes, so that names of files are kept as they are, whether they are UTF-8 or not.
std::string packed(const json& j) {
  const std::vector<std::uint8_t> bytes = json::to_cbor(j);
  return {bytes.begin(), bytes.end()};
}
json unpacked(const std::string& bytes) { return json::from_cbor(bytes); }

/// What the root determines before anybody reads, and sends to the others.
struct SharePlan {
  ReadMode mode = ReadMode::root;
  std::vector<std::string> files;
  std::vector<Index> rows;           ///< of each file, for pieces
  std::vector<std::uint64_t> sizes;  ///< of each file in bytes, for files
  ReadOptions options;
};

json to_json(const SharePlan& plan) {
  const ReadOptions& o = plan.options;
  return {{"mode", plan.mode},           {"files", plan.files},      {"rows", plan.rows},
          {"sizes", plan.sizes},         {"missing", o.missing},     {"header", o.header},
          {"row_labels", o.row_labels},  {"decimal", o.decimal},     {"na", o.na},
          {"strict", o.strict},          {"include", o.include},     {"exclude", o.exclude},
          {"covariance", o.covariance},  {"transpose", o.transpose}, {"names", o.names.string()},
          {"labels", o.labels.string()}, {"storage", o.storage},     {"memory", o.memory},
          {"work", o.work_per_variable}, {"cache", o.cache.string()}};
}

SharePlan plan_of(const json& j) {
  SharePlan plan{j.at("mode"), j.at("files"), j.at("rows"), j.at("sizes"), {}};
  plan.options = {.missing = j.at("missing"),
                  .header = j.at("header"),
                  .row_labels = j.at("row_labels"),
                  .decimal = j.at("decimal"),
                  .na = j.at("na"),
                  .strict = j.at("strict"),
                  .include = j.at("include"),
                  .exclude = j.at("exclude"),
                  .covariance = j.at("covariance"),
                  .transpose = j.at("transpose"),
                  .names = j.at("names").get<std::string>(),
                  .labels = j.at("labels").get<std::string>(),
                  .storage = j.at("storage"),
                  .memory = j.at("memory"),
                  .work_per_variable = j.at("work"),
                  .cache = j.at("cache").get<std::string>()};
  return plan;
}

/// The table of an .npy file in place; none if it is another file or is compressed.
std::optional<FileView> view_in_place(const std::string& file) {
  io::ByteSource source(split_data_path(file).file);
  if (source.is_gzipped() || !source.file() || !source.head().starts_with("\x93NUMPY")) return {};
  const Table table = read_table(file, {.storage = Storage::file});
  const auto* view = std::get_if<FileView>(&table.values);
  return view != nullptr ? std::optional(*view) : std::nullopt;
}

void reject_difference(const std::string& file, const std::string& what, const std::string& first,
                       const std::string& other) {
  throw Error(
      fmt::format("{}, but {} {}: all files of a pattern must be alike", what, first, other))
      .in(file);
}

/// The rows of each file if all are plain .npy files, so that any row can be located; otherwise
/// none.
std::optional<std::vector<Index>> rows_in_place(const std::vector<std::string>& files) {
  std::optional<FileView> first;
  std::vector<Index> rows;
  for (const std::string& file : files) {
    const std::optional<FileView> view = view_in_place(file);
    if (!view) return {};
    if (!first) first = view;
    if (view->cols != first->cols)
      reject_difference(file, fmt::format("has {} columns", view->cols), files.front(),
                        fmt::format("has {}", first->cols));
    if (widened(view->scalar) != widened(first->scalar))
      reject_difference(file, fmt::format("holds {}", name(widened(view->scalar))), files.front(),
                        fmt::format("holds {}", name(widened(first->scalar))));
    rows.push_back(view->rows);
  }
  return rows;
}

SharePlan make_plan(const Ranks& ranks, const std::string& source, const ReadOptions& options) {
  SharePlan plan;
  plan.options = options;
  plan.files = {source};
  if (source.starts_with('@')) {
    plan.options.covariance |= load_dataset(source).covariance;
    plan.mode = plan.options.covariance ? ReadMode::root : ReadMode::dataset;
    return plan;
  }
  if (is_pattern(source)) {
    plan.files.clear();
    for (const fs::path& file : matching_files(source)) plan.files.push_back(file.string());
  }
  const bool several = plan.files.size() > 1;
  if (!options.labels_column.empty())
    reject("labels-column", options.labels_column, "labels are not spread over ranks");
  if (options.covariance && several)
    throw Error(fmt::format("a covariance is one file, not {}", plan.files.size())).in(source);
  if (source == "-" && ranks.size() > 1)
    throw Error("standard input cannot be spread over ranks: give a file");
  if (options.covariance || source == "-") return plan;
  const bool as_one = options.transpose || !options.names.empty() || !options.labels.empty();
  if (as_one && several)
    throw Error(fmt::format("--transpose, --names and --labels are for one file, not for {}",
                            plan.files.size()))
        .in(source);
  if (several && options.missing == Missing::automatic) plan.options.missing = Missing::error;
  const bool rejects_missing =
      options.missing == Missing::error || options.missing == Missing::automatic;
  // Leaving rows or columns out makes a copy of the whole.
  if (options.include.empty() && options.exclude.empty() && rejects_missing && !as_one)
    if (auto rows = rows_in_place(plan.files)) {
      plan.mode = ReadMode::pieces;
      plan.rows = std::move(*rows);
      return plan;
    }
  if (several && options.missing == Missing::mean)
    reject("missing", "mean", "the mean of a variable is not known if {} files are read separately",
           plan.files.size());
  plan.mode = several ? ReadMode::files : ReadMode::slices;
  for (const std::string& file : plan.files) {
    std::error_code failed;
    plan.sizes.push_back(fs::file_size(split_data_path(file).file, failed));
    if (failed) throw Error(fmt::format("cannot be read: {}", failed.message())).in(file);
  }
  return plan;
}

/// The rows of a piece, in storage order, widened.
void read_rows(const FileView& view, const Piece& piece, char* to) {
  constexpr Index kNumbers = Index{1} << 20;
  const std::size_t size = size_of(view.scalar), wide = size_of(widened(view.scalar));
  const bool by_row = view.order == FileView::Order::row;
  const Index runs = by_row ? 1 : view.cols, length = piece.count * (by_row ? view.cols : 1);
  std::vector<char> stored(is_kept(view.scalar) ? 0 : static_cast<std::size_t>(kNumbers) * size);
  for (Index run = 0; run < runs; ++run) {
    const Index first = by_row ? piece.first * view.cols : run * view.rows + piece.first;
    for (Index done = 0; done < length; done += kNumbers) {
      const auto count = static_cast<std::size_t>(std::min(kNumbers, length - done));
      const auto offset = view.values + static_cast<std::uint64_t>(first + done) * size;
      char* from = is_kept(view.scalar) ? to : stored.data();
      view.file->read(offset, from, count * size);
      if (!is_kept(view.scalar)) widen(view.scalar, from, count, to);
      to += count * wide;
    }
  }
}

/// The numbers of a dense table that belong to this rank.
class DenseShare {
 public:
  DenseShare(const Ranks& ranks, const SharePlan& plan, Share& share) : plan_(plan), share_(share) {
    for (const Piece& piece : even_pieces(plan.rows, ranks.rank(), ranks.size())) {
      const std::optional<FileView> view = view_in_place(plan.files[piece.file]);
      if (!view || view->rows != plan.rows[piece.file])
        throw Error("changed while it was being read").in(plan.files[piece.file]);
      pieces_.push_back(piece);
      views_.push_back(*view);
      rows_ += piece.count;
    }
    if (rows_ == 0) return;
    in_file_ =
        static_cast<std::uint64_t>(rows_ * cols()) * size_of(widened(views_.front().scalar)) >
        room(ranks);
  }

  void read(const Tick& tick) {
    const bool by_row = std::ranges::all_of(
        views_, [](const FileView& view) { return view.order == FileView::Order::row; });
    if (in_file_) {
      for (std::size_t k = 0; k < pieces_.size(); ++k) leave(k);
    } else if (by_row && !pieces_.empty()) {
      load(0, pieces_.size(), tick);
    } else {
      for (std::size_t k = 0; k < pieces_.size(); ++k) load(k, k + 1, tick);
    }
  }

 private:
  Index cols() const { return views_.front().cols; }

  std::uint64_t room(const Ranks& ranks) const {
    const ReadOptions& o = plan_.options;
    if (o.storage == Storage::file) return 0;
    if (o.storage == Storage::memory) return std::numeric_limits<std::uint64_t>::max();
    return room_for_table(o.memory, cols(), o.work_per_variable,
                          available_memory() / static_cast<std::uint64_t>(ranks.on_this_host()));
  }

  std::string name_of_piece(std::size_t k) const {
    const Piece& piece = pieces_[k];
    const std::string& file = plan_.files[piece.file];
    if (piece.count == views_[k].rows) return file;
    return fmt::format("{}, rows {} to {}", file, piece.first + 1, piece.first + piece.count);
  }

  /// Pieces `first` to `last - 1` in one table in memory.
  void load(std::size_t first, std::size_t last, const Tick& tick) {
    const Scalar scalar = widened(views_[first].scalar);
    Index rows = 0;
    for (std::size_t k = first; k < last; ++k) rows += pieces_[k].count;
    const auto bytes = static_cast<std::size_t>(rows * cols()) * size_of(scalar);
    // NOLINTNEXTLINE(modernize-avoid-c-arrays): a vector would be cleared first
    const std::shared_ptr<char[]> numbers(new char[bytes]);
    char* to = numbers.get();
    for (std::size_t k = first; k < last; ++k) {
      if (tick) tick(static_cast<double>(k) / static_cast<double>(pieces_.size()));
      read_rows(views_[k], pieces_[k], to);
      to += static_cast<std::size_t>(pieces_[k].count * cols()) * size_of(scalar);
    }
    const bool by_row = views_[first].order == FileView::Order::row;
    add({DenseView{numbers.get(), scalar, rows, cols(), by_row ? cols() : 1, by_row ? 1 : rows,
                   numbers},
         false,
         {},
         {}},
        last == first + 1 ? name_of_piece(first)
                          : fmt::format("{} to {}", name_of_piece(first), name_of_piece(last - 1)));
  }

  void leave(std::size_t k) {
    FileView view = views_[k];
    const Piece& piece = pieces_[k];
    if (view.order == FileView::Order::column && piece.count != view.rows)
      throw Error(
          "is stored by columns, so that a rank's rows must fit its memory: store it by rows")
          .in(plan_.files[piece.file]);
    view.values += static_cast<std::uint64_t>(piece.first * view.cols) * size_of(view.scalar);
    view.rows = piece.count;
    view.memory = room_for_buffers(plan_.options.memory, cols(), plan_.options.work_per_variable);
    add({view, false, {}, {}}, name_of_piece(k));
  }

  void add(Table table, std::string name) {
    share_.parts.push_back(std::move(table));
    share_.names.push_back(std::move(name));
  }

  const SharePlan& plan_;
  Share& share_;
  std::vector<Piece> pieces_;
  std::vector<FileView> views_;  ///< of the whole file of each piece
  Index rows_ = 0;
  bool in_file_ = false;
};

/// The options for a file that this rank reads by itself: the host's memory is shared by all its
/// ranks.
ReadOptions own_options(const Ranks& ranks, const SharePlan& plan) {
  ReadOptions options = plan.options;
  if (options.memory == 0 && ranks.on_this_host() > 1 && options.storage == Storage::automatic)
    options.memory = available_memory() / static_cast<std::uint64_t>(ranks.on_this_host());
  return options;
}

/// What must be the same in all files.
struct CommonFormat {
  bool sparse = false;
  Scalar scalar = Scalar::float64;
  std::vector<std::string> variables;

  explicit CommonFormat(const Table& table) : variables(table.variables) {
    if (const auto* file = std::get_if<FileView>(&table.values)) {
      sparse = file->sparse;
      scalar = widened(file->scalar);
    } else if (const auto* dense = std::get_if<DenseView>(&table.values)) {
      scalar = dense->scalar;
    } else {
      sparse = true;
      scalar = std::get<SparseView>(table.values).scalar;
    }
  }
  explicit CommonFormat(const json& j)
      : sparse(j.at("sparse")), scalar(j.at("scalar")), variables(j.at("variables")) {}

  json to_json() const {
    return {{"sparse", sparse}, {"scalar", scalar}, {"variables", variables}};
  }

  void check(const CommonFormat& first, const std::string& file,
             const std::string& first_file) const {
    if (variables.size() != first.variables.size())
      reject_difference(file, fmt::format("has {} columns", variables.size()), first_file,
                        fmt::format("has {}", first.variables.size()));
    if (sparse != first.sparse)
      reject_difference(file, sparse ? "is sparse" : "is dense", first_file,
                        sparse ? "is not" : "is sparse");
    if (scalar != first.scalar)
      reject_difference(file, fmt::format("holds {}", name(scalar)), first_file,
                        fmt::format("holds {}", name(first.scalar)));
    const auto [mine, theirs] = std::ranges::mismatch(variables, first.variables);
    if (mine != variables.end())
      reject_difference(
          file,
          fmt::format("column {} is '{}'", mine - variables.begin() + 1, io::printable(*mine)),
          first_file, fmt::format("has '{}' there", io::printable(*theirs)));
  }
};

void read_files(const Ranks& ranks, const SharePlan& plan, Share& share, const Tick& tick) {
  const FileRange run = even_run(plan.sizes, ranks.rank(), ranks.size());
  ranks.together([&] {
    const ReadOptions options = own_options(ranks, plan);
    for (std::size_t k = run.first; k < run.last; ++k) {
      share.parts.push_back(read_table(plan.files[k], options, tick));
      share.names.push_back(plan.files[k]);
    }
  });
  const CommonFormat first(unpacked(
      ranks.broadcast(ranks.is_root() ? packed(CommonFormat(share.parts[0]).to_json()) : "")));
  ranks.together([&] {
    for (std::size_t k = 0; k < share.parts.size(); ++k)
      CommonFormat(share.parts[k]).check(first, share.names[k], plan.files[0]);
  });
  if (ranks.is_root() && plan.files.size() < static_cast<std::size_t>(ranks.size()))
    share.notes.push_back(
        fmt::format("there are {} files for {} ranks: the others have nothing to do; plain .npy "
                    "files could be spread by rows",
                    plan.files.size(), ranks.size()));
}

/// A rank's rows of a table that all ranks have read.
void keep_own(const Ranks& ranks, const SharePlan& plan, Table table, Share& share) {
  const auto pieces = even_pieces({table.rows()}, ranks.rank(), ranks.size());
  if (ranks.is_root()) share.variables = table.variables;
  if (pieces.empty()) return;
  const Piece piece = pieces.front();
  if (auto* view = std::get_if<DenseView>(&table.values)) {
    const auto skipped = static_cast<std::size_t>(piece.first * view->row_stride);
    view->data = static_cast<const char*>(view->data) + skipped * size_of(view->scalar);
    view->rows = piece.count;
    if (!table.samples.empty())
      table.samples = {table.samples.begin() + piece.first,
                       table.samples.begin() + piece.first + piece.count};
  } else {
    io::ByteSource source(split_data_path(plan.files[0]).file);
    io::Cache cache(plan.options, plan.files[0], source);
    std::vector<bool> kept(static_cast<std::size_t>(table.rows()), false);
    std::fill_n(kept.begin() + piece.first, piece.count, true);
    io::keep_only(table, kept, std::vector<bool>(static_cast<std::size_t>(table.cols()), true),
                  cache);
  }
  share.parts.push_back(std::move(table));
  share.names.push_back(plan.files[0]);
}

void read_parts(const Ranks& ranks, const SharePlan& plan, Share& share, const Tick& tick) {
  switch (plan.mode) {
    case ReadMode::pieces:
      return ranks.together([&] { DenseShare(ranks, plan, share).read(tick); });
    case ReadMode::files:
      return read_files(ranks, plan, share, tick);
    case ReadMode::slices:
      return ranks.together([&] {
        keep_own(ranks, plan, read_table(plan.files[0], own_options(ranks, plan), tick), share);
      });
    case ReadMode::dataset:
      return ranks.together([&] { keep_own(ranks, plan, load_dataset(plan.files[0]), share); });
    case ReadMode::root:
      ranks.together([&] {
        if (!ranks.is_root()) return;
        const std::string& source = plan.files[0];
        share.parts = {source.starts_with('@') ? load_dataset(source)
                                               : read_table(source, plan.options, tick)};
        share.parts[0].covariance |= plan.options.covariance;
        share.names = {source};
        share.covariance = share.parts[0].covariance;
      });
  }
}

/// Combines at the root what each rank knows of its own parts.
void describe(const Ranks& ranks, const SharePlan& plan, Share& share) {
  json own = {{"rows", 0},
              {"cols", 0},
              {"entries", 0.0},
              {"sparse", false},
              {"in_file", false},
              {"labelled", true},
              {"bytes", 0},
              {"samples", json::array()},
              {"notes", json::array()}};
  for (const Table& part : share.parts) {
    own["rows"] = own["rows"].get<Index>() + part.rows();
    own["cols"] = part.cols();
    own["entries"] = own["entries"].get<double>() + part.entries();
    own["sparse"] = own["sparse"].get<bool>() || CommonFormat(part).sparse;
    own["in_file"] = own["in_file"].get<bool>() || part.in_file();
    if (!part.in_file()) own["bytes"] = own["bytes"].get<std::uint64_t>() + stored_bytes(part);
    own["labelled"] = own["labelled"].get<bool>() && !part.samples.empty();
    for (const std::string& sample : part.samples) own["samples"].push_back(sample);
    for (const std::string& note : part.notes) own["notes"].push_back(note);
  }
  const bool all_read_all = plan.mode == ReadMode::slices;  // then all report the same
  bool labelled = true;
  for (const std::string& text : ranks.gather(packed(own))) {
    const json theirs = unpacked(text);
    share.rows += theirs.at("rows").get<Index>();
    share.cols = std::max(share.cols, theirs.at("cols").get<Index>());
    share.entries += theirs.at("entries").get<double>();
    share.sparse |= theirs.at("sparse").get<bool>();
    share.in_file |= theirs.at("in_file").get<bool>();
    share.bytes_in_memory =
        std::max(share.bytes_in_memory, theirs.at("bytes").get<std::uint64_t>());
    labelled = labelled && theirs.at("labelled").get<bool>();
    for (const auto& sample : theirs.at("samples")) share.samples.push_back(sample);
    if (!all_read_all || share.notes.empty())
      for (const auto& note : theirs.at("notes")) share.notes.push_back(note);
  }
  if (!labelled) share.samples.clear();
  if (ranks.is_root() && share.variables.empty()) share.variables = share.parts[0].variables;
  if (ranks.is_root() && share.variables.empty()) share.variables = default_names(share.cols);
}

}  // namespace

Share read_share(const Ranks& ranks, const std::string& source, const ReadOptions& options,
                 const Tick& tick) {
  const auto begin = Clock::now();
  SharePlan plan;
  ranks.together([&] {
    if (ranks.is_root()) plan = make_plan(ranks, source, options);
  });
  plan = plan_of(unpacked(ranks.broadcast(packed(to_json(plan)))));
  Share share;
  read_parts(ranks, plan, share, tick);
  describe(ranks, plan, share);
  share.seconds = seconds_since(begin);
  return share;
}

}  // namespace spcart::mpi
