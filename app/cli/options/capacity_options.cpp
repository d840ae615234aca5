// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/capacity_options.hpp"

#include <algorithm>
#include <charconv>

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/text/console.hpp"
#include "core/base/count_text.hpp"
#include "core/base/limits.hpp"
#include "core/base/quantity_text.hpp"
#include "core/io/checksum.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/io/documents/weight_type.hpp"
#include "core/io/files.hpp"
#include "core/io/importers.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"

namespace pipedeck::cli::options {
namespace {

constexpr int max_counted = 1 << 30;
constexpr int max_nodes = 65536;
constexpr std::size_t max_listed = 4096;  ///< sizes of the cluster

tl::unexpected<Error> of_option(const char* option, const Error& error) {
  return fail(ErrorCode::bad_usage, fmt::format("{}: {}", option, error.message));
}

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > max_nodes) return {};
  return number;
}

/// "1,2,4-8": ascending, each once.
Result<std::vector<int>> node_counts(const std::string& text) {
  const auto refuse = [&] {
    return fail(ErrorCode::bad_usage,
                fmt::format("--nodes: found \"{}\", expected numbers and ranges from 1 to {} such as 1,2,4-8", text,
                            max_nodes));
  };
  std::vector<int> counts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, comma - at);
    at = comma + 1;
    const std::size_t dash = part.find('-');
    const auto first = number_in(part.substr(0, dash)),
               last = dash == std::string::npos ? first : number_in(part.substr(dash + 1));
    if (!first || !last || *last < *first || static_cast<std::size_t>(*last - *first) >= max_listed) return refuse();
    for (int count = *first; count <= *last; ++count) counts.push_back(count);
  }
  std::ranges::sort(counts);
  counts.erase(std::ranges::unique(counts).begin(), counts.end());
  return counts;
}

/// A type of the cluster by its own name, else the catalogue's name of it.
Result<std::string> type_name(const std::string& name, const Cluster& cluster) {
  if (find_device_type(cluster, name)) return name;
  const auto model = presets::catalogue_device(name);
  if (!model) return of_option("--device-types", model.error());
  return model->type.name;
}

Result<std::vector<std::string>> type_names(const std::vector<std::string>& given, const Cluster& cluster) {
  std::vector<std::string> names;
  if (given == std::vector<std::string>{"all"}) {
    for (const DeviceModel& model : presets::device_catalogue()) names.push_back(model.type.name);
    return names;
  }
  for (const std::string& one : given) {
    TRY(const auto name, type_name(one, cluster));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names.empty() ? std::vector<std::string>{""} : names;
}

Result<std::map<std::string, double>> prices_in(const std::vector<std::string>& given) {
  std::map<std::string, double> prices;
  for (const std::string& text : given) {
    const std::size_t equals = text.rfind('=');
    const auto price = equals == std::string::npos || equals == 0
                           ? Result<double>(fail(ErrorCode::bad_usage, "found no price, expected TYPE=PRICE"))
                           : parse_quantity(QuantityKind::number, text.substr(equals + 1));
    if (!price || *price < 0)
      return fail(ErrorCode::bad_usage, fmt::format("--price: found \"{}\", expected TYPE=PRICE, from 0", text));
    prices[text.substr(0, equals)] = *price;
  }
  return prices;
}

std::vector<int> once(std::vector<int> numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  return numbers;
}

}  // namespace

Result<study::capacity::Request> of_transformer(study::capacity::Request question) {
  if (question.model) return question;
  TRY(const auto origin, io::documents::origin_of(*question.problem.profile));
  if (!origin) return question;
  TRY(auto model, study::capacity::capacity_model(*origin, *question.problem.profile, presets::device_catalogue()));
  question.model = std::move(model);
  return question;
}

void GoalOptions::declare(CLI::App& app) {
  app.add_option("--tokens", tokens, "to be trained with in all: 300B, \"1.5T tokens\"")->type_name("COUNT");
  app.add_option("--samples", samples, "the same in samples: 20M")->type_name("COUNT");
  app.add_option("--within", within, "longest duration: 30d, 12h")->type_name("TIME");
  app.add_option("--budget", budget, "highest price: '$50000', 50k")->type_name("MONEY");
}

Result<CapacityGoal> GoalOptions::goal(int sample_tokens, const std::string& currency) const {
  CapacityGoal goal;
  if (sample_tokens > 0) goal.sample_tokens = sample_tokens;
  if (!tokens.empty() && !samples.empty())
    return fail(ErrorCode::bad_usage, "found --tokens and --samples, expected one of the two");
  if (!tokens.empty() && sample_tokens == 0)
    return fail(ErrorCode::bad_usage,
                "--tokens: found a profile without tokens per sample, expected --sequence N, or --samples");
  const bool in_tokens = !tokens.empty();
  const auto count = parse_count(in_tokens ? tokens : samples, in_tokens ? "tokens" : "samples");
  if (!count) return of_option(in_tokens ? "--tokens" : "--samples", count.error());
  goal.samples = in_tokens ? *count / sample_tokens : *count;
  if (!within.empty()) {
    const auto time = parse_time(within, "d");
    if (!time) return of_option("--within", time.error());
    if (time->count <= 0)
      return fail(ErrorCode::bad_usage, fmt::format("--within: found '{}', expected a time above 0", within));
    goal.within = *time;
  }
  if (!budget.empty()) {
    const auto money = parse_money(budget, currency);
    if (!money) return of_option("--budget", money.error());
    goal.budget = *money;
  }
  return goal;
}

void CapacityOptions::declare(CLI::App& app) {
  inputs.declare(app);
  inputs.sequence_of_profile = false;  // also of samples of measured profiles
  app.add_option("--global-batch", global_batches, "samples per iteration; several are all tried")
      ->required()
      ->delimiter(',')
      ->check(CLI::Range(1, max_counted))
      ->type_name("N,N...");
  app.add_option("--micro-batch", micro_batches, "samples per micro-batch [planners choose]")
      ->delimiter(',')
      ->check(CLI::Range(1, max_counted))
      ->type_name("N,N...");
  app.add_option("--nodes", nodes, "cluster sizes in nodes; additional nodes are like the last [1 to all]")
      ->type_name("N,N-N...");
  app.add_option("--device-types", types,
                 "device types to try for all devices; all: the whole catalogue [the cluster's own]")
      ->delimiter(',')
      ->type_name("NAME,NAME...");
  app.add_option(
         "--model-precision", model_precision,
         "precision of products for a config.json: fp32, tf32, fp16, bf16 [each device type's best with 16 bits]")
      ->type_name("NAME");
  app.add_option("--price", prices, "price per hour of a device of this type; may be repeated [the catalogue's]")
      ->type_name("TYPE=PRICE")
      ->allow_extra_args(false);
  state.declare(app);
  adapted.declare(app);
  simulation.declare(app);
}

Result<std::optional<study::capacity::Model>> CapacityOptions::model() const {
  study::capacity::Model model;
  model.options.sequence = inputs.sequence;
  model.precision = model_precision;
  if (inputs.profile.starts_with("preset:")) {
    const std::string name = inputs.profile.substr(std::string("preset:").size());
    if (!presets::is_transformer_preset(name)) return std::nullopt;
    model.read = presets::transformer_preset(name).value();
    return model;
  }
  TRY(const auto content, io::read_file(inputs.profile));
  const auto kind = io::detect_file_kind(content);
  if (!kind || *kind != io::FileKind::transformer) return std::nullopt;  // the reader of the value reports other errors
  auto document = io::read_document(inputs.profile, content, {});
  if (!document) return tl::unexpected(text::in_file(document.error(), inputs.profile));
  model.read = std::get<ParsedTransformer>(*std::move(document));
  return model;
}

Result<study::capacity::Request> CapacityOptions::question() const {
  study::capacity::Request question;
  TRY(auto read, model());
  question.model = std::move(read);
  TRY(auto problem, question.model ? open_hardware(inputs.cluster, simulation) : open_inputs(inputs, simulation));
  question.problem = std::move(problem);
  if (!question.model && !model_precision.empty())
    return fail(ErrorCode::bad_usage,
                "--model-precision: found a profile, whose times are measured, expected a transformer's config.json");
  const bool wide = model_precision == "fp32" || model_precision == "tf32";
  const Precision of_model = wide ? Precision::fp32 : Precision::mixed_16;
  state.apply(question.problem.workload,
              question.model ? of_model : io::documents::training_precision(*question.problem.profile));
  question.problem.workload.adapters = adapted.adapters();
  TRY(auto known, prices_in(prices));
  question.prices = std::move(known);
  return question;
}

int CapacityOptions::sample_tokens(const study::capacity::Request& question) const {
  if (inputs.sequence > 0 || !question.model) return inputs.sequence;
  return std::min(question.model->read.config.longest, longest_assumed);
}

Result<study::capacity::Space> CapacityOptions::space(const study::capacity::Request& question) const {
  study::capacity::Space space;
  const Cluster& cluster = *question.problem.cluster;
  TRY(auto names, type_names(types, cluster));
  space.types = std::move(names);
  TRY(auto counts, node_counts(nodes.empty() ? fmt::format("1-{}", cluster.nodes.size()) : nodes));
  space.nodes = std::move(counts);
  space.global_batches = once(global_batches);
  if (!micro_batches.empty()) space.micro_batches = once(micro_batches);
  if (study::capacity::capacity_cache(space).empty())
    return fail(ErrorCode::bad_usage,
                fmt::format("found no --micro-batch of {} that divides a --global-batch of {}",
                            fmt::join(space.micro_batches, ", "), fmt::join(space.global_batches, ", ")));
  return space;
}

io::CapacityAsked CapacityOptions::asked(const study::capacity::Request& question) const {
  io::CapacityAsked asked{PIPEDECK_VERSION, question.problem, {}, question.prices};
  if (question.model)
    asked.model = fmt::format("{} {} {}", io::sha256(io::read_file(inputs.profile).value_or(inputs.profile)),
                              inputs.sequence, model_precision);
  return asked;
}

}  // namespace pipedeck::cli::options
