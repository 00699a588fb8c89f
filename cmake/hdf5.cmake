# Sets spcart_has_hdf5: whether HDF5 files are read, by SPCART_HDF5 and by what is installed. A Python package must not
# bring a second libhdf5 into a process that has that of h5py.
set(spcart_has_hdf5 FALSE)
if(SPCART_HDF5 STREQUAL "AUTO" AND SKBUILD)
  return()
endif()
if(SPCART_HDF5)
  find_package(HDF5 QUIET COMPONENTS C)
  if(HDF5_FOUND AND NOT HDF5_IS_PARALLEL)
    set(spcart_has_hdf5 TRUE)
  elseif(NOT SPCART_HDF5 STREQUAL "AUTO")
    message(FATAL_ERROR "SPCART_HDF5 is ${SPCART_HDF5}, but libhdf5, without MPI, is not found")
  endif()
endif()
