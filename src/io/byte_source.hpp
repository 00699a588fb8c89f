#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/export_to_mpi.hpp"
#include "spcart/file.hpp"

struct z_stream_s;

namespace spcart::io {

/// The bytes of a file, or of standard input for "-", unpacked if they are gzipped, and as UTF-8 if
/// they are text in UTF-16. Every failure is an Error that names the file.
class SPCART_EXPORT_TO_MPI ByteSource {
 public:
  explicit ByteSource(const std::filesystem::path& path, Tick tick = {});
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Reads up to `count` bytes; fewer only at the end.
  std::size_t read(char* to, std::size_t count);

  /// The first bytes, whether they have been read yet or not; at least 16 if there are as many.
  std::string_view head() const { return head_; }

  /// The name in messages.
  const std::string& name() const { return name_; }

  /// Number of bytes if it is known beforehand: of plain files.
  std::optional<std::uint64_t> size() const;

  /// The file if it can be read again; none for standard input and pipes.
  const std::shared_ptr<const OpenFile>& file() const { return opened_; }
  bool is_gzipped() const { return stream_ != nullptr; }

 private:
  struct EndInflate {
    void operator()(z_stream_s* stream) const;
  };

  void open(const std::filesystem::path& path);
  void begin_inflate();
  std::size_t decode(char* to, std::size_t count);
  void begin_utf16(std::string& head);
  void convert_utf16(std::string_view bytes);
  std::size_t unpack(char* to, std::size_t count);
  std::size_t inflate(char* to, std::size_t count);
  void inflate_step();
  std::size_t read_file(char* to, std::size_t count);
  bool fill();

  std::string name_;
  Tick tick_;
  int file_ = -1;
  bool close_file_ = false;
  std::shared_ptr<const OpenFile> opened_;
  std::uint64_t file_read_ = 0;

  std::vector<char> input_;  ///< bytes of the file that are not decoded yet
  std::size_t input_begin_ = 0, input_end_ = 0;
  std::unique_ptr<z_stream_s, EndInflate> stream_;  ///< none if the file is plain
  bool in_member_ = false;                          ///< of a gzip file, which may have several
  std::size_t members_ = 0;

  enum class Utf16 { none, little_endian, big_endian };
  Utf16 utf16_ = Utf16::none;
  std::string converted_;  ///< text that is converted to UTF-8
  std::size_t converted_used_ = 0;
  std::string half_;  ///< bytes of a character that is not complete

  std::string head_;
  std::size_t head_used_ = 0;
};

/// The lines of a text, one after the other, in its buffer.
class LineReader {
 public:
  explicit LineReader(ByteSource& source);

  /// Advances to the next line; false at the end of the text.
  bool next() {
    line_ = next_;
    number_ += lines_;
    lines_ = 0;
    return extend();
  }

  /// Appends the following line to the current one, for a quoted field; false at the end.
  bool extend();

  char* begin() { return buffer_.data() + line_; }
  char* end() { return buffer_.data() + line_end_; }  ///< before the line's ending
  /// The line after the current one, as far as it has been read.
  std::string_view following() const {
    const std::string_view rest(buffer_.data() + next_, filled_ - next_);
    return rest.substr(0, rest.find('\n'));
  }

  Index number() const { return number_; }  ///< of the line, or of the first of several

 private:
  bool fill();

  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t line_ = 0, line_end_ = 0;  ///< the current line
  std::size_t next_ = 0;                 ///< the line after it
  std::size_t filled_ = 0;
  Index number_ = 1;
  Index lines_ = 0;  ///< that the current one consists of
};

}  // namespace spcart::io
