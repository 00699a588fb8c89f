# Builds a project that uses spcart in the given WAY, in the folder WORK.

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -B ${WORK}/build
  -D CMAKE_CXX_COMPILER=${CXX} -D "CMAKE_CXX_FLAGS=${CXX_FLAGS}" -D CMAKE_BUILD_TYPE=Debug
)

if(WAY STREQUAL "find_package")
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --config ${CONFIG})
  run(${configure} -S ${SOURCE}/examples -D CMAKE_PREFIX_PATH=${WORK}/prefix)
  run(${CMAKE_COMMAND} --build ${WORK}/build)
  run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/build --output-on-failure)
elseif(WAY STREQUAL "pkg_config")
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --config ${CONFIG})
  file(GLOB_RECURSE pc ${WORK}/prefix/*/spcart.pc)
  get_filename_component(pc_dir ${pc} DIRECTORY)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_dir} pkg-config --cflags --libs --static spcart
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY
  )
  separate_arguments(flags UNIX_COMMAND "${CXX_FLAGS} ${flags}")
  run(${CXX} -std=c++20 ${SOURCE}/examples/pitprops.cpp ${flags} -o ${WORK}/pitprops)
  run(${CMAKE_COMMAND} -D PROGRAM=${WORK}/pitprops -D EXPECTED=${SOURCE}/examples/pitprops.out
    -P ${SOURCE}/examples/check_output.cmake)
else()
  run(${configure} -S ${CMAKE_CURRENT_LIST_DIR}/subproject -D SPCART_SOURCE=${SOURCE})
  run(${CMAKE_COMMAND} --build ${WORK}/build --target consumer)
endif()
file(REMOVE_RECURSE ${WORK})
