// SPDX-License-Identifier: Apache-2.0
// The presets/ folder, compiled into the program so that it needs no files. Also the arguments that name either a
// preset ("preset:BERT-48") or a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/io/importers.hpp"
#include "core/model/cluster.hpp"
#include "core/model/model.hpp"
#include "core/model/profile.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::presets {

/// Names as `list models|clusters` prints them, in a fixed order.
std::vector<std::string> model_preset_names();
std::vector<std::string> cluster_preset_names();

/// A cluster preset as lists show it, without its nodes.
struct ClusterPreset {
  std::string name, alias;         ///< the alias is ASCII
  std::string group;               ///< "Papers", "Processor cores", "Data centre", "Lab"
  std::vector<std::string> types;  ///< names of the device types
  std::size_t devices = 0, nodes = 0;
};
const std::vector<ClusterPreset>& cluster_presets();

/// Models of the papers of which profiles alone are known, not layers (paper_profiles.hpp).
std::vector<std::string> paper_profile_names();
/// All that profile_preset takes.
std::vector<std::string> profile_preset_names();

/// Transformers by their published configurations, of which profiles are computed.
std::vector<std::string> transformer_preset_names();
/// "Llama 3 8B" or "llama-3-8b". bad_usage lists the known ones.
Result<ParsedTransformer> transformer_preset(const std::string& name);
bool is_transformer_preset(const std::string& name);

/// A short ASCII name of a preset ("dapple-a"), which is taken wherever its name is; empty for unknown names.
std::string model_preset_alias(const std::string& name);
std::string cluster_preset_alias(const std::string& name);

/// Returns the group of a cluster in lists; empty for unknown names.
std::string cluster_preset_group(const std::string& name);
bool is_cluster_preset(const std::string& name);

/// Names and aliases are taken in upper or lower case. Clusters of one device type have any number of nodes, also one
/// that lists leave out: "48x8-a100-80gb". Unknown names are bad_usage and list the known ones, and so are those of
/// profiles without layers. bad_input names a feature of a transformer that the runtime's layers lack.
Result<ModelSpec> model_preset(const std::string& name);
Result<Cluster> cluster_preset(const std::string& name);

/// Returns a profile computed from the preset's layer shapes for its default device type (V100-16GB fp32 for the large
/// ones, a CPU core for the small ones). No part of it was measured. It has `micro_batch` samples, else the paper's.
/// Transformers are computed for `device`, a type of the catalogue, else for the assumed type, in its usual precision,
/// with one sample per micro-batch.
Result<Profile> profile_preset(const std::string& name, std::optional<int> micro_batch = {},
                               const std::string& device = {});

/// A profile, perhaps computed of a transformer.
struct OpenedProfile {
  Profile profile;
  bool of_transformer = false;
  std::vector<std::string> notes{};  ///< what was assumed of a transformer, a sentence each
};
/// "preset:NAME" or a path, also of a transformer's config.json. A transformer is computed for `device`, a type of the
/// catalogue, else for the assumed type, with `sequence` tokens per sample (0: its own, at most longest_assumed); other
/// profiles ignore both.
Result<OpenedProfile> open_profile(const std::string& argument, const io::ReadOptions& options = {},
                                   const std::string& device = {}, int sequence = 0);
/// "preset:NAME" or a path.
Result<Cluster> open_cluster(const std::string& argument);
/// A transformer's config.json or preset is a model, too, of `sequence` tokens per sample (0: its own, at most
/// longest_assumed). bad_input names a feature that the runtime's layers lack; bad_usage if another model is given a
/// sequence.
Result<ModelSpec> open_model(const std::string& argument, int sequence = 0);

}  // namespace pipedeck::presets
