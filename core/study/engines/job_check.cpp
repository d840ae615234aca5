// SPDX-License-Identifier: Apache-2.0
#include "core/study/engines/job_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/mesh/job.hpp"
#include "core/plan/mesh_rules.hpp"

namespace pipedeck::study::engines {
namespace {

/// A number of a job that a user may change.
struct Number {
  std::string_view name;  ///< "tensor parallelism"
  int& (*of)(io::jobs::TrainingJob&);
  std::int64_t most = limits::devices;
  bool divides = false;  ///< the GPUs, so that larger ones are of no use
};

constexpr std::array<Number, 10> numbers{{
    {"tensor parallelism", [](io::jobs::TrainingJob& job) -> int& { return job.shard.tensor; }, limits::devices, true},
    {"context parallelism", [](io::jobs::TrainingJob& job) -> int& { return job.shard.context; }, limits::devices,
     true},
    {"expert parallelism", [](io::jobs::TrainingJob& job) -> int& { return job.shard.expert; }, limits::devices, true},
    {"expert-tensor parallelism", [](io::jobs::TrainingJob& job) -> int& { return job.shard.expert_tensor; },
     limits::devices, true},
    {"pipeline parallelism", [](io::jobs::TrainingJob& job) -> int& { return job.pipeline; }, limits::devices, true},
    {"stages of a rank", [](io::jobs::TrainingJob& job) -> int& { return job.virtual_stages; }},
    {"micro-batch", [](io::jobs::TrainingJob& job) -> int& { return job.micro_batch; }, limits::samples},
    {"global batch", [](io::jobs::TrainingJob& job) -> int& { return job.global_batch; }, limits::samples},
    {"tokens of a sample", [](io::jobs::TrainingJob& job) -> int& { return job.sequence; }, 1 << 24},
    {"GPUs", [](io::jobs::TrainingJob& job) -> int& { return job.devices; }},
}};
constexpr int farthest = 4096;  ///< from a value, of those that are tried
constexpr std::size_t most_nearest = 6;

/// Returns the engines whose rules a job has to keep.
std::vector<std::string_view> rule_sets(const io::jobs::TrainingJob& job) {
  if (job.engine == "Megatron-LM") return {"", "Megatron-LM", "TransformerEngine"};
  return {"", job.engine};
}

class Checker {
 public:
  Checker(const io::jobs::TrainingJob& job, int devices, const TransformerConfig* model)
      : stated_(job), whole_(mesh::completed(job, devices)), job_(whole_), model_(model), sets_(rule_sets(job)) {
    // Thousands of copies are tried: without what no rule asks for.
    job_.model.reset(), job_.share = {}, job_.broken.clear();
  }

  JobCheck run() {
    JobCheck check;
    const plan::MeshQuestion question = mesh::rules_question_of(job_, model_);
    for (const plan::MeshRule& rule : plan::mesh_rules()) {
      if (std::ranges::find(sets_, rule.engine) == sets_.end()) continue;
      ++check.rules;
      if (auto message = rule.broken(question))
        check.broken.push_back(
            {std::string(rule.engine), std::string(rule.name), std::string(rule.source), *std::move(message)});
    }
    const bool degrees = !check.broken.empty();
    check.rules += static_cast<int>(whole_.broken.size());
    for (const io::jobs::BrokenOption& option : whole_.broken)
      check.broken.push_back({whole_.engine, option.name, option.source, option.message});
    if (degrees) check.nearest = nearest();
    return check;
  }

 private:
  /// Returns the job with what follows from its numbers.
  io::jobs::TrainingJob followed(io::jobs::TrainingJob job) const {
    if (stated_.global_batch == 0 && job.global_batch == job_.global_batch) job.global_batch = 0;
    job.micro_batches = stated_.global_batch > 0 ? 0 : stated_.micro_batches;
    job.sharding.group = stated_.sharding.group;
    return mesh::completed(std::move(job), 0);
  }

  bool keeps_all(const io::jobs::TrainingJob& job) const {
    const plan::MeshQuestion question = mesh::rules_question_of(job, model_);
    return std::ranges::all_of(plan::mesh_rules(), [&](const plan::MeshRule& rule) {
      return std::ranges::find(sets_, rule.engine) == sets_.end() || !rule.broken(question);
    });
  }

  static void set(io::jobs::TrainingJob& job, const Number& number, int value) {
    number.of(job) = value;
    if (number.name == "pipeline parallelism" || number.name == "stages of a rank") job.blocks.clear();
    if (number.name == "context parallelism") job.shard.context_heads = 1;
  }

  std::string change(const Number& number, int value) const {
    io::jobs::TrainingJob before = job_;
    return fmt::format("{} {} instead of {}", number.name, value, number.of(before));
  }

  /// Returns the nearest value of one number, upwards or downwards, with which all rules are kept.
  std::optional<NearestJob> nearest(const Number& number, int step) const {
    io::jobs::TrainingJob job = job_;
    const std::int64_t from = number.of(job), most = std::min(number.most, from + farthest);
    const std::int64_t least = std::max(std::int64_t{1}, from - farthest);
    const std::int64_t useful = number.divides ? std::min(most, std::int64_t{job_.devices}) : most;
    for (std::int64_t value = from + step; value >= least && (step < 0 || value <= useful); value += step) {
      job = job_;
      set(job, number, static_cast<int>(value));
      job = followed(std::move(job));
      if (keeps_all(job)) return NearestJob{change(number, static_cast<int>(value)), std::move(job)};
    }
    return {};
  }

  std::vector<NearestJob> nearest() const {
    std::vector<NearestJob> all;
    if (job_.shard.tensor > 1) {
      io::jobs::TrainingJob job = job_;
      job.shard.sequence = !job.shard.sequence;
      job = followed(std::move(job));
      if (keeps_all(job))
        all.push_back({fmt::format("sequence parallelism {}", job.shard.sequence ? "on" : "off"), std::move(job)});
    }
    if (!job_.blocks.empty()) {
      io::jobs::TrainingJob job = job_;
      job.blocks.clear();
      job = followed(std::move(job));
      if (keeps_all(job)) all.push_back({"even stages", std::move(job)});
    }
    for (const Number& number : numbers)
      for (const int step : {-1, 1})
        if (auto found = nearest(number, step)) all.push_back(*std::move(found));
    if (all.empty()) all = pairs();
    if (all.empty()) all = powers();
    std::ranges::stable_sort(all, {}, [&](const NearestJob& one) { return distance(one.job); });
    if (all.size() > most_nearest) all.resize(most_nearest);
    for (NearestJob& near : all)
      near.job.model = whole_.model, near.job.share = whole_.share, near.job.broken = whole_.broken;
    return all;
  }

  /// Returns the sum of logarithms of what the user would change.
  double distance(io::jobs::TrainingJob job) const {
    io::jobs::TrainingJob before = job_;
    double sum = 0;
    for (const Number& number : numbers)
      sum += std::abs(std::log2(static_cast<double>(number.of(job)) / std::max(1, number.of(before))));
    return sum;
  }

  std::vector<int> values_near(const Number& number) const {
    io::jobs::TrainingJob job = job_;
    const std::int64_t now = std::max(1, number.of(job));
    std::set<int> values;
    for (std::int64_t power = 1; power <= std::min(number.most, 8 * now); power *= 2)
      if (power * 8 >= now) values.insert(static_cast<int>(power));
    for (std::int64_t times = 1; times <= 4 && times * now <= number.most; ++times)
      values.insert(static_cast<int>(times * now));
    values.erase(static_cast<int>(now));
    return {values.begin(), values.end()};
  }

  std::vector<NearestJob> pairs() const {
    std::vector<NearestJob> all;
    for (std::size_t a = 0; a < numbers.size(); ++a)
      for (std::size_t b = a + 1; b < numbers.size(); ++b)
        for (const int first : values_near(numbers[a]))
          for (const int second : values_near(numbers[b])) {
            io::jobs::TrainingJob job = job_;
            set(job, numbers[a], first);
            set(job, numbers[b], second);
            job = followed(std::move(job));
            if (keeps_all(job))
              all.push_back({change(numbers[a], first) + ", " + change(numbers[b], second), std::move(job)});
          }
    return all;
  }

  /// Returns jobs whose degrees are as before, or powers of two next to that.
  std::vector<NearestJob> powers() const {
    std::vector<NearestJob> all;
    for (int choice = 0; choice < 243; ++choice) {
      io::jobs::TrainingJob job = job_;
      std::string changes;
      int rest = choice;
      for (const Number& number : numbers) {
        if (!number.divides) continue;
        const auto now = static_cast<unsigned>(std::max(1, number.of(job)));
        const unsigned value = rest % 3 == 0 ? now : rest % 3 == 1 ? std::bit_floor(now) : std::bit_ceil(now);
        rest /= 3;
        if (value == now) continue;
        set(job, number, static_cast<int>(value));
        changes += (changes.empty() ? "" : ", ") + change(number, static_cast<int>(value));
      }
      if (changes.empty()) continue;
      job = followed(std::move(job));
      if (keeps_all(job)) all.push_back({std::move(changes), std::move(job)});
    }
    return all;
  }

  const io::jobs::TrainingJob& stated_;
  const io::jobs::TrainingJob whole_;
  io::jobs::TrainingJob job_;
  const TransformerConfig* model_;
  const std::vector<std::string_view> sets_;
};

}  // namespace

JobCheck check_job(const io::jobs::TrainingJob& job, int devices, const TransformerConfig* model) {
  return Checker(job, devices, model).run();
}

}  // namespace pipedeck::study::engines
