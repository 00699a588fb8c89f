#include "rendering/report.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <new>
#include <stdexcept>
#include <system_error>

#include "embedded.hpp"
#include "spcart/error.hpp"

namespace spcart::command {
namespace {

/// The embedded page, or an empty text: npm may have failed although it was found.
std::string_view page() {
  const auto pages = report_pages();
  return pages.empty() ? std::string_view() : pages.front().text;
}

/// The document with every list of positions, "index":[2,3,7], as differences between neighbours,
/// "steps":[2,1,4]: a tenth of the size if loadings are dense. JSON escapes quotes within a text,
/// so that every match is a field.
std::string with_steps(std::string_view json) {
  constexpr std::string_view kField = "\"index\":[";
  std::string out;
  out.reserve(json.size());
  for (std::size_t at = json.find(kField); at != std::string_view::npos; at = json.find(kField)) {
    out += json.substr(0, at);
    out += "\"steps\":[";
    const char* next = json.data() + at + kField.size();
    const char* const end = json.data() + json.size();
    for (std::int64_t last = 0, position = 0; *next != ']'; last = position) {
      const auto [after, error] = std::from_chars(next, end, position);
      if (error != std::errc{}) throw std::logic_error("a list of positions holds something else");
      next = after;
      fmt::format_to(std::back_inserter(out), "{}", position - last);
      if (*next == ',') out += *next++;
    }
    json.remove_prefix(static_cast<std::size_t>(next - json.data()));
  }
  return out += json;
}

std::string gzipped(std::string_view text) {
  constexpr int kGzip = 15 + 16, kMemory = 9;
  z_stream stream{};
  // Digits of numbers hardly repeat: Z_FILTERED does not look for accidental repetition.
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_FILTERED) != Z_OK)
    throw std::bad_alloc();
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  // zlib counts in 32 bits: larger texts are passed in parts.
  constexpr std::size_t kPart = std::size_t{1} << 30;
  std::size_t taken = 0, made = 0;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    const std::size_t in = std::min(text.size() - taken, kPart);
    const std::size_t room = std::min(out.size() - made, kPart);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data() + taken));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + made);
    stream.avail_out = static_cast<uInt>(room);
    status = deflate(&stream, taken + in == text.size() ? Z_FINISH : Z_NO_FLUSH);
    assert(status == Z_OK || status == Z_STREAM_END);
    taken += in - stream.avail_in;
    made += room - stream.avail_out;
  }
  deflateEnd(&stream);
  out.resize(made);
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) -> unsigned {
      return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0;
    };
    const unsigned group = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (unsigned k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace

bool has_report_page() { return !page().empty(); }

void require_report_page() {
  if (!has_report_page())
    throw Error(
        "--report: this spcart was built without the report page; build it again with npm "
        "('tools/setup page' installs it, 'make build' builds the page)");
}

std::string report_page(std::string_view json) {
  require_report_page();
  constexpr std::string_view kPlace = "id=\"result\">";
  const std::size_t at = page().find(kPlace);
  assert(at != std::string_view::npos);
  const std::size_t end = at + kPlace.size();
  std::string out(page().substr(0, end));
  out += base64(gzipped(with_steps(json)));
  return out += page().substr(end);
}

std::string with_report_fields(std::string json, std::string_view fields) {
  assert(json.ends_with('}'));
  json.back() = ',';
  return json += fmt::format("\"report\":{}}}", fields);
}

}  // namespace spcart::command
