#include "io/cache.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "base/reject.hpp"
#include "io/text.hpp"
#include "spcart/memory.hpp"
#include "spcart/names.hpp"
#include "table/file_blocks.hpp"
#include "table/file_scalar.hpp"
#include "table/open_file.hpp"

namespace spcart::io {

namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();

/// The beginning of a file of the cache.
struct CacheHeader {
  std::array<char, 8> magic = {'s', 'p', 'c', 'a', 'r', 't', '\n', '\2'};
  std::uint64_t scalar = 0, by_column = 0, sparse = 0, rows = 0, cols = 0, entries = 0;
  std::uint64_t values = 0, inner = 0, outer = 0;  ///< their offsets
  std::uint64_t text = 0, text_bytes = 0;
  std::uint64_t check = 0;  ///< hash of the text behind the header, computed with 0 here
};
static_assert(sizeof(CacheHeader) == 104 && sizeof(CacheHeader) <= kCacheHeader);

/// FNV-1a: distinguishes the names of files, and detects content that has changed.
std::uint64_t hash_of(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::uint64_t check_of(CacheHeader header, std::string_view text) {
  header.check = 0;
  return hash_of(text, hash_of({reinterpret_cast<const char*>(&header), sizeof(header)}));
}

CacheHeader header_of(const FileView& view) {
  const auto number = [](Index value) { return static_cast<std::uint64_t>(value); };
  CacheHeader header;
  header.scalar = static_cast<std::uint64_t>(view.scalar);
  header.by_column = view.order == FileView::Order::column ? 1 : 0;
  header.sparse = view.sparse ? 1 : 0;
  header.rows = number(view.rows);
  header.cols = number(view.cols);
  header.entries = number(view.entries);
  header.values = view.values;
  header.inner = view.inner;
  header.outer = view.outer;
  return header;
}

FileView view_of_header(const CacheHeader& header, std::shared_ptr<const OpenFile> file) {
  const auto known = [](bool good) {
    if (!good) throw Error("the header is not ours");
  };
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  known(header.magic == CacheHeader{}.magic && header.scalar <= 3 && header.by_column <= 1 &&
        header.sparse <= 1 && header.rows - 1 < kMost && header.cols - 1 < kMost &&
        header.entries <= kMost);
  FileView view;
  view.file = std::move(file);
  view.scalar = static_cast<FileScalar>(header.scalar);
  view.order = header.by_column == 1 ? FileView::Order::column : FileView::Order::row;
  view.sparse = header.sparse == 1;
  view.rows = static_cast<Index>(header.rows);
  view.cols = static_cast<Index>(header.cols);
  view.entries = static_cast<Index>(header.entries);
  view.values = header.values;
  view.inner = header.inner;
  view.outer = header.outer;
  check_extent(view);
  return view;
}

using Names = std::vector<std::string>;

void put_number(std::string& text, std::uint64_t number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void put_names(std::string& text, const Names& names) {
  put_number(text, names.size());
  for (const std::string& name : names) {
    put_number(text, name.size());
    text += name;
  }
}

std::string_view take(std::string_view& text, std::uint64_t bytes) {
  if (bytes > text.size()) throw Error("the text is cut off");
  const std::string_view taken = text.substr(0, bytes);
  text.remove_prefix(bytes);
  return taken;
}

std::uint64_t take_number(std::string_view& text) {
  std::uint64_t number = 0;
  std::memcpy(&number, take(text, sizeof(number)).data(), sizeof(number));
  return number;
}

Names take_names(std::string_view& text) {
  Names names;
  for (std::uint64_t left = take_number(text); left > 0; --left)
    names.emplace_back(take(text, take_number(text)));
  return names;
}

/// Throws Error if the file does not match `key`.
Table read_kept(const fs::path& path, const std::string& key) {
  const auto file = open_file(path);
  CacheHeader header;
  file->read(0, reinterpret_cast<char*>(&header), sizeof(header));
  Table table;
  table.values = view_of_header(header, file);
  if (header.text > file->size() || header.text_bytes != file->size() - header.text)
    throw Error("the text is cut off");
  std::string text(header.text_bytes, '\0');
  file->read(header.text, text.data(), text.size());
  if (header.check != check_of(header, text)) throw Error("it is damaged");
  std::string_view rest = text;
  if (take_names(rest) != Names{key}) throw Error("it is a copy of something else");
  table.variables = take_names(rest);
  table.samples = take_names(rest);
  table.labels = take_names(rest);
  table.notes = take_names(rest);
  const auto size = [](const Names& names) { return static_cast<Index>(names.size()); };
  if (size(table.variables) != table.cols() ||
      (!table.samples.empty() && size(table.samples) != table.rows()) ||
      (!table.labels.empty() && size(table.labels) != table.rows()))
    throw Error("the names do not fit");
  return table;
}

/// What the copy depends on.
std::string key_of(const ReadOptions& options, const fs::path& path, const OpenFile& file) {
  std::error_code error;
  const fs::path whole = fs::canonical(path, error);
  std::string key =
      fmt::format("{}\n{} {}\n{} {} {} {} {}", (error ? path : whole).string(), file.size(),
                  file.identity().modified, name(options.missing), name(options.header),
                  name(options.row_labels), name(options.decimal), options.strict);
  const auto add = [&](char kind, const std::string& text) {
    key += fmt::format("\n{} {} {}", kind, text.size(), text);
  };
  for (const std::string& list : options.include) add('i', list);
  for (const std::string& list : options.exclude) add('e', list);
  for (const std::string& text : options.na) add('n', text);
  add('l', options.labels_column);
  return key;
}

fs::path usable_folder(const fs::path& wanted) {
  std::error_code error;
  if (wanted.empty()) {
    const fs::path folder = fs::temp_directory_path(error);
    return error ? fs::path("/tmp") : folder;
  }
  fs::create_directory(wanted, error);
  const std::string name = printable(wanted.string(), 4096);
  if (!fs::is_directory(wanted))
    reject("cache", name, "there is no such folder, and it cannot be made");
  if (::access(wanted.c_str(), W_OK | X_OK) != 0)
    reject("cache", name, "no file can be made there: {}", std::generic_category().message(errno));
  return wanted;
}

}  // namespace

Cache::Cache(const ReadOptions& options, const fs::path& path, const ByteSource& source,
             std::string_view also)
    : options_(options), source_(source), folder_(usable_folder(options.cache)) {
  if (!options.cache.empty() && source.file()) {
    key_ = key_of(options, path, *source.file());
    if (options.transpose) key_ += "\ntransposed";
    key_ += also;
  }
  if (options.storage == Storage::automatic && options.memory == 0) available_ = available_memory();
}

std::uint64_t Cache::room(Index cols) const {
  if (options_.covariance || options_.storage == Storage::memory) return kEverything;
  if (options_.storage == Storage::file) return 0;
  return room_for_table(options_.memory, cols, options_.work_per_variable, available_);
}

std::uint64_t Cache::buffers(Index cols) const {
  return room_for_buffers(options_.memory, cols, options_.work_per_variable);
}

fs::path Cache::target() const {
  const fs::path name = source_.name();
  return folder_ / fmt::format("{}-{:016x}.spcart", name.filename().string(), hash_of(key_));
}

std::optional<Table> Cache::find() const {
  std::error_code ignored;
  if (key_.empty() || options_.covariance || options_.storage == Storage::memory ||
      !fs::exists(target(), ignored))
    return std::nullopt;
  Table table;
  try {
    table = read_kept(target(), key_);
  } catch (const Error&) {
    return std::nullopt;  // it will be made again
  }
  auto& view = std::get<FileView>(table.values);
  if (stored_bytes(view) <= room(view.cols)) return std::nullopt;
  view.memory = buffers(view.cols);
  return table;
}

std::unique_ptr<TemporaryFile> Cache::new_file() const {
  if (!key_.empty()) return std::make_unique<TemporaryFile>(target());
  const fs::path source = source_.name();
  auto file = std::make_unique<TemporaryFile>(folder_ / ("copy of " + source.filename().string()),
                                              TemporaryFile::Access::owner);
  file->make_nameless();
  return file;
}

FileView Cache::adopt(std::unique_ptr<TemporaryFile> file, FileView layout) {
  adopted_ = std::move(file);
  layout.file = adopted_->open(fmt::format("the copy of {}", source_.name()));
  layout.memory = buffers(layout.cols);
  return layout;
}

void Cache::keep(Table& table) {
  if (!adopted_) return;
  if (source_.file()) source_.file()->check_unchanged();
  if (key_.empty()) return;
  auto& view = std::get<FileView>(table.values);
  std::string text;
  const Names key = {key_};
  for (const Names* names : std::initializer_list<const Names*>{
           &key, &table.variables, &table.samples, &table.labels, &table.notes})
    put_names(text, *names);
  CacheHeader header = header_of(view);
  header.text = std::max(view.file->size(), kCacheHeader);
  header.text_bytes = text.size();
  header.check = check_of(header, text);
  adopted_->write_at(header.text, text.data(), text.size());
  adopted_->write_at(0, reinterpret_cast<const char*>(&header), sizeof(header));
  if (::fdatasync(adopted_->descriptor()) != 0) fail_to_write(target(), errno);
  adopted_->rename();
  view = adopt(std::move(adopted_), view);
}

}  // namespace spcart::io
