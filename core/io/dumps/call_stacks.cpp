// SPDX-License-Identifier: Apache-2.0
#include "core/io/dumps/call_stacks.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace pipedeck::io::dumps {
namespace {

constexpr std::size_t most_frames = 512;     // of a stack that are looked at
constexpr std::size_t longest_symbol = 200;  // bytes of a function's or file's name

struct FrameRule {
  std::string_view file, function;  ///< parts of both names; empty: any
  MemoryUse use;
};

/// Rules in this order, the innermost frame first. Files are PyTorch's, and those of engines' optimizers.
constexpr std::array rules{
    FrameRule{"/torch/optim/", "", MemoryUse::optimizer},
    FrameRule{"/core/optimizer/", "", MemoryUse::optimizer},  // Megatron-LM
    FrameRule{"/apex/optimizers/", "", MemoryUse::optimizer},
    FrameRule{"/deepspeed/runtime/zero/", "step", MemoryUse::optimizer},
    FrameRule{"/torch/distributed/distributed_c10d", "", MemoryUse::communication},
    FrameRule{"", "torch::autograd::Engine::", MemoryUse::backward},  // frames of C++
    FrameRule{"/torch/autograd/", "backward", MemoryUse::backward},
    FrameRule{"/torch/_tensor", "backward", MemoryUse::backward},
    FrameRule{"/torch/nn/modules/module", "_apply", MemoryUse::weights},
    FrameRule{"/torch/nn/modules/module", "convert", MemoryUse::weights},
    FrameRule{"/torch/nn/modules/module", "load_state_dict", MemoryUse::weights},
    FrameRule{"", "reset_parameters", MemoryUse::weights},
    FrameRule{"/torch/nn/modules/", "__init__", MemoryUse::weights},
    FrameRule{"/torch/nn/modules/", "forward", MemoryUse::activations},
    FrameRule{"/torch/nn/modules/module", "_call_impl", MemoryUse::activations},
    FrameRule{"/torch/nn/functional", "", MemoryUse::activations},
};

bool matches(const FrameRule& rule, std::string_view file, std::string_view function) {
  return file.find(rule.file) != file.npos && function.find(rule.function) != function.npos;
}

std::string_view short_file(std::string_view file) {
  const std::size_t slash = file.find_last_of('/');
  return slash == file.npos ? file : file.substr(slash + 1);
}

}  // namespace

MemoryUse use_of_frame(std::string_view file, std::string_view function) {
  for (const FrameRule& rule : rules)
    if (matches(rule, file, function)) return rule.use;
  return MemoryUse::other;
}

bool is_library_file(std::string_view file) {
  constexpr std::array<std::string_view, 7> parts{"/torch/", "/site-packages/", "/lib/python", "<frozen", "<string",
                                                  "??",      "/dist-packages/"};
  return file.empty() ||
         std::ranges::any_of(parts, [&](std::string_view part) { return file.find(part) != file.npos; });
}

CallStacks::Meaning CallStacks::meaning_of(const pickle::Node* frames) {
  if (!frames) return {};
  const auto known = known_.find(*frames);
  if (known != known_.end()) return known->second;
  return known_.emplace(*frames, read(*frames)).first->second;
}

/// Reads a stack: the first frame that matches a rule gives the use, the first one of the training program the place.
CallStacks::Meaning CallStacks::read(pickle::Node frames) {
  Meaning meaning;
  const auto* items = tree_.as<pickle::Items>(frames);
  if (!items) return meaning;
  for (std::size_t i = 0; i < std::min(items->size(), most_frames); ++i) {
    const auto* file = tree_.member<std::string>((*items)[i], "filename");
    const auto* function = tree_.member<std::string>((*items)[i], "name");
    if (!file || !function) continue;
    const std::string_view name = std::string_view(*function).substr(0, longest_symbol);
    const std::string_view path = std::string_view(*file).substr(0, longest_symbol);
    if (meaning.use == MemoryUse::other) meaning.use = use_of_frame(path, name);
    if (meaning.place == 0 && !is_library_file(path)) {
      const auto* line = tree_.member<std::int64_t>((*items)[i], "line");
      meaning.place = number_of(fmt::format("{}:{} {}", short_file(path), line ? *line : 0, name));
    }
    if (meaning.use != MemoryUse::other && meaning.place != 0) break;
  }
  return meaning;
}

std::uint32_t CallStacks::number_of(std::string place) {
  const auto [found, added] = numbers_.try_emplace(std::move(place), static_cast<std::uint32_t>(places_.size()));
  if (added) places_.push_back(found->first);
  return found->second;
}

}  // namespace pipedeck::io::dumps
