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
else()
  run(${configure} -S ${CMAKE_CURRENT_LIST_DIR}/subproject -D SPCART_SOURCE=${SOURCE})
  run(${CMAKE_COMMAND} --build ${WORK}/build --target consumer)
endif()
file(REMOVE_RECURSE ${WORK})
