#include <array>

#include "commands/program.hpp"
#include "process/interrupt.hpp"

int main(int argc, char** argv) {
  using namespace spcart::command;
  LocalData data;
  const auto on_data = [&data](auto add) -> AddCommand {
    return [&data, add](CLI::App& program) { return add(program, data); };
  };
  const std::array<AddCommand, 10> commands = {on_data(add_fit),
                                               on_data(add_path),
                                               on_data(add_choose),
                                               on_data(add_compare),
                                               on_data(add_evaluate),
                                               on_data(add_transform),
                                               add_reproduce,
                                               add_datasets,
                                               add_info,
                                               add_demo};
  arrange_process();
  const InterruptWatch watch;
  return run_program(
      {.name = "spcart",
       .summary = "Sparse principal components: few variables each, nearly all that PCA explains",
       .usage = "COMMAND [options]",
       .detail = {},
       .examples = {"spcart demo", "spcart fit @pitprops -r 6",
                    "spcart fit samples.csv -r 5 --nonzeros 10 --json result.json",
                    "spcart fit --help"}},
      commands, argc, argv);
}
