# add_report_page(VARIABLE) sets VARIABLE to the built report page (web/), one HTML file, or to nothing
# if npm is not found. The program is built in any case: if npm fails, for example without a network,
# the page is an empty file, and the next build tries again.
# Called as a script, it builds the page.
function(add_report_page variable)
  set(${variable} PARENT_SCOPE)
  find_program(NPM npm)
  if(NOT SPCART_BUILD_REPORT_PAGE)
    return()
  endif()
  if(NOT NPM)
    message(WARNING
      "npm is not found: spcart is built without the report page, and --report will say so. "
      "'tools/setup page' installs it."
    )
    return()
  endif()
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(page ${PROJECT_BINARY_DIR}/web/report.html)
  set(done ${PROJECT_BINARY_DIR}/web/report.stamp)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/*)
  list(APPEND sources ${web}/index.html ${web}/package.json ${web}/package-lock.json
    ${web}/tsconfig.json ${web}/vite.config.ts
  )
  # A stamp that is missing after a failure makes the next build try again.
  add_custom_command(OUTPUT ${page} ${done}
    COMMAND ${CMAKE_COMMAND} -Dnpm=${NPM} -Dweb=${web} -Dpage=${page} -Ddone=${done}
      -P ${PROJECT_SOURCE_DIR}/cmake/report_page.cmake
    DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/report_page.cmake
    COMMENT "Building the report page"
    VERBATIM
  )
  set(${variable} ${page} PARENT_SCOPE)
endfunction()

# Packages are installed again only if the lock file has changed.
function(install_packages failed)
  set(installed ${web}/node_modules/.spcart-installed)
  file(SHA256 ${web}/package-lock.json wanted)
  set(found "")
  if(EXISTS ${installed})
    file(READ ${installed} found)
  endif()
  if(found STREQUAL wanted)
    set(${failed} 0 PARENT_SCOPE)
    return()
  endif()
  execute_process(
    COMMAND ${npm} ci --ignore-scripts --prefer-offline --fetch-retries=1 --loglevel=error
    WORKING_DIRECTORY ${web} RESULT_VARIABLE status OUTPUT_QUIET
  )
  if(status EQUAL 0)
    file(WRITE ${installed} ${wanted})
  endif()
  set(${failed} ${status} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(REMOVE ${done})
  install_packages(failed)
  if(failed EQUAL 0)
    cmake_path(GET page PARENT_PATH folder)
    execute_process(
      COMMAND ${npm} run --silent build -- --outDir ${folder} --logLevel warn
      WORKING_DIRECTORY ${web} RESULT_VARIABLE failed
    )
  endif()
  if(failed EQUAL 0)
    file(TOUCH ${done})
  else()
    file(WRITE ${page} "")
    message(WARNING
      "npm failed (${failed}): spcart is built without the report page, and --report will say "
      "so. The next build tries again."
    )
  endif()
endif()
