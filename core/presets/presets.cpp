// SPDX-License-Identifier: Apache-2.0
#include "core/presets/presets.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analytic/transformer/shapes.hpp"
#include "core/analytic/transformer/trained_model.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "core/io/huggingface/config.hpp"
#include "core/io/huggingface/details.hpp"
#include "core/io/json/value.hpp"
#include "core/presets/cluster_families.hpp"
#include "core/presets/computed_profile.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/embedded.hpp"
#include "core/presets/paper_models.hpp"
#include "core/presets/paper_profiles.hpp"
#include "core/presets/preset_names.hpp"

namespace pipedeck::presets {
namespace {

constexpr std::string_view prefix = "preset:";

// Achieved rates of matrix products, out of a V100's 15.7 TFLOP/s and 900 GB/s in fp32, and of one core of a common
// server.
constexpr double v100_share = 0.65;
const analytic::transformer::DeviceSpeed v100{"V100-16GB", v100_share * 15.7e12, gigabytes_per_second(0.8 * 900)};
const analytic::transformer::DeviceSpeed cpu_core{"CPU-core", 40e9, gigabytes_per_second(10)};

/// The time of a sample on a core up to which a model trains in seconds to minutes here.
constexpr Seconds longest_sample{0.5};

template <class T>
T parsed(Result<T> document) {
  ensure(document.has_value(), "the presets that come with the program are valid");
  return *std::move(document);
}

/// Read once, as the models: the window lists their names with every change.
const std::vector<Cluster>& single_clusters() {
  static const std::vector<Cluster> read = [] {
    std::vector<Cluster> out;
    for (const std::string& text : embedded_clusters()) out.push_back(parsed(io::documents::cluster_from_json(text)));
    return out;
  }();
  return read;
}

const std::vector<ModelSpec>& models() {
  static const std::vector<ModelSpec> read = [] {
    std::vector<ModelSpec> out;
    for (const std::string& text : embedded_models()) out.push_back(parsed(io::documents::model_from_json(text)));
    const auto bert_48 = std::ranges::find(out, "BERT-48", &ModelSpec::name);
    ensure(bert_48 != out.end(), "BERT-48 is a preset");
    std::ranges::copy(deeper_berts(*bert_48), std::back_inserter(out));
    return out;
  }();
  return read;
}

const std::vector<ParsedTransformer>& transformers() {
  static const std::vector<ParsedTransformer> read = [] {
    std::vector<ParsedTransformer> out;
    for (const std::string& text : embedded_transformers())
      out.push_back(parsed(io::huggingface::transformer_from_hugging_face(text, {})));
    std::ranges::copy(m6_models(), std::back_inserter(out));
    return out;
  }();
  return read;
}

/// "Llama 3 8B" as "llama-3-8b".
std::string alias_of(const ParsedTransformer& transformer) {
  std::string alias = in_lower_case(transformer.config.name);
  std::ranges::replace(alias, ' ', '-');
  return alias;
}

std::optional<ParsedTransformer> find_transformer(const std::string& name) {
  const std::string wanted = in_lower_case(name);
  for (const ParsedTransformer& one : transformers())
    if (wanted == in_lower_case(one.config.name) || wanted == alias_of(one)) return one;
  return std::nullopt;
}

Result<analytic::AnalyticProfile> transformer_profile(const ParsedTransformer& transformer,
                                                      std::optional<int> micro_batch, const std::string& device,
                                                      int sequence = 0) {
  TRY(const auto type, catalogue_device(device.empty() ? std::string(assumed_device_type) : device));
  AnalyticOptions options;
  options.precision = analytic::times::usual_precision(type);
  options.micro_batch = micro_batch.value_or(1);
  options.sequence = sequence;
  return computed_profile(transformer, type, options);
}

/// Returns the layers that the runtime trains for a config.json.
Result<ModelSpec> configured_model(const std::string& text, const std::string& name, int sequence) {
  TRY(const auto details, io::huggingface::details_from_hugging_face(text));
  TRY(const auto parsed, io::huggingface::transformer_from_hugging_face(text, name));
  AnalyticOptions options;
  options.sequence = sequence;
  TRY(auto model, analytic::transformer::trained_model(parsed.config, details, sequence_of(parsed.config, options)));
  TRY(const auto profile, analytic::transformer::profile_from_shapes(model, cpu_core, 1));
  Seconds sample;
  for (const Layer& layer : profile.layers) sample += layer.forward + layer.backward;
  model.trainable_here = sample <= longest_sample;
  return model;
}

/// Returns the model of a transformer preset. The computed ones have no config.json.
Result<ModelSpec> transformer_model(const std::string& name, int sequence) {
  const std::vector<std::string>& texts = embedded_transformers();
  const auto found = std::ranges::find(transformers(), find_transformer(name)->config.name,
                                       [](const ParsedTransformer& one) { return one.config.name; });
  const auto place = static_cast<std::size_t>(found - transformers().begin());
  if (place >= texts.size())
    return fail(ErrorCode::bad_usage,
                fmt::format("found preset '{}', which is a profile, expected a model of layers to train", name));
  return configured_model(texts[place], found->config.name, sequence);
}

/// Returns a text among the unknown members of a file; empty if there is none.
std::string text_in(const std::string& extra, std::string_view name) {
  const std::string key = fmt::format("\"{}\":\"", name);
  const std::size_t at = extra.find(key);
  if (at == extra.npos) return {};
  const std::size_t begin = at + key.size();
  return extra.substr(begin, extra.find('"', begin) - begin);
}

/// Returns the transformer of a model that trains here, its member "config" as a config.json; nothing if it has none.
std::optional<ParsedTransformer> configuration_of(const ModelSpec& model) {
  const auto extra = io::json::parse(model.extra.empty() ? "{}" : model.extra);
  ensure(extra.has_value(), "unknown members of a preset are JSON");
  const auto* const config = extra->find("config");
  if (!config) return std::nullopt;
  return parsed(io::huggingface::transformer_from_hugging_face(io::json::compact(*config), model.name));
}

/// The file's "alias": a name that any keyboard can type.
std::string alias_in(const std::string& extra) { return text_in(extra, "alias"); }

std::string group_of(const Cluster& cluster) {
  const std::string group = text_in(cluster.extra, "group");
  if (!group.empty()) return group;
  return cluster.device_types.front().name == "CPU-core" ? "Processor cores" : "Papers";
}

ClusterPreset preset_of(const Cluster& cluster) {
  ClusterPreset preset{cluster.name, alias_in(cluster.extra),    group_of(cluster),
                       {},           devices_of(cluster).size(), cluster.nodes.size()};
  for (const DeviceType& type : cluster.device_types) preset.types.push_back(type.name);
  return preset;
}

ClusterPreset preset_of(const FamilyCluster& cluster) {
  const auto nodes = static_cast<std::size_t>(cluster.nodes);
  return {cluster.name(),
          cluster.alias(),
          cluster.family->group,
          {cluster.model->type.name},
          nodes * static_cast<std::size_t>(cluster.count),
          nodes};
}

/// Returns the entry of a name or alias; empty for unknown names.
std::optional<ClusterPreset> find_cluster_preset(const std::string& name) {
  const std::string wanted = in_lower_case(name);
  for (const ClusterPreset& preset : cluster_presets())
    if (wanted == in_lower_case(preset.name) || wanted == preset.alias) return preset;
  if (const auto found = find_family_cluster(wanted)) return preset_of(*found);
  return std::nullopt;
}

template <class T>
std::vector<std::string> names_of(const std::vector<T>& presets) {
  std::vector<std::string> names;
  for (const T& preset : presets) names.push_back(preset.name);
  return names;
}

template <class T>
Result<T> named(const std::vector<T>& presets, const std::string& name, std::string_view what) {
  const std::string wanted = in_lower_case(name);
  for (const T& preset : presets)
    if (wanted == in_lower_case(preset.name) || wanted == alias_in(preset.extra)) return preset;
  std::string known;
  for (const T& preset : presets) {
    known += (known.empty() ? "" : ", ") + preset.name;
    if (const std::string alias = alias_in(preset.extra); in_lower_case(preset.name) != alias)
      known += " (" + alias + ")";
  }
  return fail(ErrorCode::bad_usage, fmt::format("found no {} preset '{}', expected one of: {}", what, name, known));
}

/// Returns the families' clusters with any number of nodes: ", NxC-TYPE" each.
std::string known_families() {
  std::string known, last;
  for (const FamilyCluster& cluster : family_clusters()) {
    const bool several = cluster.family->nodes.size() > 1;
    const std::string type = in_lower_case(cluster.model->type.name);
    const FamilyCluster largest{cluster.family, cluster.model, cluster.count, std::ranges::max(cluster.family->nodes)};
    const std::string text = several ? fmt::format("1 to {} × {} {} ({}-{}, 2x{}-{})", largest.nodes, cluster.count,
                                                   cluster.model->type.name, cluster.count, type, cluster.count, type)
                                     : fmt::format("{} ({})", cluster.name(), cluster.alias());
    if (text != last) known += ", " + text;
    last = text;
  }
  return known;
}

std::optional<std::string> preset_named_by(const std::string& argument) {
  if (!argument.starts_with(prefix)) return std::nullopt;
  return argument.substr(prefix.size());
}

}  // namespace

std::vector<std::string> model_preset_names() { return names_of(models()); }
std::vector<std::string> cluster_preset_names() { return names_of(cluster_presets()); }

const std::vector<ClusterPreset>& cluster_presets() {
  static const std::vector<ClusterPreset> all = [] {
    std::vector<ClusterPreset> presets;
    for (const Cluster& cluster : single_clusters()) presets.push_back(preset_of(cluster));
    for (const FamilyCluster& cluster : family_clusters()) presets.push_back(preset_of(cluster));
    return presets;
  }();
  return all;
}

std::vector<std::string> paper_profile_names() {
  std::vector<std::string> names;
  for (const PaperProfile& one : paper_profiles()) names.emplace_back(one.name);
  return names;
}

std::vector<std::string> profile_preset_names() {
  std::vector<std::string> names = model_preset_names();
  std::ranges::copy(paper_profile_names(), std::back_inserter(names));
  std::ranges::copy(transformer_preset_names(), std::back_inserter(names));
  return names;
}

std::vector<std::string> transformer_preset_names() {
  std::vector<std::string> names;
  for (const ParsedTransformer& one : transformers()) names.push_back(one.config.name);
  return names;
}

Result<ParsedTransformer> transformer_preset(const std::string& name) {
  if (auto found = find_transformer(name)) return *std::move(found);
  return fail(ErrorCode::bad_usage, fmt::format("found no transformer preset '{}', expected one of: {}", name,
                                                fmt::join(transformer_preset_names(), ", ")));
}

bool is_transformer_preset(const std::string& name) { return find_transformer(name).has_value(); }

std::string model_preset_alias(const std::string& name) {
  if (const auto transformer = find_transformer(name)) return alias_of(*transformer);
  if (const PaperProfile* paper = find_paper_profile(name)) return paper->alias;
  const Result<ModelSpec> model = model_preset(name);
  return model ? alias_in(model->extra) : std::string();
}

std::string cluster_preset_alias(const std::string& name) {
  const auto preset = find_cluster_preset(name);
  return preset ? preset->alias : std::string();
}

std::string cluster_preset_group(const std::string& name) {
  const auto preset = find_cluster_preset(name);
  return preset ? preset->group : std::string();
}

bool is_cluster_preset(const std::string& name) { return find_cluster_preset(name).has_value(); }

Result<ModelSpec> model_preset(const std::string& name) {
  if (find_transformer(name)) return transformer_model(name, 0);
  if (find_paper_profile(name))
    return fail(ErrorCode::bad_usage,
                fmt::format("found preset '{}', which is a profile, expected a model of layers to train", name));
  return named(models(), name, "model");
}

Result<Cluster> cluster_preset(const std::string& name) {
  const std::string wanted = in_lower_case(name);
  if (const auto found = find_family_cluster(wanted)) return found->build();
  Result<Cluster> single = named(single_clusters(), name, "cluster");
  if (!single) single.error().message += known_families();
  return single;
}

Result<Profile> profile_preset(const std::string& name, std::optional<int> micro_batch, const std::string& device) {
  const auto profile_in = [](analytic::AnalyticProfile made) { return std::move(made.profile); };
  if (const auto transformer = find_transformer(name))
    return transformer_profile(*transformer, micro_batch, device).map(profile_in);
  if (const PaperProfile* paper = find_paper_profile(name)) return profile_of(*paper, micro_batch.value_or(1));
  const Result<ModelSpec> model = model_preset(name);
  if (!model) {
    Error error = model.error();
    for (const auto& others : {paper_profile_names(), transformer_preset_names()})
      error.message += fmt::format(", {}", fmt::join(others, ", "));
    return tl::unexpected(std::move(error));
  }
  if (const auto transformer = device.empty() ? std::nullopt : configuration_of(*model))
    return transformer_profile(*transformer, micro_batch, device).map(profile_in);
  // The micro-batches that the papers profile with: 2 for BERT-48 (DAPPLE, Table II), more where samples are small.
  const bool images = model->layers.front().kind == "convolution";
  const int samples = micro_batch.value_or(model->trainable_here ? 4 : images ? 32 : 2);
  Result<Profile> profile =
      analytic::transformer::profile_from_shapes(*model, model->trainable_here ? cpu_core : v100, samples);
  if (profile && !model->trainable_here)
    profile->source += fmt::format("; {:.0f} % of the V100's peak of 15.7 TFLOP/s is an assumption", v100_share * 100);
  return profile;
}

namespace {

/// Returns the text of a transformer's config.json; empty if the argument is none. Only plain files are looked at,
/// because a pipe can be read once.
std::optional<std::string> configuration_in(const std::string& argument) {
  std::error_code unknown;
  if (preset_named_by(argument) || !std::filesystem::is_regular_file(argument, unknown)) return std::nullopt;
  const auto content = io::read_file(argument);
  if (!content) return std::nullopt;
  const auto kind = io::detect_file_kind(*content);
  return kind && *kind == io::FileKind::transformer ? std::optional(*content) : std::nullopt;
}

/// Models that train here are transformers on GPUs, and times of a processor core elsewhere.
Result<std::variant<Profile, ParsedTransformer>> profile_or_transformer(const std::string& argument,
                                                                        const io::ReadOptions& options,
                                                                        const std::string& device) {
  const auto preset = preset_named_by(argument);
  if (!preset) return io::read_profile_or_transformer(argument, options);
  if (const auto transformer = find_transformer(*preset)) return ParsedTransformer{transformer->config, {}};
  if (const auto model = named(models(), *preset, "model"); model && !device.empty())
    if (const auto transformer = configuration_of(*model)) return ParsedTransformer{transformer->config, {}};
  TRY(auto profile, profile_preset(*preset));
  return profile;
}

}  // namespace

Result<OpenedProfile> open_profile(const std::string& argument, const io::ReadOptions& options,
                                   const std::string& device, int sequence) {
  TRY(auto read, profile_or_transformer(argument, options, device));
  if (const auto* transformer = std::get_if<ParsedTransformer>(&read)) {
    TRY(auto made, transformer_profile(*transformer, {}, device, sequence));
    return OpenedProfile{std::move(made.profile), true, std::move(made.notes)};
  }
  return OpenedProfile{std::get<Profile>(std::move(read))};
}

Result<Cluster> open_cluster(const std::string& argument) {
  if (const auto name = preset_named_by(argument)) return cluster_preset(*name);
  return io::read_cluster(argument);
}

Result<ModelSpec> open_model(const std::string& argument, int sequence) {
  if (const auto configuration = configuration_in(argument))
    return configured_model(*configuration, std::filesystem::path(argument).parent_path().filename().string(), sequence)
        .map_error([&](Error error) {
          error.file = argument;
          return error;
        });
  const auto preset = preset_named_by(argument);
  if (preset && find_transformer(*preset)) return transformer_model(*preset, sequence);
  if (sequence > 0)
    return fail(ErrorCode::bad_usage,
                fmt::format("--sequence: found the model {}, expected a transformer's config.json: the layers of other "
                            "models have a sequence",
                            argument));
  if (preset) return model_preset(*preset);
  Result<ModelSpec> model = io::read_model(argument);
  // A text file is named relative to the model file, whoever runs it from wherever.
  if (model && !model->data.path.empty())
    model->data.path = (std::filesystem::path(argument).parent_path() / model->data.path).string();
  return model;
}

}  // namespace pipedeck::presets
