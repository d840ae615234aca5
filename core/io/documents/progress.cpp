// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/progress.hpp"

#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"

namespace pipedeck::io::documents {

std::string progress_to_json(const ProgressMessage& note) {
  json::ObjectWriter out;
  out.add("event", "progress").add("done", json::Value(json::number(note.done))).add("what", note.what);
  return json::compact(out.finish());
}

Result<ProgressMessage> progress_from_json(const std::string& line) {
  TRY(const auto value, json::parse(line));
  json::ErrorCollector problems;
  json::ObjectReader in(value, "", problems);
  ProgressMessage note;
  if (in.text("event") != "progress") in.fail("event", "found another event, expected \"progress\"");
  note.done = in.number("done", 0, 1);
  note.what = in.text("what");
  if (problems) return tl::unexpected(*problems.first);
  return note;
}

}  // namespace pipedeck::io::documents
