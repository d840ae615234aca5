// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/operation_set.hpp"

#include <algorithm>
#include <bit>

namespace pipedeck::models::gantt {

namespace {

constexpr std::size_t words_per_block = 64;  // words

std::size_t ones(std::uint64_t word) { return static_cast<std::size_t>(std::popcount(word)); }

}  // namespace

void OperationSet::close() {
  before_.clear();
  count_ = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (i % words_per_block == 0) before_.push_back(count_);
    count_ += ones(words_[i]);
  }
}

std::size_t OperationSet::rank(std::size_t i) const {
  if (i >= size_) return count_;
  const std::size_t word = i / 64;
  std::size_t members = before_[word / words_per_block];
  for (std::size_t at = word / words_per_block * words_per_block; at < word; ++at) members += ones(words_[at]);
  return members + ones(words_[word] & ((std::uint64_t{1} << (i % 64)) - 1));
}

std::size_t OperationSet::select(std::size_t k) const {
  const auto after = std::upper_bound(before_.begin(), before_.end(), k);
  const auto found = static_cast<std::size_t>(after - before_.begin()) - 1;
  std::size_t left = k - before_[found];
  for (std::size_t word = found * words_per_block;; ++word) {
    const std::size_t here = ones(words_[word]);
    if (left >= here) {
      left -= here;
      continue;
    }
    std::uint64_t bits = words_[word];
    while (left-- > 0) bits &= bits - 1;
    return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
  }
}

std::optional<std::size_t> OperationSet::next(std::size_t from, std::size_t end) const {
  end = std::min(end, size_);
  if (from >= end) return std::nullopt;
  std::size_t word = from / 64;
  std::uint64_t bits = words_[word] & (~std::uint64_t{0} << (from % 64));
  while (bits == 0) {
    if (++word * 64 >= end) return std::nullopt;
    bits = words_[word];
  }
  const std::size_t found = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
  return found < end ? std::optional(found) : std::nullopt;
}

std::optional<std::size_t> OperationSet::previous(std::size_t begin, std::size_t before) const {
  before = std::min(before, size_);
  if (begin >= before) return std::nullopt;
  const std::size_t members = rank(before);
  if (members == 0) return std::nullopt;
  const std::size_t found = select(members - 1);
  return found >= begin ? std::optional(found) : std::nullopt;
}

}  // namespace pipedeck::models::gantt
