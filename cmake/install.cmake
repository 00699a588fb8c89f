# Installs the library so that find_package(spcart) gives spcart::spcart.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spcart)

install(TARGETS spcart EXPORT spcartTargets)
install(DIRECTORY include/spcart DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT spcartTargets NAMESPACE spcart:: DESTINATION ${package_dir})
if(spcart_has_mpi)
  install(TARGETS spcart_mpi EXPORT spcartMpiTargets)
  install(EXPORT spcartMpiTargets NAMESPACE spcart:: DESTINATION ${package_dir})
endif()

get_target_property(spcart_type spcart TYPE)
configure_package_config_file(cmake/spcartConfig.cmake.in spcartConfig.cmake
  INSTALL_DESTINATION ${package_dir}
)
# Until 1.0 a minor version may change the public interface.
write_basic_package_version_file(spcartConfigVersion.cmake COMPATIBILITY SameMinorVersion)

# For projects that do not use CMake: pkg-config --cflags --libs spcart, with --static unless it is a shared library.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pc /prefix/${pc_dir} /prefix)
list(JOIN BLAS_LIBRARIES " " blas_flags)
set(lapacke_flags ${LAPACKE_LIBRARY})
set(hdf5_flags "")
if(spcart_has_hdf5)
  set(hdf5_flags ${HDF5_C_LIBRARIES})
  list(FILTER hdf5_flags INCLUDE REGEX "hdf5")  # the others are those that it needs itself
  list(JOIN hdf5_flags " " hdf5_flags)
endif()
configure_file(cmake/spcart.pc.in spcart.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/spcart.pc DESTINATION ${pc_dir})

install(
  FILES
    ${CMAKE_CURRENT_BINARY_DIR}/spcartConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/spcartConfigVersion.cmake
    cmake/FindLAPACKE.cmake
  DESTINATION ${package_dir}
)
