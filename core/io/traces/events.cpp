// SPDX-License-Identifier: Apache-2.0
#include "core/io/traces/events.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include "core/io/text/packed_stream.hpp"

namespace pipedeck::io::traces {
namespace {

constexpr int deepest = 64;                            // levels: traces have five or six
constexpr std::size_t longest = std::size_t{8} << 20;  // bytes of one text
constexpr std::size_t longest_inputs = 16384;          // bytes: lists of all parameters are of no use
constexpr std::size_t longest_word = 200;              // bytes of a collective's or a group's name
constexpr std::size_t check_interval = 4096;           // events: whether to stop, how far it is

struct TooLong : std::length_error {
  using std::length_error::length_error;
};

/// RapidJSON keeps the text that it is reading in here: a file can't make it as large as it likes.
struct BoundedAllocator {
  static constexpr bool kNeedFree = true;
  void* Malloc(std::size_t size) { return size == 0 ? nullptr : Realloc(nullptr, 0, size); }
  void* Realloc(void* old, std::size_t, std::size_t size) {
    if (size > longest) throw TooLong("too long");
    if (size == 0) {
      std::free(old);
      return nullptr;
    }
    void* const memory = std::realloc(old, size);
    if (!memory) throw std::bad_alloc();
    return memory;
  }
  static void Free(void* memory) { std::free(memory); }
};

constexpr double max_nanoseconds = 2.84e18;  // 90 years: between the ends of any two events no count overflows
constexpr std::int64_t latest_base = 2'500'000'000'000'000'000;  // ns, 2049: with any time it is a count too

std::optional<std::int64_t> nanoseconds_of_power(std::string_view text) {
  const double value = std::strtod(std::string(text).c_str(), nullptr) * 1e3;
  if (!(std::fabs(value) <= max_nanoseconds)) return std::nullopt;
  return std::llround(value);
}

/// Microseconds as decimal text in whole nanoseconds, exactly: a clock that counts from 1970 has more digits than a
/// double. Nothing: no number, or more than 90 years.
std::optional<std::int64_t> nanoseconds_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  const char* const end = text.data() + text.size();
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::int64_t whole = 0;
  const auto [point, problem] = std::from_chars(text.data() + (negative ? 1 : 0), end, whole);
  if (point != end && *point != '.') return nanoseconds_of_power(text);
  const char* const behind = std::find_if_not(point == end ? end : point + 1, end, is_digit);
  if (behind != end) return nanoseconds_of_power(text);  // 1.5e3
  if (problem != std::errc() || static_cast<double>(whole) * 1e3 > max_nanoseconds) return std::nullopt;
  std::int64_t fraction = 0, unit = 100;
  const char* digit = point == end ? end : point + 1;
  for (; digit != end && unit > 0; ++digit, unit /= 10) fraction += (*digit - '0') * unit;
  if (digit != end && *digit >= '5') ++fraction;
  const std::int64_t value = whole * 1000 + fraction;
  return negative ? -value : value;
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc()) return std::nullopt;
  return value;
}

/// A number that stands for a text, far from those that processes and threads have.
std::int64_t number_for(std::string_view text) {
  if (const auto number = integer_of(text); number && !text.empty() && std::to_string(*number) == text) return *number;
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return static_cast<std::int64_t>((hash & 0x3fff'ffff) | 0x4000'0000);  // fits where numbers of processes do
}

/// The members of interest in an event, and in its arguments.
enum class Field { other, name, category, phase, process, thread, start, duration, arguments };
enum class Argument {
  other,
  name,
  stage,
  micro_batch,
  device,
  correlation,
  sequence,
  input_sizes,
  input_types,
  collective,
  group,
  group_number,
  group_ranks,
  elements
};

constexpr std::array<std::pair<std::string_view, Field>, 8> fields{{{"name", Field::name},
                                                                    {"cat", Field::category},
                                                                    {"ph", Field::phase},
                                                                    {"pid", Field::process},
                                                                    {"tid", Field::thread},
                                                                    {"ts", Field::start},
                                                                    {"dur", Field::duration},
                                                                    {"args", Field::arguments}}};
constexpr std::array<std::pair<std::string_view, Argument>, 14> arguments{
    {{"name", Argument::name},
     {"stage", Argument::stage},
     {"micro_batch", Argument::micro_batch},
     {"device", Argument::device},
     {"correlation", Argument::correlation},
     {"Sequence number", Argument::sequence},
     {"Input Dims", Argument::input_sizes},
     {"Input dims", Argument::input_sizes},
     {"Input type", Argument::input_types},
     {"Collective name", Argument::collective},
     {"Process Group Name", Argument::group},
     {"Process Group ID", Argument::group_number},
     {"Process Group Ranks", Argument::group_ranks},
     {"In msg nelems", Argument::elements}}};

template <class T, std::size_t count>
T named(const std::array<std::pair<std::string_view, T>, count>& all, std::string_view name) {
  for (const auto& [text, value] : all)
    if (text == name) return value;
  return T::other;
}

/// RapidJSON's callbacks. Returning false ends the reading.
class Handler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Handler> {
 public:
  Handler(text::PackedStream& stream, const TakeEvent& take, const std::stop_token& stop, const Progress& progress)
      : stream_(stream), take_(take), stop_(stop), progress_(progress) {}

  bool StartObject() { return down(); }
  bool StartArray() {
    if (depth_ == 0) events_depth_ = 1;
    if (depth_ == 1 && key_ == "traceEvents") events_depth_ = 2;
    if (in_input_sizes(2)) begin_sizes('[');
    return down();
  }
  bool EndObject(rapidjson::SizeType) {
    --depth_;
    return depth_ != events_depth_ || events_depth_ == 0 || end_event();
  }
  bool EndArray(rapidjson::SizeType) {
    if (--depth_ < events_depth_) {
      had_events_ = true;
      events_depth_ = 0;
    }
    if (in_input_sizes(2)) append(input_sizes_, "]");
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (depth_ == 1 || depth_ == 2) key_.assign(text, std::min<std::size_t>(size, 32));
    if (events_depth_ > 0 && depth_ == events_depth_ + 1) field_ = named(fields, {text, size});
    if (events_depth_ > 0 && depth_ == events_depth_ + 2) argument_ = named(arguments, {text, size});
    if (depth_ == 1) section_ = key_;
    device_key_ = depth_ == 3 && std::string_view(text, size) == "name";
    return true;
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view value(text, size);
    if (in_event()) return take_text(value);
    if (in_arguments()) {
      take_argument_text(value);
      return true;
    }
    if (in_inputs(3) && argument_ == Argument::input_types) {
      append(input_types_, value);
      append(input_types_, ",");
    }
    if (depth_ == 2 && section_ == "otherData" && key_ == "title") head_.title.assign(value);
    if (depth_ == 3 && section_ == "deviceProperties" && device_key_ && head_.device.empty())
      head_.device.assign(value.substr(0, 200));
    return true;
  }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view value(text, size);
    if (in_event()) return take_number(value);
    if (in_arguments()) {
      take_argument(value);
      return true;
    }
    if (in_input_sizes(4)) {
      begin_sizes('\0');
      append(input_sizes_, value);
    }
    if (depth_ == 2 && section_ == "distributedInfo" && key_ == "rank") head_.rank = integer_of(value);
    if (depth_ == 1 && key_ == "pipedeckDevice") head_.planned_device = integer_of(value);
    if (depth_ == 1 && key_ == "baseTimeNanoseconds")
      head_.base = std::clamp(integer_of(value).value_or(0), std::int64_t{0}, latest_base);
    return true;
  }
  bool Default() { return true; }

  bool found_events() const { return had_events_; }
  std::optional<Error>& error() { return error_; }
  Head take_head() { return std::move(head_); }

 private:
  bool in_event() const { return events_depth_ > 0 && depth_ == events_depth_ + 1; }
  bool in_arguments() const { return events_depth_ > 0 && depth_ == events_depth_ + 2 && field_ == Field::arguments; }

  /// Depth within an event: 2 is its arguments.
  bool in_inputs(int levels) const {
    return events_depth_ > 0 && depth_ >= events_depth_ + levels && field_ == Field::arguments;
  }
  bool in_input_sizes(int levels) const { return in_inputs(levels) && argument_ == Argument::input_sizes; }

  /// A size or a list of them begins: behind another one there is a comma.
  void begin_sizes(char bracket) {
    if (!input_sizes_.empty() && input_sizes_.back() != '[') append(input_sizes_, ",");
    if (bracket != '\0') append(input_sizes_, std::string_view(&bracket, 1));
  }
  void append(std::string& text, std::string_view more) {
    if (text.size() + more.size() > longest_inputs)
      too_many_inputs_ = true;
    else
      text += more;
  }

  bool down() {
    if (++depth_ > deepest)
      return refuse(fmt::format("found more than {} levels in one another, expected a trace's few", deepest));
    return true;
  }

  bool refuse(std::string message) {
    error_ = Error{ErrorCode::bad_input, std::move(message), {}, {}};
    return false;
  }
  bool refuse_event(std::string message) {
    refuse(std::move(message));
    error_->place = fmt::format("event {}", event_.number);
    return false;
  }

  bool take_text(std::string_view value) {
    switch (field_) {
      case Field::name:
        name_.assign(value);
        break;
      case Field::category:
        category_.assign(value);
        break;
      case Field::phase:
        event_.phase = value.empty() ? '\0' : value.front();
        break;
      case Field::process:
        event_.process = number_for(value);
        break;
      case Field::thread:
        event_.thread = number_for(value);
        break;
      case Field::start:
      case Field::duration:
        return refuse_event(fmt::format("found a text as \"{}\", expected microseconds", word_of(field_)));
      default:
        break;
    }
    return true;
  }

  static std::string_view word_of(Field field) { return field == Field::start ? "ts" : "dur"; }

  bool take_number(std::string_view value) {
    if (field_ == Field::process) event_.process = integer_of(value).value_or(0);
    if (field_ == Field::thread) event_.thread = integer_of(value).value_or(0);
    if (field_ != Field::start && field_ != Field::duration) return true;
    const auto time = nanoseconds_of(value);
    if (!time)
      return refuse_event(fmt::format("found \"{}\": {}, expected microseconds", word_of(field_), value.substr(0, 40)));
    if (field_ == Field::start) {
      event_.start = time;
      return true;
    }
    if (*time < 0) return refuse_event(fmt::format("found a duration of {} us, expected 0 or more", value));
    event_.duration = *time;
    return true;
  }

  void take_argument_text(std::string_view value) {
    if (argument_ == Argument::name) argument_name_.assign(value);
    if (argument_ == Argument::collective) collective_.assign(value.substr(0, longest_word));
    if (argument_ == Argument::group) group_.assign(value.substr(0, longest_word));
    if (argument_ == Argument::group_ranks) group_ranks_.assign(value.substr(0, longest_inputs));
  }

  void take_argument(std::string_view value) {
    switch (argument_) {
      case Argument::stage:
        event_.stage = integer_of(value);
        break;
      case Argument::micro_batch:
        event_.micro_batch = integer_of(value);
        break;
      case Argument::device:
        event_.device = integer_of(value);
        break;
      case Argument::correlation:
        event_.correlation = integer_of(value);
        break;
      case Argument::sequence:
        event_.sequence = integer_of(value);
        break;
      case Argument::elements:
        event_.elements = integer_of(value);
        break;
      case Argument::group_number:
        if (group_.empty()) group_.assign(value.substr(0, longest_word));
        break;
      default:
        break;
    }
  }

  bool end_event() {
    event_.name = name_;
    event_.category = category_;
    event_.argument_name = argument_name_;
    event_.collective = collective_, event_.group = group_, event_.group_ranks = group_ranks_;
    if (!too_many_inputs_) event_.input_sizes = input_sizes_, event_.input_types = input_types_;
    const auto taken = take_(event_);
    if (!taken) {
      error_ = taken.error();
      return false;
    }
    const std::size_t next = event_.number + 1;
    event_ = Event{};
    event_.number = next;
    name_.clear(), category_.clear(), argument_name_.clear(), input_sizes_.clear(), input_types_.clear();
    collective_.clear(), group_.clear(), group_ranks_.clear();
    too_many_inputs_ = false;
    if (next % check_interval != 0) return true;
    if (stop_.stop_requested()) {
      error_ = Error{ErrorCode::cancelled, "cancelled", {}, {}};
      return false;
    }
    report(progress_, stream_.progress(), "reading the trace");
    return true;
  }

  text::PackedStream& stream_;
  const TakeEvent& take_;
  const std::stop_token& stop_;
  const Progress& progress_;
  std::optional<Error> error_;
  Head head_;
  int depth_ = 0;
  int events_depth_ = 0;  ///< levels above an event while they are read, else 0
  bool had_events_ = false;
  Event event_;
  Field field_ = Field::other;
  Argument argument_ = Argument::other;
  std::string section_, key_, name_, category_, argument_name_;
  std::string input_sizes_, input_types_, collective_, group_, group_ranks_;
  bool too_many_inputs_ = false;
  bool device_key_ = false;  ///< "name" of a device's properties is being read
};

std::string words_of(const rapidjson::ParseResult& parsed, const text::PackedStream& stream) {
  if (parsed.Code() == rapidjson::kParseErrorStringInvalidEncoding) return "found bytes that are not UTF-8";
  if (stream.Peek() == '\0') return "the file ends in the middle: it was cut off; record or copy it again";
  std::string words = rapidjson::GetParseError_En(parsed.Code());
  if (words.ends_with('.')) words.pop_back();
  return "found no JSON: " + words;
}

}  // namespace

Result<Head> read_trace_events(const std::string& path, const TakeEvent& take, const std::stop_token& stop,
                               const Progress& progress) {
  const auto refuse = [&](std::string message, std::string place = {}) {
    return fail(ErrorCode::bad_input, std::move(message), std::move(place), path);
  };
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) return refuse("found a folder, expected a trace");
  text::PackedStream stream(path);
  if (!stream.open()) return fail(ErrorCode::bad_input, "the file can't be opened: " + stream.problem(), {}, path);
  Handler handler(stream, take, stop, progress);
  BoundedAllocator allocator;
  rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, BoundedAllocator> reader(&allocator);
  rapidjson::ParseResult parsed;
  const auto at_byte = [&] { return fmt::format("byte {}", stream.Tell()); };
  try {
    parsed =
        reader.Parse<rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag>(stream, handler);
  } catch (const TooLong&) {
    return refuse(fmt::format("found a text of more than {} MiB, expected a trace's short ones", longest >> 20),
                  at_byte());
  }
  if (handler.error()) {
    Error error = *std::move(handler.error());
    error.file = path;
    if (error.place.empty() && error.code != ErrorCode::cancelled) error.place = at_byte();
    return tl::unexpected(std::move(error));
  }
  if (!stream.problem().empty()) return refuse("the file can't be read on: " + stream.problem(), at_byte());
  if (!parsed) return refuse(words_of(parsed, stream), at_byte());
  if (!handler.found_events())
    return refuse("found no list \"traceEvents\", expected a Chrome trace: what PyTorch's profiler or Perfetto export");
  return handler.take_head();
}

bool looks_like_trace(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;
  text::PackedStream stream(path);
  if (!stream.open()) return false;
  std::string head;
  for (std::size_t i = 0; i < (std::size_t{1} << 17) && stream.Peek() != '\0'; ++i) head += stream.Take();
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == head.npos) return false;
  if (head[first] == '{') return head.find("\"traceEvents\"") != head.npos;
  return head[first] == '[' && head.substr(0, 4096).find("\"ph\"") != head.npos;
}

}  // namespace pipedeck::io::traces
