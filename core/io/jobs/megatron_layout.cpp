// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/megatron_layout.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/text/decimal.hpp"

namespace pipedeck::io::jobs {
namespace {

constexpr std::size_t most_letters = limits::layers;

/// Reads items one behind the other, brackets around several, and counts behind "*".
class Repeated {
 public:
  explicit Repeated(std::string_view text) : text_(text) {}

  bool ended() const { return at_ == text_.size(); }
  char next() const { return ended() ? '\0' : text_[at_]; }
  char take() { return text_[at_++]; }
  std::size_t at() const { return at_; }

  /// Takes "*12"; 1 if it is not next, -1 for a count that is none.
  int times() {
    if (next() != '*') return 1;
    ++at_;
    int count = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), count);
    if (error != std::errc() || count < 0) return -1;
    at_ = static_cast<std::size_t>(end - text_.data());
    return count;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

tl::unexpected<Error> unexpected_at(const Repeated& text, std::string_view expected) {
  return fail(ErrorCode::bad_input,
              fmt::format("found {} at character {}, expected {}",
                          text.ended() ? "the end" : fmt::format("'{}'", text.next()), text.at() + 1, expected));
}

/// Appends the part that many times. Returns false if that is too much.
bool append(std::string& text, std::string_view part, int times) {
  if (times < 0 || text.size() + part.size() * static_cast<std::size_t>(times) > most_letters) return false;
  for (int i = 0; i < times; ++i) text += part;
  return true;
}

/// Returns the letters and bars of a layout, written out.
Result<std::string> unrolled(std::string_view layout) {
  std::string plain(layout);
  std::erase_if(plain, [](char c) { return c == ',' || c == ' ' || c == '\n' || c == '\t'; });
  Repeated text(plain);
  std::string all;
  while (!text.ended()) {
    std::string part;
    if (text.next() == '(') {
      text.take();
      while (!text.ended() && text.next() != ')') {
        const char letter = text.take();
        if (!append(part, std::string_view(&letter, 1), text.times())) return unexpected_at(text, "a count");
      }
      if (text.ended()) return unexpected_at(text, "')'");
      text.take();
    } else {
      part = text.take();
    }
    if (!append(all, part, text.times()))
      return unexpected_at(text, fmt::format("a count, and {} letters at most", most_letters));
  }
  return all;
}

/// Adds the numbers of a list, "[0,1]".
Result<std::vector<int>> numbers_in_list(Repeated& text) {
  std::vector<int> numbers;
  text.take();
  while (text.next() == '0' || text.next() == '1') {
    numbers.push_back(text.take() - '0');
    if (text.next() == ',') text.take();
  }
  if (text.next() != ']') return unexpected_at(text, "0, 1 or ']'");
  text.take();
  return numbers;
}

/// Reads lists with counts, joined by "+", in brackets or not.
Result<std::vector<int>> pattern_of(Repeated& text, int depth) {
  std::vector<int> all;
  while (true) {
    std::vector<int> part;
    if (text.next() == '(' && depth < 20) {
      text.take();
      TRY(part, pattern_of(text, depth + 1));
      if (text.next() != ')') return unexpected_at(text, "')'");
      text.take();
    } else if (text.next() == '[') {
      TRY(part, numbers_in_list(text));
    } else {
      return unexpected_at(text, "a list such as [0,1]");
    }
    const int times = text.times();
    if (times < 0 || all.size() + part.size() * static_cast<std::size_t>(times) > most_letters)
      return unexpected_at(text, fmt::format("a count, and {} blocks at most", most_letters));
    for (int i = 0; i < times; ++i) all.insert(all.end(), part.begin(), part.end());
    if (text.next() != '+') return all;
    text.take();
  }
}

void add_further(MegatronLayout& layout, int stage) {
  layout.further_apart = layout.further_apart || (layout.further > 0 && layout.further_at != stage);
  ++layout.further, layout.further_at = stage;
}

}  // namespace

std::string layout_text(std::span<const int> blocks, int further) {
  const auto letters = [](char letter, int count) {
    return count == 0 ? std::string() : count == 1 ? std::string(1, letter) : fmt::format("{}*{}", letter, count);
  };
  std::string text = "E";
  for (std::size_t s = 0; s < blocks.size(); ++s) text += (s > 0 ? "|" : "") + letters('t', blocks[s]);
  return text + letters('m', further) + "L";
}

Result<MegatronLayout> layout_of(std::string_view text) {
  TRY(const auto letters, unrolled(text));
  MegatronLayout layout;
  layout.blocks.push_back(0);
  for (const char letter : letters) {
    const int stage = static_cast<int>(layout.blocks.size()) - 1;
    if (letter == '|')
      layout.blocks.push_back(0);
    else if (letter == 't')
      ++layout.blocks.back(), layout.further_before = layout.further_before || layout.further > 0;
    else if (letter == 'm')
      add_further(layout, stage);
    else if (letter == 'E' && layout.first_embedding < 0)
      layout.first_embedding = stage;
    else if (letter == 'L' && layout.last_loss < 0)
      layout.last_loss = stage;
    else
      return fail(ErrorCode::bad_input,
                  fmt::format("found '{}', expected one E, one L, and t, m or | of the layout", letter));
  }
  return layout;
}

Result<std::vector<int>> dense_blocks(std::string_view pattern, int blocks) {
  std::vector<int> dense;
  if (const auto every = text::decimal_to_integer(pattern)) {
    if (*every < 1) return fail(ErrorCode::bad_input, fmt::format("found {}, expected a number from 1", *every));
    for (int b = 0; b < blocks; ++b)
      if (b % *every != 0) dense.push_back(b);
    return dense;
  }
  std::string plain(pattern);
  std::erase_if(plain, [](char c) { return c == ' ' || c == '"' || c == '\''; });
  Repeated text(plain);
  TRY(const auto numbers, pattern_of(text, 0));
  if (!text.ended()) return unexpected_at(text, "the end");
  if (std::cmp_not_equal(numbers.size(), blocks))
    return fail(ErrorCode::bad_input,
                fmt::format("found a pattern of {} blocks, expected {} of them", numbers.size(), blocks));
  for (int b = 0; b < blocks; ++b)
    if (numbers[static_cast<std::size_t>(b)] == 0) dense.push_back(b);
  return dense;
}

}  // namespace pipedeck::io::jobs
