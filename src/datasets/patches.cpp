#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "datasets/builtin.hpp"

namespace spcart {
namespace {

constexpr Index kSide = 128;  // of a picture, in pixels
constexpr Index kPatchesOfPicture = 25;
constexpr double kMaxRadius = kSide / 2.0;
constexpr Index kScales = 6;          // the smallest radius of a picture is 1/2, 1, ..., or 16
constexpr double kMinContrast = 0.1;  // of a picture, as a fraction of the full range of grey
constexpr float kInvisible = 1.0F / 256;

struct Disc {
  double x, y, radius;
  float grey;
};

/// A square picture that is built from the front to the back. Opposite sides meet (a torus), so
/// that leaves need not be drawn beyond its rim.
class Picture {
 public:
  Picture() : light_(kSide * kSide, 0), gap_(kSide * kSide, 1) {}

  bool complete() const { return open_pixels_ == 0; }

  void add_behind(const Disc& disc) {
    const double reach = disc.radius + 0.5;
    for (Index y = ceil(disc.y - reach); y < ceil(disc.y + reach); ++y) {
      const double dy = static_cast<double>(y) - disc.y;
      const double half_width = std::sqrt(std::max(reach * reach - dy * dy, 0.0));
      for (Index x = ceil(disc.x - half_width); x < ceil(disc.x + half_width); ++x) {
        const auto pixel = static_cast<std::size_t>(wrapped(y) * kSide + wrapped(x));
        if (gap_[pixel] > 0) shine_through(pixel, disc, dy, static_cast<double>(x) - disc.x);
      }
    }
  }

  std::uint8_t grey(Index y, Index x) const {
    return static_cast<std::uint8_t>(light_[static_cast<std::size_t>(y * kSide + x)]);
  }

 private:
  static Index ceil(double position) { return static_cast<Index>(std::ceil(position)); }

  static Index wrapped(Index position) {
    return position < 0 ? position + kSide : position >= kSide ? position - kSide : position;
  }

  /// The rim of a disc is one pixel wide, as a camera would see it.
  void shine_through(std::size_t pixel, const Disc& disc, double dy, double dx) {
    const double distance = std::sqrt(dy * dy + dx * dx);
    const auto opacity = static_cast<float>(std::clamp(disc.radius + 0.5 - distance, 0.0, 1.0));
    light_[pixel] += gap_[pixel] * opacity * disc.grey;
    gap_[pixel] *= 1 - opacity;
    if (gap_[pixel] < kInvisible) {
      gap_[pixel] = 0;
      --open_pixels_;
    }
  }

  std::vector<float> light_;  // from the discs so far, 0 to 255
  std::vector<float> gap_;    // the fraction of each pixel that no disc covers yet, 1 to 0
  Index open_pixels_ = kSide * kSide;
};

/// Inverts the distribution whose density is proportional to r^-3 between the two radii.
double draw_radius(double min_radius, Random& random) {
  const double ratio = min_radius / kMaxRadius;
  return min_radius / std::sqrt(1 - random.uniform() * (1 - ratio * ratio));
}

/// Pictures differ in distance and in contrast: otherwise patches would show neither the long tail
/// of the spectrum nor the many faint patches of natural images.
Picture draw_picture(Random& random) {
  const double min_radius = std::ldexp(0.5, static_cast<int>(random.below(kScales)));
  const double contrast = 1 - (1 - kMinContrast) * random.uniform();
  Picture picture;
  while (!picture.complete()) {
    Disc disc{};
    disc.radius = draw_radius(min_radius, random);
    disc.x = kSide * random.uniform();
    disc.y = kSide * random.uniform();
    disc.grey = static_cast<float>(127.5 + 255 * contrast * (random.uniform() - 0.5));
    picture.add_behind(disc);
  }
  return picture;
}

std::vector<std::string> pixel_names(Index size) {
  std::vector<std::string> names;
  for (Index y = 0; y < size; ++y)
    for (Index x = 0; x < size; ++x) names.push_back(fmt::format("y{}x{}", y, x));
  return names;
}

std::vector<std::uint8_t> draw_patches(const PatchesOptions& options) {
  std::vector<std::uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(options.n * options.size * options.size));
  Random random(options.seed);
  Picture picture;
  for (Index i = 0; i < options.n; ++i) {
    if (i % kPatchesOfPicture == 0) picture = draw_picture(random);
    const Index top = random.below(kSide - options.size + 1);
    const Index left = random.below(kSide - options.size + 1);
    for (Index y = top; y < top + options.size; ++y)
      for (Index x = left; x < left + options.size; ++x) pixels.push_back(picture.grey(y, x));
  }
  return pixels;
}

}  // namespace

Table make_patches(const PatchesOptions& options) {
  check_range("patches", "size", options.size, 2, kSide / 2);
  const Index p = options.size * options.size;
  check_range("patches", "n", options.n, 2, kMaxNumbers / p);
  auto pixels = std::make_shared<const std::vector<std::uint8_t>>(draw_patches(options));
  DenseView view = DenseView::row_major(pixels->data(), options.n, p);
  view.owner = std::move(pixels);
  return {.values = std::move(view), .variables = pixel_names(options.size), .samples = {}};
}

}  // namespace spcart
