// SPDX-License-Identifier: Apache-2.0
// The JSON documents that projects hold; what is read is written and read again, and is the same text.
#include "core/io/documents/calibration.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"

#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = read_document("fuzz.json", fuzz::text_of(data, size), {.profile_micro_batch = 4});
  if (!fuzz::judged(document)) return 0;
  const auto again = [](const std::string& text, auto read, auto write) {
    const auto back = read(text);
    fuzz::require(fuzz::judged(back) && write(*back) == text);
  };
  if (const auto* profile = std::get_if<Profile>(&*document))
    again(profile_to_json(*profile), profile_from_json, profile_to_json);
  if (const auto* cluster = std::get_if<Cluster>(&*document))
    again(cluster_to_json(*cluster), cluster_from_json, cluster_to_json);
  if (const auto* plan = std::get_if<Plan>(&*document)) again(plan_to_json(*plan), plan_from_json, plan_to_json);
  if (const auto* model = std::get_if<ModelSpec>(&*document))
    again(model_to_json(*model), model_from_json, model_to_json);
  return 0;
}
