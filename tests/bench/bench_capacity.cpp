// SPDX-License-Identifier: Apache-2.0
// How long a sweep over 1,000 points takes: BERT-48 and a transformer of 7 billion parameters on five device types, 1
// to 25 nodes of eight, two batches and four micro-batches; then the same from what is kept, and the largest that fits.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#include <fmt/format.h>

#include "core/io/capacity_json.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/whatif/capacity_sweep.hpp"
#include "core/whatif/size_ladder.hpp"

using namespace pipedeck;

namespace {

using Clock = std::chrono::steady_clock;
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Llama 2 7B's shape.
CapacityModel seven_billion() {
  TransformerConfig config;
  config.name = "7B";
  config.family = "llama";
  config.hidden = 4096;
  config.layers = config.heads = config.key_value_heads = 32;
  config.head_width = 128;
  config.feed_forward = 11008;
  config.gated = true;
  config.vocabulary = 32000;
  config.longest = 4096;
  config.norm = NormKind::rms;
  return {{config, {}}, {}, {}};
}

CapacityQuestion question_of(bool measured) {
  CapacityQuestion question;
  question.problem.cluster = std::make_shared<const Cluster>(*cluster_preset("dapple-a"));
  question.problem.profile = std::make_shared<const Profile>(*profile_preset("BERT-48"));
  if (measured) return question;
  question.model = seven_billion();
  question.problem.workload.precision = Precision::mixed_16;
  return question;
}

void sweep(const char* name, const CapacityQuestion& question, int threads) {
  CapacitySpace space{{"V100-32GB", "A100-40GB", "A100-80GB", "H100-SXM", "H200"}, {}, {256, 512}, {2, 4, 8, 16}};
  for (int nodes = 1; nodes <= 25; ++nodes) space.nodes.push_back(nodes);
  const std::vector<CapacityPoint> points = capacity_points(space);
  const ProblemAt at = [&](const CapacityPoint& point) { return problem_at(question, point, device_catalogue()); };
  auto begin = Clock::now();
  const double before = processor_seconds();
  const auto found = sweep_capacity(points, at, capacity_planners(), {}, {threads, {}, {}, {}});
  const auto fit = std::ranges::count_if(*found, [](const CapacityFound& one) { return one.fits(); });
  fmt::print("{:<10} {} points, {} of them fit, in {:.1f} s, {:.1f} s of a processor\n", name, points.size(), fit,
             seconds_since(begin), processor_seconds() - before);
  CapacityPoints kept;
  for (const CapacityFound& one : *found) kept.found.emplace(one.point, one);
  begin = Clock::now();
  const std::string text = capacity_points_to_json(kept);
  const auto read = capacity_points_from_json(text);
  fmt::print("{:<10} {:.1f} MB kept, written and read in {:.2f} s\n", name, static_cast<double>(text.size()) / 1e6,
             read ? seconds_since(begin) : -1);
}

void largest(const CapacityQuestion& question, SizeKind kind) {
  const CapacityPoint point{"A100-80GB", 2, 64, 0};
  const auto ladder = size_ladder(question, point, kind, {}, device_catalogue());
  const auto begin = Clock::now();
  const auto found = find_largest(*ladder, point, capacity_planners(), {});
  fmt::print("largest {:<13} {:>8}, {} sizes planned for in {:.1f} s\n", name_of(kind), found->size.value_or(0),
             found->tried.size(), seconds_since(begin));
}

}  // namespace

int main() {
  const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  sweep("BERT-48", question_of(true), threads);
  sweep("7B", question_of(false), threads);
  for (const SizeKind kind :
       {SizeKind::layers, SizeKind::hidden, SizeKind::sequence, SizeKind::micro_batch, SizeKind::global_batch})
    largest(question_of(false), kind);
  return 0;
}
