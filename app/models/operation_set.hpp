// SPDX-License-Identifier: GPL-3.0-or-later
// Some of a timeline's operations: a bit each, so that half of 100 million of them take 12.5 MB; the k-th and the
// number before one are found without a walk over all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pipedeck::app {

class OperationSet {
 public:
  explicit OperationSet(std::size_t size = 0) : size_(size), words_((size + 63) / 64) {}

  void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  /// After the last insert and before the first question.
  void close();

  std::size_t size() const { return size_; }    ///< of the timeline
  std::size_t count() const { return count_; }  ///< members
  bool contains(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  /// Members before `i`.
  std::size_t rank(std::size_t i) const;
  /// The member with `k` others before it; k < count().
  std::size_t select(std::size_t k) const;
  /// The first member in [from, end).
  std::optional<std::size_t> next(std::size_t from, std::size_t end) const;
  /// The last member in [begin, before).
  std::optional<std::size_t> previous(std::size_t begin, std::size_t before) const;

 private:
  std::size_t size_ = 0, count_ = 0;
  std::vector<std::uint64_t> words_;
  std::vector<std::size_t> before_;  ///< members before each block of words
};

}  // namespace pipedeck::app
