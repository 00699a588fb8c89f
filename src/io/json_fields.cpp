#include "io/json_fields.hpp"

#include "spcart/version.hpp"

namespace spcart::io {

json parse_json(ByteSource& source) {
  std::string text;
  constexpr std::size_t kStep = std::size_t{1} << 18;
  for (std::size_t got = kStep; got == kStep;) {
    const std::size_t size = text.size();
    text.resize(size + kStep);
    got = source.read(text.data() + size, kStep);
    text.resize(size + got);
  }
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    constexpr std::size_t kLimit = 200;
    fail({source.name()}, "is not JSON: {}", printable(error.what(), kLimit));
  }
}

void check_version(const Fields& fields) {
  const std::string version = fields.string("spcart");
  const auto major = [](std::string_view text) { return text.substr(0, text.find('.')); };
  if (major(version) != major(kVersion)) {
    fields.reject("spcart", fmt::format("is version '{}', and this is {}: their results differ",
                                        printable(version), kVersion));
  }
}

}  // namespace spcart::io
