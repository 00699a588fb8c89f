#include <array>

#include "bindings.hpp"
#include "request.hpp"
#include "spcart/datasets.hpp"
#include "spcart/error.hpp"
#include "spcart/file.hpp"

namespace spcart::python {
namespace {

using Array2 = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using Array1 = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

struct ScalarName {
  std::string_view name;
  FileScalar scalar;
};
constexpr auto kScalarNames = std::to_array<ScalarName>({{"uint8", FileScalar::uint8},
                                                         {"int32", FileScalar::int32},
                                                         {"float32", FileScalar::float32},
                                                         {"float64", FileScalar::float64},
                                                         {"bool", FileScalar::boolean},
                                                         {"int8", FileScalar::int8},
                                                         {"int16", FileScalar::int16},
                                                         {"uint16", FileScalar::uint16},
                                                         {"uint32", FileScalar::uint32},
                                                         {"int64", FileScalar::int64},
                                                         {"uint64", FileScalar::uint64}});

FileScalar file_scalar(std::string_view name) {
  for (const ScalarName& known : kScalarNames)
    if (known.name == name) return known.scalar;
  throw nb::type_error("no table can be stored in numbers of that type");
}

Scalar scalar_of(nb::dlpack::dtype type) {
  if (type == nb::dtype<double>()) return Scalar::float64;
  if (type == nb::dtype<float>()) return Scalar::float32;
  if (type == nb::dtype<std::int32_t>()) return Scalar::int32;
  if (type == nb::dtype<std::uint8_t>()) return Scalar::uint8;
  throw nb::type_error("a table is viewed as uint8, int32, float32 or float64");
}

TableHandle handle_of(Table table) {
  return {std::make_shared<const AnySamples>(std::move(table))};
}

/// Tables of Python have no names here: names stay in Python, and the handle knows them.
TableHandle handle_of(std::variant<DenseView, SparseView, FileView> values, bool covariance) {
  return handle_of(Table{std::move(values), covariance, {}, {}});
}

DenseView view_of(const Array2& array) {
  return {array.data(),
          scalar_of(array.dtype()),
          static_cast<Index>(array.shape(0)),
          static_cast<Index>(array.shape(1)),
          array.stride(0),
          array.stride(1),
          {}};
}

TableHandle dense(const Array2& array) { return handle_of(view_of(array), false); }

/// The table of a memory map: `array` has its numbers, which are in the file from that byte on.
TableHandle mapped(const Array2& array, const std::string& path, const std::string& scalar,
                   bool by_row, std::uint64_t offset) {
  Table table{view_of(array), false, {}, {}};
  table.mapped = FileView{.file = open_file(path),
                          .scalar = file_scalar(scalar),
                          .rows = table.rows(),
                          .cols = table.cols(),
                          .order = by_row ? FileView::Order::row : FileView::Order::column,
                          .values = offset};
  return handle_of(std::move(table));
}

TableHandle covariance(const Array2& array) {
  if (array.shape(0) != array.shape(1))
    throw Error("a covariance must be square, and this is " + std::to_string(array.shape(0)) +
                " x " + std::to_string(array.shape(1)));
  return handle_of(view_of(array), true);
}

TableHandle sparse(bool by_row, Index rows, Index cols, const Array1& values, const Array1& inner,
                   const Array1& outer) {
  const bool wide = inner.dtype() == nb::dtype<std::int64_t>();
  if (inner.dtype() != outer.dtype() || (!wide && inner.dtype() != nb::dtype<std::int32_t>()))
    throw nb::type_error("indices of a sparse table are int32 or int64");
  const auto lines = static_cast<std::size_t>(by_row ? rows : cols);
  const auto entries = [&] {
    return static_cast<std::size_t>(wide ? static_cast<const std::int64_t*>(outer.data())[lines]
                                         : static_cast<const std::int32_t*>(outer.data())[lines]);
  };
  if (outer.shape(0) != lines + 1 || values.shape(0) != inner.shape(0) ||
      entries() > values.shape(0))
    throw Error("sparse table: its arrays are not as long as its shape says");
  return handle_of(SparseView{by_row ? SparseView::Major::row : SparseView::Major::column,
                              rows,
                              cols,
                              values.data(),
                              scalar_of(values.dtype()),
                              inner.data(),
                              outer.data(),
                              wide,
                              {}},
                   false);
}

/// The numbers, the names of the variables, and whether it is a covariance.
std::tuple<Matrix, std::vector<std::string>, bool> load(const std::string& name) {
  const Table table = load_dataset(name);
  return {to_matrix(table), table.variables, table.covariance};
}

}  // namespace

void bind_tables(nb::module_& m) {
  nb::class_<TableHandle>(m, "Table", "A table of the core.")
      .def_prop_ro("shape", [](const TableHandle& h) { return std::pair(h.rows(), h.cols()); })
      .def_prop_ro("mapped",
                   [](const TableHandle& h) { return h.table() && h.table()->mapped.has_value(); })
      .def_rw("names", &TableHandle::names, nb::arg().none(),
              nb::for_getter(nb::sig("def names(self) -> collections.abc.Sequence[object] | None")),
              nb::for_setter(nb::sig(
                  "def names(self, names: collections.abc.Sequence[object] | None, /) -> None")));
  m.def("dense", &dense, nb::arg("array").noconvert(), nb::keep_alive<0, 1>(),
        nb::sig("def dense(array: numpy.typing.NDArray[typing.Any]) -> Table"));
  m.def("covariance", &covariance, nb::arg("array").noconvert(), nb::keep_alive<0, 1>(),
        nb::sig("def covariance(array: numpy.typing.NDArray[typing.Any]) -> Table"));
  m.def("sparse", &sparse, nb::arg("by_row"), nb::arg("rows"), nb::arg("cols"),
        nb::arg("values").noconvert(), nb::arg("inner").noconvert(), nb::arg("outer").noconvert(),
        nb::keep_alive<0, 4>(), nb::keep_alive<0, 5>(), nb::keep_alive<0, 6>(),
        nb::sig("def sparse(by_row: bool, rows: int, cols: int, values: "
                "numpy.typing.NDArray[typing.Any], inner: numpy.typing.NDArray[typing.Any], "
                "outer: numpy.typing.NDArray[typing.Any]) -> Table"));
  m.def("mapped", &mapped, nb::arg("array").noconvert(), nb::arg("path"), nb::arg("dtype"),
        nb::arg("by_row"), nb::arg("offset"), nb::keep_alive<0, 1>(),
        nb::sig("def mapped(array: numpy.typing.NDArray[typing.Any], path: str, dtype: str, "
                "by_row: bool, offset: int) -> Table"));
  m.def("load", &load, nb::arg("name"));
}

}  // namespace spcart::python
