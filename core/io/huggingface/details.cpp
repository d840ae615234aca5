// SPDX-License-Identifier: Apache-2.0
#include "core/io/huggingface/details.hpp"

#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "core/io/huggingface/config.hpp"
#include "core/io/json/reader.hpp"

namespace pipedeck::io::huggingface {
namespace {

using json::ObjectReader;
using Details = std::map<std::string, std::int64_t>;

/// The defaults of a family's configuration class in the library "transformers" 4.57.
struct Defaults {
  double rotary_base = 10'000, epsilon = 1e-6;
  bool normalised = true;
  double auxiliary = 0.001;
  bool scales_rotary = true;           ///< its layer takes the scaling of Llama 3.1
  std::string_view choice = "greedy";  ///< `topk_method`
  double groups = 1, groups_per_token = 1, scale = 1;
};

/// The rate of the biases by which DeepSeek-V3 balances its experts (arXiv 2412.19437, section 4.2). Its config.json
/// has none.
constexpr std::int64_t bias_rate_millionths = 1'000;

constexpr std::string_view biased_choice = "noaux_tc", grouped_choice = "group_limited_greedy";

const std::map<std::string, Defaults, std::less<>>& trainable_families() {
  static const std::map<std::string, Defaults, std::less<>> families{
      {"llama", {}},
      {"mistral", {}},
      {"mixtral", {.rotary_base = 1e6, .epsilon = 1e-5}},
      {"qwen2", {}},
      {"qwen3", {}},
      {"qwen3_moe", {.normalised = false}},
      {"deepseek_v2", {.normalised = false, .scales_rotary = false}},
      {"deepseek_v3",
       {.auxiliary = 0,
        .scales_rotary = false,
        .choice = biased_choice,
        .groups = 8,
        .groups_per_token = 4,
        .scale = 2.5}}};
  return families;
}

/// Returns value * unit, which is a whole number in range. Otherwise reports it.
std::int64_t in_units(ObjectReader& in, const std::string& key, double value, double unit, std::int64_t least,
                      std::int64_t most) {
  const double scaled = value * unit, whole = std::round(scaled);
  if (std::abs(scaled - whole) <= 1e-6 * std::max(1.0, std::abs(scaled)) && whole >= static_cast<double>(least) &&
      whole <= static_cast<double>(most))
    return static_cast<std::int64_t>(whole);
  in.fail(key, fmt::format("found {}, expected a multiple of {} from {} to {}", value, 1 / unit,
                           static_cast<double>(least) / unit, static_cast<double>(most) / unit));
  return least;
}

void expect_word(ObjectReader& in, const std::string& key, std::string_view expected) {
  const std::string found = in.text_or(key, std::string(expected));
  if (found != expected)
    in.fail(key, fmt::format("found \"{}\", expected \"{}\": no other is trained", found, expected));
}

/// Reads the scaling of Llama 3.1.
void read_llama_3(ObjectReader& rope, Details& details) {
  for (const auto& [key, size, unit] : {std::tuple{"factor", "rotary_factor_permille", 1000.0},
                                        {"low_freq_factor", "rotary_low_permille", 1000.0},
                                        {"high_freq_factor", "rotary_high_permille", 1000.0},
                                        {"original_max_position_embeddings", "rotary_original", 1.0}})
    details[size] = in_units(rope, key, rope.number(key, 0, 1e9), unit, 1, std::int64_t{1} << 31);
  rope.preserve_unknown_members();
}

/// Reads rotary positions as libraries before version 5 write them (rope_theta, rope_scaling), or as later ones do.
void read_rotary(ObjectReader& in, const Defaults& defaults, Details& details) {
  double base = in.number_or("rope_theta", defaults.rotary_base, 1, 1e12);
  const auto read = [&](ObjectReader& rope) {
    rope.treat_null_as_absent();
    base = rope.number_or("rope_theta", base, 1, 1e12);
    if (defaults.scales_rotary && rope.text_or("rope_type", "default") == "llama3") return read_llama_3(rope, details);
    for (const char* type : {"rope_type", "type"}) expect_word(rope, type, "default");
    rope.preserve_unknown_members();
  };
  for (const char* key : {"rope_scaling", "rope_parameters"})
    if (in.has(key)) in.object(key, read);
  if (in.number_or("partial_rotary_factor", 1, 0, 1) != 1)
    in.fail("partial_rotary_factor", "found a fraction, expected 1: all of a head's width has rotary positions");
  details["rotary_base"] = in_units(in, "rope_theta", base, 1, 1, std::int64_t{1} << 30);
}

/// Reads the groups of experts, of which some have a token's experts, and how these are balanced.
void read_choice(ObjectReader& in, const Defaults& defaults, Details& details) {
  const bool biased = defaults.choice == biased_choice;
  const std::string choice = in.text_or("topk_method", std::string(defaults.choice));
  if (choice != defaults.choice && (biased || choice != grouped_choice))
    in.fail("topk_method",
            biased ? fmt::format("found \"{}\", expected \"{}\"", choice, biased_choice)
                   : fmt::format("found \"{}\", expected \"{}\" or \"{}\"", choice, defaults.choice, grouped_choice));
  const double groups = in.number_or("n_group", defaults.groups, 0, 1e6),
               chosen = in.number_or("topk_group", defaults.groups_per_token, 0, 1e6);
  if (biased) details["sigmoid"] = 1, details["bias_rate_millionths"] = bias_rate_millionths;
  if (groups <= 1) return;
  if (!biased && choice != grouped_choice)
    return in.fail("n_group",
                   fmt::format("found {} groups of experts, expected 1 with the method \"{}\"", groups, choice));
  details["groups"] = in_units(in, "n_group", groups, 1, 1, 1'000'000);
  details["groups_per_token"] = in_units(in, "topk_group", chosen, 1, 1, 1'000'000);
}

void read_router(ObjectReader& in, const Defaults& defaults, Details& details) {
  details["normalised"] = in.bool_or("norm_topk_prob", defaults.normalised) ? 1 : 0;
  const char* coefficient = in.has("aux_loss_alpha") ? "aux_loss_alpha" : "router_aux_loss_coef";
  details["auxiliary_loss_permille"] =
      in_units(in, coefficient, in.number_or(coefficient, defaults.auxiliary, 0, 1000), 1000, 0, 1'000'000);
  const bool biased = defaults.choice == biased_choice;
  expect_word(in, "scoring_func", biased ? "sigmoid" : "softmax");
  read_choice(in, defaults, details);
  // The library scales weights that it does not normalise, and all of DeepSeek-V3.
  if (details["normalised"] == 0 || biased)
    details["scale_permille"] =
        in_units(in, "routed_scaling_factor", in.number_or("routed_scaling_factor", defaults.scale, 0, 1e6), 1000, 1,
                 1'000'000'000);
  if (in.number_or("router_jitter_noise", 0, 0, 1) != 0)
    in.fail("router_jitter_noise", "found noise of the router, expected 0: none is added");
}

}  // namespace

Result<std::map<std::string, std::int64_t>> details_from_hugging_face(const std::string& text) {
  TRY(const auto document, parse(text));
  json::ErrorCollector problems;
  Details details;
  {
    ObjectReader in(document, "", problems);
    in.treat_null_as_absent();
    const std::string family = in.text_or("model_type", "");
    const auto known = trainable_families().find(family);
    if (known == trainable_families().end()) {
      std::string names;
      for (const auto& [name, defaults] : trainable_families()) names += (names.empty() ? "" : ", ") + name;
      in.fail("model_type", fmt::format("found \"{}\", expected a family that is trained here: {}", family, names));
    } else {
      expect_word(in, "hidden_act", "silu");
      read_rotary(in, known->second, details);
      details["epsilon_billionths"] = in_units(
          in, "rms_norm_eps", in.number_or("rms_norm_eps", known->second.epsilon, 0, 1), 1e9, 0, 1'000'000'000);
      read_router(in, known->second, details);
    }
    in.preserve_unknown_members();
  }
  if (problems.first) return tl::unexpected(*problems.first);
  return details;
}

}  // namespace pipedeck::io::huggingface
