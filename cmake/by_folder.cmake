# compile_by_folder(target [folder ...]): the sources of a folder are compiled as one, since the headers that they share
# cost more to compile than they do themselves; of all folders, or of those that are named. SPCART_BY_FOLDER=OFF compiles
# each apart, as tools that read sources need it.
option(SPCART_BY_FOLDER "Compile the sources of some folders as one" ON)

function(compile_by_folder target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    string(REPLACE "${CMAKE_CURRENT_SOURCE_DIR}/" "" path "${source}")
    get_filename_component(folder "${path}" DIRECTORY)
    string(REPLACE "/" "_" group "in_${folder}")
    if(NOT ARGN OR folder IN_LIST ARGN)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SPCART_BY_FOLDER} UNITY_BUILD_MODE GROUP)
endfunction()
