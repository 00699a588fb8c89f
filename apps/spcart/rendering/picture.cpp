#include "rendering/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "rendering/print.hpp"

namespace spcart::command {
namespace {

constexpr int kBetween = 2;

/// Grey of the terminal's 256 colours for a value from -1 to 1.
int grey(double value) {
  constexpr int kBlack = 232, kSteps = 23;
  return kBlack + static_cast<int>(std::lround((value + 1) / 2 * kSteps));
}

std::string_view shade(double magnitude) {
  constexpr std::array<std::string_view, 5> kBlocks = {"·", "░", "▒", "▓", "█"};
  constexpr std::array<std::string_view, 5> kLetters = {".", "-", "+", "*", "#"};
  const auto step = static_cast<std::size_t>(std::ceil(std::clamp(magnitude, 0.0, 1.0) * 4));
  return (terminal().utf8 ? kBlocks : kLetters)[step];
}

/// One character for two pixels, one above the other; the lower one may be beyond the picture.
std::string cell(double upper, double lower, bool has_lower) {
  if (!terminal().colour || !terminal().utf8)
    return std::string(shade(std::max(std::abs(upper), has_lower ? std::abs(lower) : 0.0)));
  if (!has_lower) return fmt::format("\x1b[38;5;{}m▀\x1b[0m", grey(upper));
  return fmt::format("\x1b[38;5;{};48;5;{}m▀\x1b[0m", grey(upper), grey(lower));
}

}  // namespace

std::string picture_row(const Matrix& pictures, Index side, int indent) {
  std::string text;
  for (Index y = 0; y < side; y += 2) {
    text += fmt::format("{:{}}", "", indent);
    for (Index k = 0; k < pictures.cols(); ++k) {
      const double largest = pictures.col(k).cwiseAbs().maxCoeff();
      const auto pixel = [&](Index row, Index x) {
        return row < side && largest > 0 ? pictures(row * side + x, k) / largest : 0;
      };
      for (Index x = 0; x < side; ++x) text += cell(pixel(y, x), pixel(y + 1, x), y + 1 < side);
      if (k + 1 < pictures.cols()) text += fmt::format("{:{}}", "", kBetween);
    }
    text += '\n';
  }
  return text;
}

Index pictures_in_row(Index side, int indent) {
  return std::max<Index>((terminal().width - indent + kBetween) / (side + kBetween), 1);
}

}  // namespace spcart::command
