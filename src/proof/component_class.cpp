#include <array>

#include "base/names.hpp"
#include "spcart/proof.hpp"

namespace spcart {
namespace {

constexpr auto kNames =
    std::to_array<Name<ComponentClass>>({{ComponentClass::disjoint, "disjoint"},
                                         {ComponentClass::orthogonal, "orthogonal"},
                                         {ComponentClass::oblique, "oblique"},
                                         {ComponentClass::any, "any"}});

}  // namespace

std::string_view name(ComponentClass value) { return name_in(kNames, value); }

}  // namespace spcart
