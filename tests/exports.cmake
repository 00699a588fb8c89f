# Fails if the shared library shows more than the names of public headers, and of the internals that the MPI library
# uses: cmake -D ARCHIVE=libspcart.a -D CXX=c++ -D NM=nm -D WORK=folder -P tests/exports.cmake
cmake_minimum_required(VERSION 3.22)
get_filename_component(project ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
file(MAKE_DIRECTORY ${WORK})
execute_process(COMMAND_ERROR_IS_FATAL ANY
  COMMAND ${CXX} -shared -o ${WORK}/exports.so -Wl,--whole-archive ${ARCHIVE} -Wl,--no-whole-archive
)
execute_process(COMMAND_ERROR_IS_FATAL ANY
  COMMAND ${NM} -DC --defined-only ${WORK}/exports.so OUTPUT_VARIABLE symbols
)

file(GLOB headers ${project}/include/spcart/*.hpp)
set(public "")
foreach(header IN LISTS headers)
  file(READ ${header} text)
  string(APPEND public "${text}")
endforeach()
file(GLOB_RECURSE headers ${project}/src/*.hpp)
foreach(header IN LISTS headers)
  file(STRINGS ${header} lines REGEX "SPCART_EXPORT_TO_MPI")
  string(APPEND public "${lines}")
endforeach()
string(REGEX MATCHALL "[A-Za-z_]+" public "${public}")
list(REMOVE_DUPLICATES public)

string(REGEX MATCHALL "[0-9a-f]+ T [^\n]+" symbols "${symbols}")
set(faults "")
foreach(symbol IN LISTS symbols)
  if(NOT symbol MATCHES "[ *&]spcart::(io::)?([A-Za-z_]+)" OR NOT CMAKE_MATCH_2 IN_LIST public)
    list(APPEND faults "${symbol}")
  endif()
endforeach()
list(LENGTH symbols count)
if(faults)
  list(JOIN faults "\n  " faults)
  message(FATAL_ERROR "functions that no public header declares:\n  ${faults}")
endif()
if(count EQUAL 0)
  message(FATAL_ERROR "the library shows nothing")
endif()
message(STATUS "${count} functions, all declared in public headers")
