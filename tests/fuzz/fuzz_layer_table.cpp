// SPDX-License-Identifier: Apache-2.0
// Tables of layers; the first line maps the columns, as people may.
#include "core/io/profiles/csv.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  const std::size_t end = text.find('\n');
  const auto columns = io::profiles::profile_columns(text.substr(0, end));
  const std::string table = columns && end != text.npos ? text.substr(end + 1) : text;
  fuzz::judged(io::profiles::profile_from_csv(table, "fuzz", 4, columns.value_or(io::profiles::ProfileColumns())));
  return 0;
}
