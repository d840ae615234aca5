// SPDX-License-Identifier: Apache-2.0
// The meaning of the call stacks in PyTorch's dumps: lists of {filename, line, name}, innermost first.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/io/dumps/memory_snapshot.hpp"

namespace pipedeck::io::dumps {

/// Returns the use of an allocation that a function of that file asked for, or `other` if no rule matches the frame.
MemoryUse use_of_frame(std::string_view file, std::string_view function);

/// Returns true for a file of PyTorch or Python, not of the training program.
bool is_library_file(std::string_view file);

/// Reads call stacks. Each list is looked at once, however many events share it.
class CallStacks {
 public:
  explicit CallStacks(const pickle::Tree& tree) : tree_(tree) { places_.emplace_back(); }

  struct Meaning {
    MemoryUse use = MemoryUse::other;
    std::uint32_t place = 0;
  };
  /// Returns the meaning of the list at `frames`; null: not recorded.
  Meaning meaning_of(const pickle::Node* frames);
  std::vector<std::string> take_places() { return std::move(places_); }

 private:
  Meaning read(pickle::Node frames);
  std::uint32_t number_of(std::string place);

  const pickle::Tree& tree_;
  std::unordered_map<pickle::Node, Meaning> known_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> places_;
};

}  // namespace pipedeck::io::dumps
