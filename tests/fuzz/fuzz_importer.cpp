// SPDX-License-Identifier: Apache-2.0
// One importer of the table: PIPEDECK_IMPORTER names it. Without it, this program prints the names and ends. The other
// parts must accept each document that is read.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "core/analytic/graph/profile.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/io/importers.hpp"
#include "core/io/profiles/graph_text.hpp"
#include "core/mesh/job.hpp"
#include "core/plan/mesh_rules.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/computed_profile.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/machine_import.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

namespace {

const io::Importer* importer = nullptr;

void check(const Profile& profile) {
  fuzz::require(plan::validate(profile).has_value());
  const std::string text = io::documents::profile_to_json(profile);
  const auto again = io::documents::profile_from_json(text);
  fuzz::require(fuzz::judged(again) && io::documents::profile_to_json(*again) == text);
  if (importer->name == "graph-text")
    fuzz::judged(io::profiles::profile_from_graph_text(io::profiles::profile_to_graph_text(profile), "fuzz", 4));
}

/// Options may be missing, but nothing else may be wrong with the machines.
void check(const FoundMachines& found) { fuzz::judged(presets::cluster_of(found)); }

void check(const OperatorGraph& graph) {
  static const DeviceModel device = presets::catalogue_device("A100-80GB").value();
  analytic::graph::Options options;
  for (const analytic::graph::DynamicDimension& open : analytic::graph::open_dimensions(graph))
    options.sizes.named[open.name] = 4;
  const auto made = analytic::graph::graph_profile(graph, device, options);
  if (fuzz::judged(made)) fuzz::require(plan::validate(made->profile).has_value());
}

/// A configuration of a sensible size is a valid profile, which keeps its origin.
void check(const ParsedTransformer& model) {
  static const DeviceModel device = presets::catalogue_device("A100-80GB").value();
  if (model.config.layers + model.config.decoder_layers + model.config.multi_token > 200) return;
  AnalyticOptions options;
  options.degrees = {2};
  if (model.config.positions > 0) options.sequence = std::min(model.config.positions, 64);
  const auto made = presets::computed_profile(model, device, options);
  if (!fuzz::judged(made)) return;
  fuzz::require(plan::validate(made->profile).has_value());
  const auto origin = io::documents::origin_of(made->profile);
  fuzz::require(fuzz::judged(origin) && origin->has_value() && (*origin)->config == model.config);
}

/// A job has a number of devices, and rules can be asked for it. With a model it is a valid plan, or is refused.
void check(const io::jobs::TrainingJob& job) {
  static const DeviceModel device = presets::catalogue_device("A100-80GB").value();
  const io::jobs::TrainingJob complete = mesh::completed(job, 0);
  fuzz::require(complete.devices > 0 && complete.global_batch > 0 && complete.micro_batches > 0);
  const plan::MeshQuestion question = mesh::rules_question_of(complete, job.model ? &*job.model : nullptr);
  for (const plan::MeshRule& rule : plan::mesh_rules()) rule.broken(question);
  if (!job.model || job.model->layers > 200 || complete.devices > 1000) return;
  AnalyticOptions options = mesh::profile_options_of(complete);
  options.degrees = {2}, options.precision = "bf16";
  const auto made = presets::computed_profile({*job.model, {}}, device, options);
  if (fuzz::judged(made)) fuzz::judged(mesh::plan_of(complete, made->profile, std::make_shared<const Cluster>()));
}

/// Pipedeck's own documents: fuzz_documents checks these.
template <class Other>
void check(const Other&) {}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("PIPEDECK_IMPORTER");
  for (const io::Importer& one : io::importers())
    if (name && one.name == name) importer = &one;
  if (importer) return 0;
  for (const io::Importer& one : io::importers())
    std::printf("%.*s\n", static_cast<int>(one.name.size()), one.name.data());
  std::exit(name ? 2 : 0);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size), path = "fuzz";
  const io::ReadOptions options{.profile_micro_batch = 4, .as_llama = size % 2 == 1, .multi_token = size % 3 == 1};
  const auto document = importer->read({text, path, options});
  if (fuzz::judged(document)) std::visit([](const auto& value) { check(value); }, *document);
  return 0;
}
