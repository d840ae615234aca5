// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/host_list.hpp"

#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "core/io/json/value.hpp"

namespace pipedeck::io::topology {
namespace {

constexpr std::size_t longest_name = 255;

class Expander {
 public:
  Expander(std::string_view list, std::size_t most) : list_(list), most_(most) {}

  Result<std::vector<std::string>> expand() {
    for (std::string_view rest = list_; !rest.empty();) {
      const std::size_t end = end_of_element(rest);
      if (end > 0) TRY_VOID(add(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return std::move(names_);
  }

 private:
  tl::unexpected<Error> bad() const {
    return fail(ErrorCode::bad_input, fmt::format("found the list of hosts {}, expected names such as node[01-16,20]",
                                                  json::describe(json::Value(list_))));
  }

  /// At the comma outside of brackets, or behind the last letter.
  static std::size_t end_of_element(std::string_view text) {
    bool inside = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '[') inside = true;
      if (text[i] == ']') inside = false;
      if (text[i] == ',' && !inside) return i;
    }
    return text.size();
  }

  Result<void> add(std::string_view element) {
    std::vector<std::string> made{std::string()};
    while (!element.empty()) {
      const std::size_t open = element.find('[');
      const std::string_view plain = element.substr(0, open);
      if (plain.find(']') != plain.npos) return bad();
      for (std::string& name : made) name += plain;
      if (open == element.npos) break;
      const std::size_t close = element.find(']', open);
      if (close == element.npos) return bad();
      TRY(auto wider, with_ranges(made, element.substr(open + 1, close - open - 1)));
      made = std::move(wider);
      element.remove_prefix(close + 1);
    }
    if (names_.size() + made.size() > most_) return too_many();
    for (std::string& name : made) {
      if (name.size() > longest_name) return bad();
      names_.push_back(std::move(name));
    }
    return {};
  }

  tl::unexpected<Error> too_many() const {
    return fail(ErrorCode::bad_input, fmt::format("found more than {} hosts, expected at most that", most_));
  }

  /// Each of `stems` with each number of "01-16,20" behind it.
  Result<std::vector<std::string>> with_ranges(const std::vector<std::string>& stems, std::string_view ranges) const {
    std::vector<std::string> numbers;
    while (true) {
      const std::size_t comma = ranges.find(',');
      TRY_VOID(add_range(numbers, ranges.substr(0, comma)));
      if (comma == ranges.npos) break;
      ranges.remove_prefix(comma + 1);
    }
    if (stems.size() * numbers.size() > most_) return too_many();
    std::vector<std::string> made;
    for (const std::string& stem : stems)
      for (const std::string& number : numbers) made.push_back(stem + number);
    return made;
  }

  Result<void> add_range(std::vector<std::string>& numbers, std::string_view range) const {
    const std::size_t dash = range.find('-');
    const std::string_view first = range.substr(0, dash), last = dash == range.npos ? first : range.substr(dash + 1);
    const auto from = number_of(first), to = number_of(last);
    if (!from || !to || *to < *from) return bad();
    if (*to - *from >= most_ || numbers.size() + (*to - *from) >= most_) return too_many();
    for (std::uint64_t n = *from; n <= *to; ++n) numbers.push_back(fmt::format("{:0{}}", n, first.size()));
    return {};
  }

  static std::optional<std::uint64_t> number_of(std::string_view text) {
    constexpr std::size_t max_digits = 18;
    std::uint64_t value = 0;
    if (text.size() > max_digits) return std::nullopt;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

  std::string_view list_;
  std::size_t most_;
  std::vector<std::string> names_;
};

}  // namespace

Result<std::vector<std::string>> expand_hostlist(std::string_view list, std::size_t most) {
  return Expander(list, most).expand();
}

}  // namespace pipedeck::io::topology
