# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a C++ source with the text of every file of each folder in name order; a folder may be one file, too:
#   cmake -DOUTPUT=embedded.cpp -DROOT=<source dir>/presets -DFOLDERS=clouds,efficiency
#     -DHEADER=core/presets/embedded.hpp -DNAMESPACE=pipedeck::presets -P EmbedPresets.cmake
# Raw string literals are cut every few thousand characters: compilers need not take longer ones.
set(text "// Generated from ${ROOT} by cmake/EmbedPresets.cmake.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n")
string(REPLACE "," ";" FOLDERS "${FOLDERS}")
foreach(folder ${FOLDERS})
  file(GLOB files "${ROOT}/${folder}/*.json" "${ROOT}/${folder}.json" "${ROOT}/${folder}.csv")
  string(REPLACE "-" "_" name ${folder})
  list(SORT files COMPARE NATURAL)
  string(APPEND text "\nconst std::vector<std::string>& embedded_${name}() {\n  static const std::vector<std::string> files{\n")
  foreach(file ${files})
    file(READ "${file}" content)
    string(LENGTH "${content}" length)
    string(APPEND text "    std::string()")
    set(at 0)
    while(at LESS length)
      string(SUBSTRING "${content}" ${at} 4000 piece)
      string(APPEND text " +\n      R\"PRESET(${piece})PRESET\"")
      math(EXPR at "${at} + 4000")
    endwhile()
    string(APPEND text ",\n")
  endforeach()
  string(APPEND text "  };\n  return files;\n}\n")
endforeach()
string(APPEND text "\n}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "${text}")
