#include <array>

#include "commands/program.hpp"
#include "process/interrupt.hpp"

int main(int argc, char** argv) {
  using namespace spcart::command;
  constexpr std::array kCommands = {add_fit,      add_path,      add_choose,    add_compare,
                                    add_evaluate, add_transform, add_reproduce, add_datasets,
                                    add_info,     add_demo};
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
      kCommands, argc, argv);
}
