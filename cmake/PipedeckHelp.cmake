# SPDX-License-Identifier: Apache-2.0
# The pages of docs/ with their pictures, compiled into the window: Help needs no network and no installed files.

include(PipedeckLibraries)

# Adds :/help/user-guide.md, :/help/pictures/*.png ... to a target, which calls Q_INIT_RESOURCE(pipedeck_help).
function(add_help_pages target)
  file(GLOB guides RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/guide-*.md)
  set(pages README.md ${guides} docs/user-guide.md docs/planners.md docs/simulator.md docs/formats.md docs/engines.md docs/accuracy.md docs/reproduction.md)
  file(GLOB pictures RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/pictures/*.png
       ${CMAKE_SOURCE_DIR}/docs/pictures/*.svg)
  set(files "")
  foreach(page ${pages} ${pictures})
    string(REGEX REPLACE "^docs/" "" alias ${page})
    string(APPEND files "    <file alias=\"${alias}\">${CMAKE_SOURCE_DIR}/${page}</file>\n")
  endforeach()
  write_libraries(${CMAKE_CURRENT_BINARY_DIR}/libraries.csv)
  string(APPEND files "    <file alias=\"libraries.csv\">${CMAKE_CURRENT_BINARY_DIR}/libraries.csv</file>\n")
  foreach(licence Apache-2.0 GPL-3.0-or-later)
    string(APPEND files "    <file alias=\"licences/${licence}.txt\">${CMAKE_SOURCE_DIR}/LICENSES/${licence}.txt</file>\n")
  endforeach()
  set(qrc ${CMAKE_CURRENT_BINARY_DIR}/pipedeck_help.qrc)
  file(CONFIGURE OUTPUT ${qrc} CONTENT "<RCC>\n  <qresource prefix=\"/help\">\n${files}  </qresource>\n</RCC>\n" @ONLY)
  qt_add_big_resources(objects ${qrc} OPTIONS --no-compress)
  target_sources(${target} PRIVATE ${objects})
endfunction()
