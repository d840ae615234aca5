// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_program.hpp"

#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

#include "core/base/allocator.hpp"

namespace {

using Run = int (*)(int argc, char** argv);

std::map<std::string, Run>& tests() {
  static std::map<std::string, Run> all;
  return all;
}

}  // namespace

bool pipedeck::test::add_test(const char* file, Run run) {
  return tests().emplace(std::filesystem::path(file).stem(), run).second;
}

int main(int argc, char** argv) {
  pipedeck::keep_freed_memory();  // as the programs do
  const auto found = argc > 1 ? tests().find(argv[1]) : tests().end();
  if (found == tests().end()) {
    std::fprintf(stderr, "%s: found %s, expected one of:\n", argv[0], argc > 1 ? argv[1] : "no test");
    for (const auto& [name, run] : tests()) std::fprintf(stderr, "  %s\n", name.c_str());
    return 2;
  }
  argv[1] = argv[0];  // Qt Test's own arguments follow
  return found->second(argc - 1, argv + 1);
}
