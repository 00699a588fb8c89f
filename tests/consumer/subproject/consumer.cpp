#include <spcart/spcart.hpp>

spcart::Result fit_pitprops() { return spcart::fit(*spcart::load_dataset("pitprops").prepare()); }
