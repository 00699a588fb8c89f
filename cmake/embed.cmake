# embed_texts(TARGET FUNCTION FILE...) defines `std::span<const EmbeddedText> FUNCTION()` (see
# apps/embedded.hpp), which returns the texts of the files as part of the program: it does not need
# the files at run time. Called as a script, it writes the source of one such function.
function(embed_texts target function)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -Dfunction=${function} -Doutput=${source} "-Dfiles=${ARGN}"
      -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding the texts of ${function}"
    VERBATIM
  )
  set_source_files_properties(${source} PROPERTIES
    INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/apps
  )
  target_sources(${target} PRIVATE ${source})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  string(CONCAT code "#include \"embedded.hpp\"\n\n#include <array>\n\nnamespace spcart::command {\n\n"
    "using namespace std::string_view_literals;  // they know their length without counting\n\n"
  )
  list(LENGTH files count)
  string(APPEND code "std::span<const EmbeddedText> ${function}() {\n"
    "  static constexpr std::array<EmbeddedText, ${count}> texts{{\n"
  )
  foreach(file IN LISTS files)
    cmake_path(GET file STEM LAST_ONLY name)
    file(READ ${file} text)
    string(APPEND code "{\"${name}\", R\"~embedded~(${text})~embedded~\"sv},\n")
  endforeach()
  string(APPEND code "}};\n  return texts;\n}\n\n}  // namespace spcart::command\n")
  file(WRITE ${output} "${code}")
endif()
