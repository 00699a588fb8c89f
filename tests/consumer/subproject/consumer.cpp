#include <spcart/spcart.hpp>

spcart::Result fit_pitprops() { return spcart::fit(*prepare(spcart::load_dataset("pitprops"))); }
