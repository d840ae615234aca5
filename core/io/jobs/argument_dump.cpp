// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/argument_dump.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/jobs/megatron.hpp"
#include "core/io/text/decimal.hpp"
#include "core/io/text/lines.hpp"

namespace pipedeck::io::jobs {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

/// Arguments that are true by default, with the option that switches them off (megatron/training/arguments.py).
constexpr auto switched_off =
    std::to_array<Pair>({{"add_bias_linear", "disable-bias-linear"},
                         {"overlap_p2p_comm", "no-overlap-p2p-communication"},
                         {"gradient_accumulation_fusion", "no-gradient-accumulation-fusion"}});

/// Arguments whose name in the table is not that of their option.
constexpr auto renamed =
    std::to_array<Pair>({{"fp8", "fp8-format"},
                         {"fp4", "fp4-format"},
                         {"virtual_pipeline_model_parallel_size", "num-virtual-stages-per-pipeline-rank"},
                         {"microbatch_group_size_per_vp_stage", "microbatch-group-size-per-virtual-pipeline-stage"}});

constexpr auto types = std::to_array<Pair>(
    {{"torch.float32", "fp32"}, {"torch.float16", "fp16"}, {"torch.bfloat16", "bf16"}, {"torch.uint8", "fp8"}});

/// Returns an empty word if the table does not have the name.
std::string_view found_in(std::span<const Pair> table, std::string_view name) {
  for (const auto& [own, other] : table)
    if (own == name) return other;
  return {};
}

bool is_name(std::string_view word) {
  return !word.empty() &&
         std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

/// Returns "fp32" of "torch.float32", and "auto" of the enumerator "AttnBackend.auto".
std::string word_of(std::string_view printed) {
  if (const std::string_view type = found_in(types, printed); !type.empty()) return std::string(type);
  const std::size_t point = printed.find('.');
  const bool enumerator = point != printed.npos && printed.front() >= 'A' && printed.front() <= 'Z';
  return std::string(enumerator ? printed.substr(point + 1) : printed);
}

/// Returns the values of a printed list, "['moe', 'mlp']"; a plain value is one. Patterns of blocks stay one word.
std::vector<std::string> values_of(std::string_view name, std::string_view printed) {
  if (name == "moe_layer_freq" || !printed.starts_with('[')) return {word_of(printed)};
  std::vector<std::string> values;
  for (const std::string_view one : text::words_between(printed, "[]'\", ")) values.push_back(word_of(one));
  return values;
}

}  // namespace

void ArgumentDump::read(std::string_view line) {
  if (line.find("- end of arguments -") != line.npos) {
    inside_ = false;
    return;
  }
  if (line.find("- arguments -") != line.npos) {
    inside_ = values_.empty();  // other ranks print the same table
    return;
  }
  const std::size_t dots = line.find(" ..");
  if (!inside_ || dots == line.npos) return;
  const std::string_view before = line.substr(0, dots);  // launchers put their rank in front
  const std::string_view name = before.substr(before.find_last_of(" \t:") + 1);
  const std::size_t behind = line.find_first_not_of('.', dots + 1);
  if (is_name(name) && behind != line.npos) values_.emplace(name, text::trimmed(line.substr(behind)));
}

std::string ArgumentDump::value(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second == "None" ? std::string() : found->second;
}

bool ArgumentDump::has_no_effect(std::string_view name) const {
  if (name.starts_with("expert_") || name.starts_with("moe_")) return value("num_experts").empty();
  if (name == "fp8_recipe") return value("fp8").empty();
  if (name == "fp4_recipe") return value("fp4").empty();
  // Older tables have the number of blocks under both names.
  return name == "encoder_num_layers" && value(name) == value("num_layers");
}

Result<TrainingJob> ArgumentDump::job(const std::string& name) const {
  std::vector<std::string> words;
  for (const auto& [argument, printed] : values_) {
    if (value(argument).empty() || has_no_effect(argument)) continue;
    if (printed == "False") {
      if (const std::string_view off = found_in(switched_off, argument); !off.empty())
        words.push_back(fmt::format("--{}", off));
      continue;
    }
    if (printed == "True" && !found_in(switched_off, argument).empty()) continue;
    std::string option(found_in(renamed, argument));
    if (option.empty()) {
      option = argument;
      std::ranges::replace(option, '_', '-');
    }
    words.push_back("--" + option);
    if (printed == "True") continue;
    for (std::string& one : values_of(argument, printed)) words.push_back(std::move(one));
  }
  if (const std::string padded = value("padded_vocab_size"); value("vocab_size").empty() && !padded.empty())
    words.insert(words.end(), {"--vocab-size", padded});
  TRY(TrainingJob job, job_from_arguments(words, name));
  const auto devices = text::decimal_to_integer(value("world_size"));
  if (devices && *devices >= 1 && *devices <= limits::devices) job.devices = static_cast<int>(*devices);
  job.share.left_out.clear();
  job.share.assumed.push_back(fmt::format("the defaults of {} printed arguments that are not read",
                                          values_.size() - static_cast<std::size_t>(job.share.understood)));
  return job;
}

}  // namespace pipedeck::io::jobs
