// SPDX-License-Identifier: Apache-2.0
// How long a sweep over 1,000 points takes: BERT-48 and a transformer of 7 billion parameters on five device types, 1
// to 25 nodes of eight, two batches and four micro-batches; then the same from what is kept, and the largest that fits.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#include <fmt/format.h>

#include "core/io/documents/capacity.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/study/capacity/size_candidates.hpp"
#include "core/study/capacity/sweep.hpp"

using namespace pipedeck;

namespace {

using Clock = std::chrono::steady_clock;
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Llama 2 7B's shape.
study::capacity::Model seven_billion() {
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

study::capacity::Request question_of(bool measured) {
  study::capacity::Request question;
  question.problem.cluster = std::make_shared<const Cluster>(*presets::cluster_preset("dapple-a"));
  question.problem.profile = std::make_shared<const Profile>(*presets::profile_preset("BERT-48"));
  if (measured) return question;
  question.model = seven_billion();
  question.problem.workload.precision = Precision::mixed_16;
  return question;
}

void sweep(const char* name, const study::capacity::Request& question, int threads) {
  study::capacity::Space space{
      {"V100-32GB", "A100-40GB", "A100-80GB", "H100-SXM", "H200"}, {}, {256, 512}, {2, 4, 8, 16}};
  for (int nodes = 1; nodes <= 25; ++nodes) space.nodes.push_back(nodes);
  const std::vector<CapacityPoint> points = study::capacity::capacity_cache(space);
  const study::capacity::ProblemAt at = [&](const CapacityPoint& point) {
    return study::capacity::problem_at(question, point, presets::device_catalogue());
  };
  auto begin = Clock::now();
  const double before = processor_seconds();
  const auto found =
      study::capacity::sweep_capacity(points, at, study::capacity::capacity_planners(), {}, {threads, {}, {}, {}});
  const auto fit = std::ranges::count_if(*found, [](const CapacityFound& one) { return one.fits(); });
  fmt::print("{:<10} {} points, {} of them fit, in {:.1f} s, {:.1f} s of a processor\n", name, points.size(), fit,
             seconds_since(begin), processor_seconds() - before);
  io::documents::CapacityPoints kept;
  for (const CapacityFound& one : *found) kept.found.emplace(one.point, one);
  begin = Clock::now();
  const std::string text = io::documents::capacity_points_to_json(kept);
  const auto read = io::documents::capacity_points_from_json(text);
  fmt::print("{:<10} {:.1f} MB kept, written and read in {:.2f} s\n", name, static_cast<double>(text.size()) / 1e6,
             read ? seconds_since(begin) : -1);
}

void largest(const study::capacity::Request& question, study::capacity::SizeKind kind) {
  const CapacityPoint point{"A100-80GB", 2, 64, 0};
  const auto ladder = study::capacity::size_candidates(question, point, kind, {}, presets::device_catalogue());
  const auto begin = Clock::now();
  const auto found = study::capacity::find_largest(*ladder, point, study::capacity::capacity_planners(), {});
  fmt::print("largest {:<13} {:>8}, {} sizes planned for in {:.1f} s\n", study::capacity::name_of(kind),
             found->size.value_or(0), found->tried.size(), seconds_since(begin));
}

}  // namespace

int main() {
  const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  sweep("BERT-48", question_of(true), threads);
  sweep("7B", question_of(false), threads);
  for (const study::capacity::SizeKind kind :
       {study::capacity::SizeKind::layers, study::capacity::SizeKind::hidden, study::capacity::SizeKind::sequence,
        study::capacity::SizeKind::micro_batch, study::capacity::SizeKind::global_batch})
    largest(question_of(false), kind);
  return 0;
}
