// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/training_log.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/jobs/argument_dump.hpp"
#include "core/io/text/decimal.hpp"
#include "core/io/text/lines.hpp"

namespace pipedeck::io::jobs {
namespace {

constexpr std::string_view megatron_step = "elapsed time per iteration (ms):", megatron_memory = "| max allocated:";
constexpr std::string_view titan_rate = " tps:", titan_loss = " loss:";
constexpr std::string_view deepspeed_step = "global_step=", deepspeed_rate = "CurrSamplesPerSec=";
constexpr std::string_view trainer_end = "train_runtime", trainer_samples = "train_samples_per_second",
                           trainer_steps = "train_steps_per_second";

/// Returns the line without the terminal's colours.
std::string without_colours(std::string_view line) {
  std::string plain;
  plain.reserve(line.size());
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] != '\x1b') {
      plain += line[at++];
      continue;
    }
    const std::size_t end = line.find('m', at);
    at = end == line.npos ? line.size() : end + 1;
  }
  return plain;
}

/// Returns the number behind the last `key` of the line, with or without commas between thousands; 0 if there is none,
/// or if it is no positive number.
double number_behind(std::string_view line, std::string_view key) {
  const std::size_t found = line.rfind(key);
  if (found == line.npos) return 0;
  std::string digits;
  const std::size_t first = line.find_first_not_of(" \"':=", found + key.size());
  for (const char c : line.substr(std::min(line.size(), first))) {
    if (c == ',' && !digits.empty()) continue;
    if (!(c >= '0' && c <= '9') && c != '.' && c != 'e' && c != 'E' && c != '-' && c != '+') break;
    digits += c;
  }
  const auto number = text::decimal_to_double(digits);
  return number && *number > 0 && std::isfinite(*number) ? *number : 0;
}

std::int64_t step_behind(std::string_view line, std::string_view key) {
  const double number = number_behind(line, key);
  return number < 1e15 ? static_cast<std::int64_t>(number) : 0;
}

int whole_behind(std::string_view line, std::string_view key) {
  const double number = number_behind(line, key);
  return number <= std::numeric_limits<int>::max() ? static_cast<int>(number) : 0;
}

class LogReader {
 public:
  explicit LogReader(TrainingLog& log) : log_(log) {}

  void read(std::string_view line) {
    dump_.read(line);
    if (line.find(megatron_step) != line.npos) return megatron(line);
    if (line.find(megatron_memory) != line.npos)
      return peak(number_behind(line, megatron_memory) / 1024, "max allocated over printed ranks");
    if (line.find(titan_rate) != line.npos && line.find(titan_loss) != line.npos) return titan(line);
    if (line.find(deepspeed_step) != line.npos && line.find(deepspeed_rate) != line.npos) return deepspeed(line);
    if (line.find(trainer_end) != line.npos && line.find(trainer_steps) != line.npos) return trainer(line);
    gpu(line);
  }

  /// Reads the object with the run's time in trainer_state.json.
  void read_state(std::string_view text) {
    const std::size_t at = std::min(text.size(), text.rfind(trainer_end));
    const std::size_t begin = text.rfind('{', at), end = text.find('}', at);
    if (begin != text.npos && end != text.npos) trainer(text.substr(begin, end - begin));
  }

  Result<void> finish() {
    if (log_.steps.empty() && trainer_.last > 0) {
      log_.engine = "Hugging Face Trainer";
      log_.whole_run = true;
      log_.steps = {trainer_};
    }
    if (log_.steps.empty())
      return fail(ErrorCode::bad_input,
                  "found no time of a step, expected lines of Megatron-LM, torchtitan, DeepSpeed "
                  "(wall_clock_breakdown or steps_per_print) or Hugging Face's Trainer");
    if (!dump_.empty() && log_.engine == "Megatron-LM") {
      TRY(log_.job, dump_.job(log_.name));
    }
    return {};
  }

 private:
  /// Takes a line of one engine: lines of another, or of a second rank, are left out.
  void add(std::string_view engine, const LoggedSteps& steps) {
    if (log_.engine.empty()) log_.engine = engine;
    if (log_.engine != engine || steps.last <= 0) return;
    if (!log_.steps.empty() && steps.last <= log_.steps.back().last) {
      if (steps.last == log_.steps.back().last) return;  // another rank's
      // The run was started again from a checkpoint: its steps count once, as they ran last.
      std::erase_if(log_.steps, [&](const LoggedSteps& one) { return one.last >= steps.last; });
    }
    log_.steps.push_back(steps);
  }

  void peak(double gib, std::string_view kind) {
    if (gib > log_.peak_gib) log_.peak_gib = gib, log_.peak_kind = kind;
  }

  void megatron(std::string_view line) {
    add("Megatron-LM", {.last = step_behind(line.substr(0, line.find('|')), "iteration "),
                        .seconds = number_behind(line, megatron_step) / 1000,
                        .tflops = number_behind(line, "throughput per GPU (TFLOP/s/GPU):"),
                        .global_batch = whole_behind(line, "global batch size:")});
  }

  void titan(std::string_view line) {
    add("torchtitan", {.last = step_behind(line, " step:"),
                       .tokens_per_second = number_behind(line, titan_rate),
                       .tflops = number_behind(line, " tflops:")});
    peak(number_behind(line, " memory:"), "max reserved");
  }

  /// Reads a line of DeepSpeed since 0.8. Older ones count samples in several ways.
  void deepspeed(std::string_view line) {
    add("DeepSpeed",
        {.last = step_behind(line, deepspeed_step), .samples_per_second = number_behind(line, deepspeed_rate)});
    peak(number_behind(line, "MaxMemAllocated="), "max allocated of a rank");
  }

  /// Reads the last line of a run, or the end of trainer_state.json: the mean of all steps.
  void trainer(std::string_view line) {
    const double rate = number_behind(line, trainer_steps), time = number_behind(line, trainer_end);
    if (rate <= 0) return;
    trainer_ = {.last = std::max<std::int64_t>(1, std::llround(std::min(rate * time, 1e15))),
                .seconds = 1 / rate,
                .samples_per_second = number_behind(line, trainer_samples)};
  }

  /// torchtitan names the device once: "CUDA capacity: NVIDIA H100 with 95.00GiB memory".
  void gpu(std::string_view line) {
    constexpr std::string_view before = "capacity: ", behind = " with ";
    const std::size_t at = line.find(before);
    if (at == line.npos || !log_.gpu.empty()) return;
    const std::string_view name = line.substr(at + before.size());
    const std::size_t end = name.find(behind);
    constexpr std::size_t longest = 64;
    if (end != name.npos && end <= longest && name.find("GiB memory", end) != name.npos) log_.gpu = name.substr(0, end);
  }

  TrainingLog& log_;
  ArgumentDump dump_;
  LoggedSteps trainer_;
};

/// "[Rank 12] (after 2 iterations) memory (MB) | ..."
constexpr std::string_view rank_mark = "[Rank ", rank_memory_mark = " memory (";
constexpr std::string_view bridge_memory = "mem-max-allocated-gigabytes:";

}  // namespace

Result<std::vector<RankPeak>> rank_peaks_from(const std::string& log) {
  std::map<int, double> peaks;
  text::for_lines(log, [&](std::string_view line, int) {
    const std::string plain = without_colours(line);
    const std::size_t at = plain.find(rank_mark);
    if (at == plain.npos || plain.find(rank_memory_mark, at) == plain.npos) return true;
    constexpr double mebibyte = 1 << 20, gigabyte = 1e9;
    const double bytes =
        std::max(number_behind(plain, megatron_memory) * mebibyte, number_behind(plain, bridge_memory) * gigabyte);
    const std::string_view number = std::string_view(plain).substr(at + rank_mark.size());
    const auto rank = text::decimal_to_integer(number.substr(0, number.find(']')));
    if (rank && *rank >= 0 && *rank < limits::devices && bytes > 0) {
      double& most = peaks[static_cast<int>(*rank)];
      most = std::max(most, bytes);
    }
    return true;
  });
  if (peaks.empty())
    return fail(ErrorCode::bad_input,
                "found no memory of a rank, expected a line \"[Rank 0] (after 1 iterations) memory (MB) | ... | max "
                "allocated: ...\"");
  std::vector<RankPeak> found;
  for (const auto& [rank, bytes] : peaks) found.push_back({rank, bytes});
  return found;
}

bool looks_like_training_log(const std::string& text) {
  return text.find(megatron_step) != text.npos ||
         (text.find(titan_rate) != text.npos && text.find(" tflops:") != text.npos &&
          text.find(titan_loss) != text.npos) ||
         (text.find(deepspeed_step) != text.npos && text.find(deepspeed_rate) != text.npos) ||
         (text.find(trainer_end) != text.npos && text.find(trainer_steps) != text.npos);
}

Result<TrainingLog> training_log_from(const std::string& text, std::string name) {
  TrainingLog log;
  log.name = std::move(name);
  LogReader reader(log);
  if (text.find("\"log_history\"") != text.npos) {
    reader.read_state(text);
  } else {
    text::for_lines(text, [&](std::string_view line, int) {
      reader.read(without_colours(line));
      return true;
    });
  }
  TRY_VOID(reader.finish());
  return log;
}

}  // namespace pipedeck::io::jobs
