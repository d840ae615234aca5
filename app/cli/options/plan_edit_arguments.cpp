// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/plan_edit_arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <fmt/format.h>

namespace pipedeck::cli::options {
namespace {

/// The text of one argument, taken apart.
class EditReader {
 public:
  EditReader(const PlanEditArgument& argument, const Plan& plan, const Profile& profile)
      : argument_(argument), plan_(plan), profile_(profile) {}

  tl::unexpected<Error> expected(std::string_view form) const {
    return fail(ErrorCode::bad_usage,
                fmt::format("{}: found \"{}\", expected {}", argument_.option, argument_.value, form));
  }

  static std::optional<int> number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
  }

  static std::optional<DeviceId> device(std::string_view text) {
    if (!text.empty() && (text.front() == 'G' || text.front() == 'g')) text.remove_prefix(1);
    const auto value = number(text);
    return value ? std::optional(DeviceId(*value)) : std::nullopt;
  }

  static std::optional<std::vector<DeviceId>> devices(std::string_view text) {
    std::vector<DeviceId> devices;
    for (const std::string_view part : parts(text)) {
      const auto one = device(part);
      if (!one) return std::nullopt;
      devices.push_back(*one);
    }
    return devices;
  }

  static std::optional<std::vector<int>> numbers(std::string_view text) {
    std::vector<int> numbers;
    for (const std::string_view part : parts(text)) {
      const auto one = number(part);
      if (!one) return std::nullopt;
      numbers.push_back(*one);
    }
    return numbers;
  }

  /// A position in the plan's order: the number, or where the layer of that name is.
  std::optional<int> layer(std::string_view text) const {
    const std::vector<LayerId> order = order_of(plan_, profile_);
    const auto named = std::ranges::find_if(order, [&](LayerId id) {
      return id.index() < profile_.layers.size() && profile_.layers[id.index()].name == text;
    });
    return named != order.end() ? std::optional(static_cast<int>(named - order.begin())) : number(text);
  }

  /// "3,5-7" or names.
  std::optional<std::vector<LayerId>> layers(std::string_view text) const {
    std::vector<LayerId> layers;
    for (const std::string_view part : parts(text)) {
      const std::size_t dash = part.find('-');
      const auto whole = layer(part);
      const auto first = whole || dash == part.npos ? whole : number(part.substr(0, dash));
      const auto last = whole || dash == part.npos ? whole : number(part.substr(dash + 1));
      if (!first || !last || *last < *first || *last >= static_cast<int>(profile_.layers.size())) return std::nullopt;
      for (int position = *first; position <= *last; ++position) layers.push_back(LayerId(std::int32_t{position}));
    }
    return layers;
  }

  /// The parts before and after the first "=".
  std::pair<std::string_view, std::string_view> sides() const {
    const std::string_view text = argument_.value;
    const std::size_t equals = text.find('=');
    return equals == text.npos ? std::pair(text, std::string_view())
                               : std::pair(text.substr(0, equals), text.substr(equals + 1));
  }

 private:
  static std::vector<std::string_view> parts(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      parts.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return parts;
  }

  const PlanEditArgument& argument_;
  const Plan& plan_;
  const Profile& profile_;
};

Result<plan::PlanEdit> read_move_cut(const EditReader& reader) {
  const auto [left, right] = reader.sides();
  const auto stage = EditReader::number(left), layer = reader.layer(right);
  if (!stage || !layer) return reader.expected("STAGE=LAYER, the first layer of the stage, by name or number");
  return plan::MoveBoundary{*stage, *layer};
}

Result<plan::PlanEdit> read_move_device(const EditReader& reader) {
  const auto [left, right] = reader.sides();
  const auto devices = EditReader::devices(left);
  const auto stage = EditReader::number(right);
  if (!devices || (!stage && right != "spare")) return reader.expected("DEVICE,...=STAGE or DEVICE,...=spare");
  return plan::MoveDevices{*devices, stage, std::nullopt};
}

Result<plan::PlanEdit> read_swap(const EditReader& reader) {
  const auto [left, right] = reader.sides();
  const auto one = EditReader::device(left), other = EditReader::device(right);
  if (!one || !other) return reader.expected("DEVICE=DEVICE");
  return plan::SwapDevices{*one, *other};
}

Result<plan::PlanEdit> read_split(const EditReader& reader) {
  const auto [left, right] = reader.sides();
  const auto stage = EditReader::number(left), layer = reader.layer(right);
  if (!stage || !layer) return reader.expected("STAGE=LAYER, the first layer of the new stage");
  return plan::SplitStage{*stage, *layer};
}

Result<plan::PlanEdit> read_merge(const EditReader& reader) {
  const auto stage = EditReader::number(reader.sides().first);
  if (!stage || !reader.sides().second.empty()) return reader.expected("a stage to merge with the next one");
  return plan::MergeStages{*stage};
}

template <class Edit>
Result<plan::PlanEdit> read_count(const EditReader& reader) {
  const auto [left, right] = reader.sides();
  const auto stage = EditReader::number(left), count = EditReader::number(right);
  if (!stage || !count) return reader.expected("STAGE=N");
  return Edit{*stage, *count};
}

Result<plan::PlanEdit> read_shares(const EditReader& reader) {
  const auto [left, right] = reader.sides();
  const auto stage = EditReader::number(left);
  const auto shares = right == "even" ? std::optional(std::vector<int>()) : EditReader::numbers(right);
  if (!stage || !shares) return reader.expected("STAGE=N,N,... or STAGE=even");
  return plan::SetReplicaSamples{*stage, *shares};
}

Result<plan::PlanEdit> read_recompute(const EditReader& reader) {
  const auto [left, right] = reader.sides();
  const auto stage = EditReader::number(left);
  if (stage && right == "all") return plan::SetStageRecompute{*stage, {true, {}}};
  if (stage && right == "whole") return plan::SetStageRecompute{*stage, {true, {}, RecomputeUnit::stage}};
  if (stage && right == "none") return plan::SetStageRecompute{*stage, {}};
  const auto layers = reader.layers(right);
  if (!stage || !layers) return reader.expected("STAGE=all, STAGE=whole, STAGE=none or STAGE=LAYERS as in 3,5-7");
  return plan::SetStageRecompute{*stage, {false, *layers}};
}

Result<plan::PlanEdit> read_micro_batch(const EditReader& reader) {
  const auto samples = EditReader::number(reader.sides().first);
  if (!samples || !reader.sides().second.empty()) return reader.expected("a number of samples");
  return plan::SetMicroBatch{*samples};
}

struct EditOption {
  const char *name, *value, *help;
  Result<plan::PlanEdit> (*read)(const EditReader&);
};

constexpr std::array options{
    EditOption{"--move-cut", "STAGE=LAYER", "set the first layer of the stage (name or number)", read_move_cut},
    EditOption{"--move-device", "DEVICES=STAGE", "move devices (3, or 3,4) to the stage, or out of the plan (=spare)",
               read_move_device},
    EditOption{"--swap-devices", "DEVICE=DEVICE", "swap two devices", read_swap},
    EditOption{"--split-stage", "STAGE=LAYER", "split the stage before this layer", read_split},
    EditOption{"--merge-stages", "STAGE", "merge the stage and the next one", read_merge},
    EditOption{"--replicas", "STAGE=N", "set the replicas of the stage, using or freeing spare devices",
               read_count<plan::SetReplicas>},
    EditOption{"--tensor-parallel", "STAGE=N", "set the tensor parallelism of the stage",
               read_count<plan::SetTensorParallel>},
    EditOption{"--shares", "STAGE=N,N", "set the samples per replica of a micro-batch, or even", read_shares},
    EditOption{
        "--recompute", "STAGE=LAYERS",
        "set the recomputed layers of the stage: all block by block, whole (all at once), none, or layers (3,5-7)",
        read_recompute},
    EditOption{"--micro-batch", "N", "samples per micro-batch", read_micro_batch},
};

}  // namespace

void declare_plan_edits(CLI::App& app) {
  for (const EditOption& option : options)
    app.add_option(option.name)
        ->description(option.help)
        ->type_name(option.value)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::vector<PlanEditArgument> plan_edits_given(const CLI::App& app) {
  std::vector<PlanEditArgument> given;
  std::map<std::string, std::size_t> seen;
  for (const CLI::Option* option : app.parse_order()) {
    const std::string name = option->get_name();
    if (std::ranges::none_of(options, [&](const EditOption& one) { return name == one.name; })) continue;
    given.push_back({name, option->results()[seen[name]++]});
  }
  return given;
}

Result<plan::PlanEdit> parse_plan_edit(const PlanEditArgument& argument, const Plan& plan, const Profile& profile) {
  const auto option = std::ranges::find_if(options, [&](const EditOption& one) { return argument.option == one.name; });
  ensure(option != options.end(), "an edit of the table is parsed");
  return option->read(EditReader(argument, plan, profile));
}

}  // namespace pipedeck::cli::options
