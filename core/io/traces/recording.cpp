// SPDX-License-Identifier: Apache-2.0
#include "core/io/traces/recording.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/io/traces/events.hpp"
#include "core/io/traces/names.hpp"

namespace pipedeck::io::traces {
namespace {

constexpr std::size_t max_recorded_tracks = 1 << 16;
constexpr std::size_t max_recorded_names = 1 << 16;
constexpr std::size_t max_inputs = 1 << 16;
constexpr std::size_t max_tensors = 64;                  // of one operator: what is looked at stands first
constexpr std::size_t max_text = std::size_t{16} << 20;  // bytes of all different inputs
constexpr std::size_t longest_name = 200;
constexpr std::string_view module_prefix = "nn.Module: ";
constexpr std::string_view backward_prefix = "autograd::engine::evaluate_function: ";
constexpr std::string_view step_prefix = "ProfilerStep#";

struct ElementType {
  std::string_view name;
  int bytes;
  bool real;
};
/// As PyTorch's C++ calls them.
constexpr std::array element_types{ElementType{"float", 4, true},
                                   ElementType{"c10::Half", 2, true},
                                   ElementType{"c10::BFloat16", 2, true},
                                   ElementType{"double", 8, true},
                                   ElementType{"long int", 8, false},
                                   ElementType{"long", 8, false},
                                   ElementType{"__int64", 8, false},
                                   ElementType{"int", 4, false},
                                   ElementType{"short int", 2, false},
                                   ElementType{"short", 2, false},
                                   ElementType{"signed char", 1, false},
                                   ElementType{"unsigned char", 1, false},
                                   ElementType{"bool", 1, false},
                                   ElementType{"c10::complex<float>", 8, true},
                                   ElementType{"c10::complex<double>", 16, true}};

ElementType element_type(std::string_view name) {
  const auto found = std::ranges::find(element_types, name, &ElementType::name);
  if (found != element_types.end()) return *found;
  return {name, name.starts_with("c10::Float8") ? 1 : 0, true};
}

/// Reads "[[32,8],[16,8],[]]" and "float,float,": one tensor per input; lists of tensors and scalars are none.
RecordedInputs inputs_of(std::string_view sizes, std::string_view types) {
  RecordedInputs inputs;
  int depth = 0;
  bool nested = false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const char c = sizes[i];
    if (c == '[' && ++depth == 2) inputs.emplace_back(), nested = false;
    if (c == '[' && depth > 2) nested = true;
    if (c == ']' && depth-- == 2 && nested) inputs.back() = {};
    if (depth != 2 || c == '[' || c == ']' || c == ',') continue;
    std::int64_t size = 0;
    const auto [end, problem] = std::from_chars(sizes.data() + i, sizes.data() + sizes.size(), size);
    if (problem != std::errc() || size < 0) return {};
    inputs.back().sizes.push_back(size);
    i = static_cast<std::size_t>(end - sizes.data()) - 1;
  }
  inputs.resize(std::min(inputs.size(), max_tensors));
  inputs.shrink_to_fit();
  for (RecordedTensor& input : inputs) {
    const std::size_t end = std::min(types.find(','), types.size());
    const ElementType type = element_type(types.substr(0, end));
    input.element = type.bytes;
    input.real = type.bytes > 0 && type.real;
    types.remove_prefix(std::min(end + 1, types.size()));
  }
  return inputs;
}

/// Texts that come again and again, by number.
class Numbers {
 public:
  std::uint32_t of(std::string_view text) {
    key_.assign(text);
    return numbers_.try_emplace(key_, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::string key_;  ///< kept for its memory
};

class Recorder {
 public:
  Recorder() { found_.inputs.emplace_back(), inputs_.of({}); }

  Result<void> take(const Event& event) {
    ++found_.events;
    if (event.phase != 'X') return {};
    if (!event.start) return refuse(event, "found no \"ts\", expected microseconds");
    if (traces::is_kernel(event.category)) {
      take_kernel(event);
    } else if (traces::is_launch(event.category)) {
      if (event.correlation)
        found_.launches.push_back({*event.start, static_cast<std::uint32_t>(*event.correlation), track_of(event)});
    } else if (traces::is_operator(event.category)) {
      take_operator(event);
    } else if (event.category == "python_function") {
      if (event.name.starts_with(module_prefix)) add(found_.modules, event, event.name.substr(module_prefix.size()));
    } else if (event.category == "user_annotation") {
      if (event.name.starts_with(step_prefix))
        found_.steps.push_back({*event.start, *event.start + event.duration});
      else
        add(found_.annotations, event, traces::strip_decoration(event.name));
    }
    if (tracks_.size() > max_recorded_tracks)
      return refuse(event, fmt::format("found more than {} threads, expected a few", max_recorded_tracks));
    if (names_.size() > max_recorded_names)
      return refuse(event,
                    fmt::format("found more than {} different names, expected modules and operators that come again",
                                max_recorded_names));
    if (inputs_.size() > max_inputs || inputs_text_ > max_text)
      return refuse(event,
                    fmt::format("found {} different sizes of inputs, expected some that come again", inputs_.size()));
    return {};
  }

  ProfilerTrace finish(Head head) {
    found_.title = std::move(head.title);
    found_.device = std::move(head.device);
    return std::move(found_);
  }

 private:
  static tl::unexpected<Error> refuse(const Event& event, std::string message) {
    return fail(ErrorCode::bad_input, std::move(message), fmt::format("event {}", event.number));
  }

  std::uint32_t track_of(const Event& event) {
    const std::pair track(event.process, event.thread);
    if (track == last_) return last_number_;
    const auto [found, added] = tracks_.try_emplace(track, static_cast<std::uint32_t>(tracks_.size()));
    if (added) found_.processes.push_back(event.process);
    last_ = track;
    return last_number_ = found->second;
  }

  std::uint32_t name_of(std::string_view name) {
    std::size_t length = std::min(name.size(), longest_name);
    while (length < name.size() && length > 0 && (name[length] & 0xC0) == 0x80) --length;  // UTF-8 is cut whole
    const std::uint32_t number = names_.of(name.substr(0, length));
    if (number == found_.names.size()) found_.names.emplace_back(name.substr(0, length));
    return number;
  }

  void add(std::vector<RecordedSpan>& spans, const Event& event, std::string_view name) {
    spans.push_back({.start = *event.start,
                     .end = *event.start + event.duration,
                     .sequence = event.sequence.value_or(-1),
                     .track = track_of(event),
                     .name = name_of(name),
                     .inputs = inputs_in(event)});
  }

  std::uint32_t inputs_in(const Event& event) {
    if (event.input_sizes.empty()) return 0;
    key_.assign(event.input_sizes);
    key_ += '|';
    key_ += event.input_types;
    const std::uint32_t number = inputs_.of(key_);
    if (number == found_.inputs.size()) {
      found_.inputs.push_back(inputs_of(event.input_sizes, event.input_types));
      inputs_text_ += key_.size();
    }
    return number;
  }

  void take_operator(const Event& event) {
    if (event.name.starts_with(backward_prefix))
      add(found_.evaluations, event, event.name.substr(backward_prefix.size()));
    else if (event.sequence.value_or(-1) >= 0 || !event.input_sizes.empty())
      add(found_.operators, event, event.name);
  }

  void take_kernel(const Event& event) {
    found_.kernels.push_back({event.duration, static_cast<std::uint32_t>(event.correlation.value_or(0)),
                              traces::is_communication(event.name)});
  }

  ProfilerTrace found_;
  Numbers names_, inputs_;
  std::string key_;
  std::size_t inputs_text_ = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> tracks_;
  std::pair<std::int64_t, std::int64_t> last_{-1, -1};
  std::uint32_t last_number_ = 0;
};

}  // namespace

Result<ProfilerTrace> read_recording(const std::string& path, const std::stop_token& stop, const Progress& progress) {
  Recorder recorder;
  TRY(auto head, read_trace_events(
                     path, [&](const Event& event) { return recorder.take(event); }, stop, progress));
  return recorder.finish(std::move(head));
}

}  // namespace pipedeck::io::traces
