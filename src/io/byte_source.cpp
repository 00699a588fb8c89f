#include "io/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "io/text.hpp"
#include "table/open_file.hpp"

namespace spcart::io {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

void ByteSource::EndInflate::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  delete stream;
}

ByteSource::ByteSource(const std::filesystem::path& path, Tick tick)
    : name_(path == "-" ? "standard input" : path.string()), tick_(std::move(tick)) {
  try {
    open(path);
    input_.resize(kChunk);
    if (!fill()) fail({name_}, "is empty");
    constexpr std::string_view kGzipMagic = "\x1f\x8b";
    if (std::string_view(input_.data(), input_end_).starts_with(kGzipMagic)) begin_inflate();

    std::string head(64, '\0');
    head.resize(decode(head.data(), head.size()));
    if (head.empty()) fail({name_}, "is empty");
    begin_utf16(head);
    head_ = std::move(head);
  } catch (...) {
    if (close_file_) ::close(file_);
    throw;
  }
}

ByteSource::~ByteSource() {
  if (close_file_) ::close(file_);
}

void ByteSource::open(const std::filesystem::path& path) {
  if (path == "-") {
    file_ = STDIN_FILENO;
  } else {
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0 && errno == ENOENT) fail({name_}, "no such file");
    if (file_ < 0) fail({name_}, "cannot be opened: {}", reason(errno));
    close_file_ = true;
  }
  struct stat status {};
  if (::fstat(file_, &status) != 0) fail({name_}, "cannot be read: {}", reason(errno));
  if (S_ISDIR(status.st_mode)) fail({name_}, "is a directory");
  if (S_ISREG(status.st_mode) && close_file_) {
    close_file_ = false;
    opened_ = std::make_shared<const OpenFile>(file_, name_);
  }
}

void ByteSource::begin_inflate() {
  auto stream = std::make_unique<z_stream>();
  constexpr int kGzipOnly = 15 + 16;
  if (inflateInit2(stream.get(), kGzipOnly) != Z_OK) throw std::bad_alloc();
  stream_.reset(stream.release());
}

std::optional<std::uint64_t> ByteSource::size() const {
  if (stream_ || !opened_ || utf16_ != Utf16::none) return std::nullopt;
  return opened_->size();
}

std::size_t ByteSource::read(char* to, std::size_t count) {
  const std::size_t known = std::min(count, head_.size() - head_used_);
  std::memcpy(to, head_.data() + head_used_, known);
  head_used_ += known;
  return known + decode(to + known, count - known);
}

std::size_t ByteSource::decode(char* to, std::size_t count) {
  if (utf16_ == Utf16::none) return unpack(to, count);
  std::size_t done = 0;
  while (done < count) {
    if (converted_used_ == converted_.size()) {
      converted_.clear();
      converted_used_ = 0;
      std::string bytes(kChunk, '\0');
      bytes.resize(unpack(bytes.data(), bytes.size()));
      if (bytes.empty()) {
        if (!half_.empty()) fail({name_}, "ends within a character of UTF-16");
        break;
      }
      convert_utf16(bytes);
    }
    const std::size_t some = std::min(count - done, converted_.size() - converted_used_);
    std::memcpy(to + done, converted_.data() + converted_used_, some);
    converted_used_ += some;
    done += some;
  }
  return done;
}

/// Text that begins with a byte order mark of UTF-16.
void ByteSource::begin_utf16(std::string& head) {
  if (head.starts_with("\xff\xfe"))
    utf16_ = Utf16::little_endian;
  else if (head.starts_with("\xfe\xff"))
    utf16_ = Utf16::big_endian;
  else
    return;
  convert_utf16(std::string_view(head).substr(2));
  head = std::exchange(converted_, {});
  if (head.empty()) fail({name_}, "is empty");
}

/// Appends the characters of `bytes` to `converted_`. One that is not complete waits in `half_`.
void ByteSource::convert_utf16(std::string_view bytes) {
  half_ += bytes;
  const auto unit = [&](std::size_t i) {
    const auto first = static_cast<unsigned char>(half_[i]),
               second = static_cast<unsigned char>(half_[i + 1]);
    return static_cast<unsigned>(utf16_ == Utf16::little_endian ? first | second << 8
                                                                : second | first << 8);
  };
  std::size_t i = 0;
  for (; i + 1 < half_.size(); i += 2) {
    const unsigned code = unit(i);
    if (code < 0xd800 || code > 0xdfff) {
      append_utf8(converted_, code);
      continue;
    }
    if (code > 0xdbff) fail({name_}, "is not text in UTF-16");
    if (i + 3 >= half_.size()) break;
    const unsigned low = unit(i + 2);
    if (low < 0xdc00 || low > 0xdfff) fail({name_}, "is not text in UTF-16");
    append_utf8(converted_, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
    i += 2;
  }
  half_.erase(0, i);
}

std::size_t ByteSource::unpack(char* to, std::size_t count) {
  if (stream_) return inflate(to, count);
  const std::size_t known = std::min(count, input_end_ - input_begin_);
  std::memcpy(to, input_.data() + input_begin_, known);
  input_begin_ += known;
  return known + read_file(to + known, count - known);
}

std::size_t ByteSource::inflate(char* to, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    if (input_begin_ == input_end_ && !fill()) {
      if (in_member_) fail({name_}, "is a truncated gzip file");
      break;
    }
    const auto room = static_cast<uInt>(std::min(count - done, kChunk));
    stream_->next_out = reinterpret_cast<Bytef*>(to + done);
    stream_->avail_out = room;
    inflate_step();
    done += room - stream_->avail_out;
  }
  return done;
}

void ByteSource::inflate_step() {
  if (!in_member_) {
    inflateReset(stream_.get());
    in_member_ = true;
    ++members_;
  }
  stream_->next_in = reinterpret_cast<Bytef*>(input_.data() + input_begin_);
  stream_->avail_in = static_cast<uInt>(input_end_ - input_begin_);
  const int status = ::inflate(stream_.get(), Z_NO_FLUSH);
  input_begin_ = input_end_ - stream_->avail_in;
  if (status == Z_STREAM_END) {
    in_member_ = false;
  } else if (status == Z_MEM_ERROR) {
    throw std::bad_alloc();
  } else if (status != Z_OK && status != Z_BUF_ERROR) {
    // Only a member that has not begun can fail before its first byte.
    if (members_ > 1 && stream_->total_out == 0) fail({name_}, "has rubbish after its gzip data");
    fail({name_}, "is a broken gzip file: {}", stream_->msg != nullptr ? stream_->msg : "corrupt");
  }
}

bool ByteSource::fill() {
  input_begin_ = 0;
  input_end_ = read_file(input_.data(), input_.size());
  return input_end_ > 0;
}

std::size_t ByteSource::read_file(char* to, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    if (tick_) {
      const auto size = opened_ ? static_cast<double>(opened_->size()) : 0;
      tick_(size > 0 ? std::min(1.0, static_cast<double>(file_read_) / size) : 0);
    }
    // A signal ends the call early, and the tick above may then end the work.
    constexpr std::size_t kStep = std::size_t{1} << 24;
    const ssize_t got = ::read(file_, to + done, std::min(count - done, kStep));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail({name_}, "cannot be read: {}", reason(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
    file_read_ += static_cast<std::uint64_t>(got);
  }
  return done;
}

LineReader::LineReader(ByteSource& source) : source_(source), buffer_(kChunk) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (source.head().starts_with(kByteOrderMark)) {
    fill();
    next_ = kByteOrderMark.size();
  }
}

bool LineReader::extend() {
  std::size_t searched = next_;
  for (;;) {
    const void* found = std::memchr(buffer_.data() + searched, '\n', filled_ - searched);
    if (found != nullptr) {
      line_end_ = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      next_ = line_end_ + 1;
      break;
    }
    const std::size_t unread = filled_ - next_;
    if (!fill()) {
      if (unread == 0) return false;
      line_end_ = next_ = filled_;
      break;
    }
    searched = next_ + unread;
  }
  ++lines_;
  if (line_end_ > line_ && buffer_[line_end_ - 1] == '\r') --line_end_;
  return true;
}

bool LineReader::fill() {
  std::memmove(buffer_.data(), buffer_.data() + line_, filled_ - line_);
  filled_ -= line_;
  next_ -= line_;
  line_ = 0;
  if (buffer_.size() - filled_ < buffer_.size() / 2) buffer_.resize(2 * buffer_.size());
  const std::size_t got = source_.read(buffer_.data() + filled_, buffer_.size() - filled_);
  const char* begin = buffer_.data() + filled_;
  if (std::memchr(begin, '\0', got) != nullptr)
    fail({source_.name()}, "holds zero bytes: it is not text");
  filled_ += got;
  return got > 0;
}

}  // namespace spcart::io
