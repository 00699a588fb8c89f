// Samples that functions of Python's give, or that are known by their moments alone.
#include "bindings.hpp"
#include "request.hpp"
#include "spcart/error.hpp"
#include "spcart/memory.hpp"

namespace spcart::python {
namespace {

/// An object of Python's that any thread may own, copy and release.
using SharedObject = std::shared_ptr<PyObject>;

SharedObject share(nb::object object) {
  return {object.release().ptr(), [](PyObject* owned) {
            if (!Py_IsInitialized()) return;
            const nb::gil_scoped_acquire gil;
            Py_XDECREF(owned);
          }};
}

RowBlock block_of(const Table& table) {
  if (const auto* dense = std::get_if<DenseView>(&table.values)) return *dense;
  return std::get<SparseView>(table.values);
}

/// The blocks of an iterator over tables.
class Blocks {
 public:
  explicit Blocks(SharedObject iterator) : iterator_(std::move(iterator)) {}

  std::optional<RowBlock> operator()() {
    const nb::gil_scoped_acquire gil;
    block_.reset();
    nb::object next = nb::steal(PyIter_Next(iterator_.get()));
    if (!next.is_valid()) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      return {};
    }
    const RowBlock block = block_of(*nb::cast<const TableHandle&>(next).table());
    block_ = share(std::move(next));
    return block;
  }

 private:
  SharedObject iterator_, block_;
};

/// `begin` makes an iterator over tables, each time that it is called.
TableHandle make_source(nb::object begin, Index rows, Index cols, const nb::handle& like,
                        double entries) {
  const RowBlock first = block_of(*nb::cast<const TableHandle&>(like).table());
  RowSource source{.rows = rows, .cols = cols, .entries = entries};
  source.scalar = std::visit([](const auto& view) { return view.scalar; }, first);
  source.sparse = std::holds_alternative<SparseView>(first);
  source.pass = [begin = share(std::move(begin))]() -> RowSource::NextBlock {
    const nb::gil_scoped_acquire gil;
    return Blocks(share(nb::handle(begin.get())()));
  };
  return {std::make_shared<const AnySamples>(std::move(source))};
}

/// A product by a function of Python's, which takes and returns arrays of float64.
auto product_by(nb::object function, Index rows) {
  return [function = share(std::move(function)), rows](ConstBlock x, Block y) {
    const nb::gil_scoped_acquire gil;
    const auto product = nb::cast<Matrix>(nb::handle(function.get())(nb::cast(Matrix(x))));
    if (product.rows() != rows || product.cols() != x.cols())
      throw Error("the linear operator returns an array of " + std::to_string(product.rows()) +
                  " x " + std::to_string(product.cols()) + " instead of " + std::to_string(rows) +
                  " x " + std::to_string(x.cols()));
    y = product;
  };
}

TableHandle make_operator_handle(nb::object times, nb::object adjoint_times, Index rows,
                                 Index cols) {
  return {std::make_shared<const AnySamples>(
      LinearOperator{.rows = rows,
                     .cols = cols,
                     .times = product_by(std::move(times), rows),
                     .adjoint_times = product_by(std::move(adjoint_times), cols)})};
}

SampleMoments moments_of_samples(nb::handle_t<TableHandle> table, Index threads) {
  const auto moments = std::make_shared<SampleMoments>();
  run(table, nb::none(), threads,
      [moments, samples = nb::cast<const TableHandle&>(table).samples](Watch& watch) {
        const Tick tick = watch.tick("prepare");
        if (const auto* source = std::get_if<RowSource>(samples.get()))
          *moments = moments_of(*source, tick);
        else if (const auto* stored = std::get_if<Table>(samples.get()))
          *moments = moments_of(*stored, tick);
        else
          throw Error("moments: these samples are not known one by one");
      });
  return std::move(*moments);
}

}  // namespace

Index TableHandle::rows() const {
  if (const auto* stored = table()) return stored->rows();
  if (const auto* source = std::get_if<RowSource>(samples.get())) return source->rows;
  if (const auto* s = std::get_if<LinearOperator>(samples.get())) return s->rows;
  return std::get<SampleMoments>(*samples).samples;
}

Index TableHandle::cols() const {
  if (const auto* stored = table()) return stored->cols();
  if (const auto* source = std::get_if<RowSource>(samples.get())) return source->cols;
  if (const auto* s = std::get_if<LinearOperator>(samples.get())) return s->cols;
  return std::get<SampleMoments>(*samples).means.size();
}

std::unique_ptr<DataMatrix> prepare_samples(const AnySamples& samples,
                                            const PrepareOptions& options, const Tick& tick) {
  return std::visit([&](const auto& any) { return prepare(any, options, tick); }, samples);
}

void bind_sources(nb::module_& m) {
  nb::class_<SampleMoments>(m, "SampleMoments", "The number, means and scatter of samples.")
      .def(
          "__init__",
          [](SampleMoments* self, Index samples, const Vector& means, const Matrix& scatter) {
            new (self) SampleMoments{samples, means, scatter};
          },
          nb::arg("samples"), nb::arg("means"), nb::arg("scatter"))
      .def_ro("samples", &SampleMoments::samples)
      .def_prop_ro("means", [](const SampleMoments& self) { return Vector(self.means); })
      .def_prop_ro("scatter", [](const SampleMoments& self) { return Matrix(self.scatter); })
      .def("add", &SampleMoments::add, nb::arg("others"));
  m.def("moments", &moments_of_samples, nb::arg("table"), nb::arg("n_threads"));
  m.def(
      "of_moments",
      [](const SampleMoments& moments) {
        return TableHandle{std::make_shared<const AnySamples>(moments)};
      },
      nb::arg("moments"));
  m.def("source", &make_source, nb::arg("begin"), nb::arg("rows"), nb::arg("cols"), nb::arg("like"),
        nb::arg("entries"),
        nb::sig("def source(begin: collections.abc.Callable[[], collections.abc.Iterator[Table]], "
                "rows: int, cols: int, like: Table, entries: float) -> Table"));
  m.def("linear_operator", &make_operator_handle, nb::arg("times"), nb::arg("adjoint_times"),
        nb::arg("rows"), nb::arg("cols"),
        nb::sig("def linear_operator(times: collections.abc.Callable[[numpy.typing.NDArray["
                "numpy.float64]], numpy.typing.NDArray[numpy.float64]], adjoint_times: "
                "collections.abc.Callable[[numpy.typing.NDArray[numpy.float64]], "
                "numpy.typing.NDArray[numpy.float64]], rows: int, cols: int) -> Table"));
  m.def("available_memory", &available_memory);
}

}  // namespace spcart::python
