// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/gpu_copies_json.hpp"

#include <fmt/format.h>

#include "core/io/json/reader.hpp"
#include "core/io/text/decimal.hpp"
#include "core/io/text/printable.hpp"
#include "core/io/topology/copy_tables.hpp"

namespace pipedeck::io::topology {
namespace {

using json::ErrorCollector;
using json::ObjectReader;
using json::Value;

/// "bandwidth_matrix", a list of rows, whose values are text.
void read_table(ObjectReader& test, const P2pMatrixTitle& title, P2pMatrices& tables, ErrorCollector& problems) {
  const std::string key = "bandwidth_matrix", place = test.place_of(key);
  const Value* matrix = test.get(key);
  const json::List* rows = matrix ? json::read_list(*matrix, place, problems) : nullptr;
  if (!rows) return;
  if (auto wrong = tables.set_size(rows->size())) return problems.add(place, std::move(*wrong));
  for (std::size_t i = 0; i < rows->size() && !problems; ++i) {
    const std::string row_place = place + json::step(i);
    const json::List* row = json::read_list((*rows)[i], row_place, problems);
    if (!row) return;
    if (row->size() != rows->size())
      return problems.add(row_place, fmt::format("found {} values of GPU {}, expected one for each of the {} GPUs",
                                                 row->size(), i, rows->size()));
    for (std::size_t j = 0; j < row->size() && !problems; ++j) {
      const std::string value_place = row_place + json::step(j);
      const std::string word = json::read_text((*row)[j], value_place, problems);
      if (problems) return;
      if (auto wrong = tables.put(title, i, j, word)) problems.add(value_place, std::move(*wrong));
    }
  }
}

/// "0: NVIDIA H200 (00000000:19:00): (host-1)": a GPU's number, its name and its host's.
void read_device(const std::string& line, P2pMatrices& tables) {
  const std::size_t colon = line.find(": "), bracket = line.find(" (", colon);
  const auto number = text::decimal_to_integer(std::string_view(line).substr(0, colon));
  if (!number || *number < 0 || *number >= static_cast<std::int64_t>(P2pMatrices::max_gpus) || bracket == line.npos)
    return;
  const std::size_t at = line.rfind(": (");
  const std::string host = at == line.npos || !line.ends_with(')') ? "" : line.substr(at + 3, line.size() - at - 4);
  tables.name(static_cast<std::size_t>(*number), std::string_view(line).substr(colon + 2, bracket - colon - 2), host);
}

}  // namespace

bool looks_like_gpu_copies(const Value& document) {
  const Value* told = document.find("nvbandwidth");
  return told && told->as<json::Members>();
}

Result<FoundMachines> machines_from_gpu_copies(const Value& document, const std::string& name) {
  ErrorCollector problems;
  P2pMatrices tables;
  ImportShare share;
  share.unit = "test";
  ObjectReader(document, {}, problems).object("nvbandwidth", [&](ObjectReader& in) {
    if (in.has("GPU Device list"))
      in.values("GPU Device list", [&](const Value& value, const std::string& place) {
        read_device(json::read_text(value, place, problems), tables);
      });
    // Tests that failed or were waived have no table.
    if (in.has("testcases"))
      in.objects("testcases", [&](ObjectReader& test) {
        const auto title = copy_title_in(test.text_or("bandwidth_description", {}));
        if (title)
          ++share.understood;
        else
          share.leave_out(text::printable(test.text_or("name", "a test")));
        if (title && test.ok()) read_table(test, *title, tables, problems);
      });
  });
  if (problems) return tl::unexpected(*std::move(problems.first));
  return tables.machines(name, "nvbandwidth", std::move(share));
}

}  // namespace pipedeck::io::topology
