// SPDX-License-Identifier: Apache-2.0
// The JSON documents that projects hold; what is read is written and read again, and is the same text.
#include "core/io/documents/calibration.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/importers.hpp"

#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = io::read_document("fuzz.json", fuzz::text_of(data, size), {.profile_micro_batch = 4});
  if (!fuzz::judged(document)) return 0;
  const auto again = [](const std::string& text, auto read, auto write) {
    const auto back = read(text);
    fuzz::require(fuzz::judged(back) && write(*back) == text);
  };
  if (const auto* profile = std::get_if<Profile>(&*document))
    again(io::documents::profile_to_json(*profile), io::documents::profile_from_json, io::documents::profile_to_json);
  if (const auto* cluster = std::get_if<Cluster>(&*document))
    again(io::documents::cluster_to_json(*cluster), io::documents::cluster_from_json, io::documents::cluster_to_json);
  if (const auto* plan = std::get_if<Plan>(&*document))
    again(io::documents::plan_to_json(*plan), io::documents::plan_from_json, io::documents::plan_to_json);
  if (const auto* model = std::get_if<ModelSpec>(&*document))
    again(io::documents::model_to_json(*model), io::documents::model_from_json, io::documents::model_to_json);
  return 0;
}
