// SPDX-License-Identifier: Apache-2.0
#include "core/study/capacity/size_candidates.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pipedeck::study::capacity {
namespace {

constexpr std::int64_t max_layers = 4096, max_hidden = 1 << 18, max_sequence = 1 << 22;
constexpr std::int64_t max_micro_batches = 1024;  ///< in a batch: more change neither memory nor pace
constexpr std::int64_t sequence_step = 128;

std::int64_t batch_increment(const Request& question, const CapacityPoint& point) {
  if (point.micro_batch > 0) return point.micro_batch;
  return question.model ? std::max(1, question.model->options.micro_batch)
                        : smallest_measured_micro_batch(*question.problem.profile);
}

/// Returns the default steps.
SizeSteps usual_steps(const Request& question, const CapacityPoint& point, SizeKind kind) {
  switch (kind) {
    case SizeKind::layers:
      return {1, max_layers};
    case SizeKind::hidden:
      return {hidden_step(question.model->read.config), max_hidden};
    case SizeKind::sequence:
      return {sequence_step, max_sequence};
    case SizeKind::micro_batch:
      return {1, point.global_batch};
    case SizeKind::global_batch:
      return {batch_increment(question, point), max_micro_batches * batch_increment(question, point)};
  }
  return {};
}

Result<void> check(const Request& question, SizeKind kind, const SizeSteps& steps) {
  if (requires_transformer(kind) && !question.model)
    return fail(ErrorCode::bad_usage,
                fmt::format("found a profile ('{}') without a transformer configuration, so that its {} cannot change, "
                            "expected one imported from the model's config.json",
                            question.problem.profile->name, kind == SizeKind::hidden ? "hidden size" : "sequence"));
  if (kind == SizeKind::layers && !question.model) TRY_VOID(with_layers(*question.problem.profile, 1));
  if (kind == SizeKind::hidden && steps.step > 0)
    if (const std::int64_t least = hidden_step(question.model->read.config); steps.step % least != 0)
      return fail(ErrorCode::bad_usage,
                  fmt::format("found a step of {}, expected a multiple of {}, a head of keys with those of its queries",
                              steps.step, least));
  return {};
}

Request resized(Request question, SizeKind kind, int size) {
  if (kind == SizeKind::layers && !question.model) {
    Result<Profile> profile = with_layers(*question.problem.profile, size);
    ensure(profile.has_value(), "a profile that can have one layer can have more");
    question.problem.profile = std::make_shared<const Profile>(*std::move(profile));
  } else if (kind == SizeKind::layers) {
    question.model->read.config = with_layers(question.model->read.config, size);
  } else if (kind == SizeKind::hidden) {
    question.model->read.config = with_hidden(question.model->read.config, size);
  } else if (kind == SizeKind::sequence) {
    question.model->read.config = with_sequence(question.model->read.config, size);
    question.model->options.sequence = size;
  }
  return question;
}

}  // namespace

Result<SizeCandidates> size_candidates(const Request& question, const CapacityPoint& point, SizeKind kind,
                                       const SizeSteps& steps, const whatif::DeviceCatalogue& catalogue) {
  TRY_VOID(check(question, kind, steps));
  const SizeSteps usual = usual_steps(question, point, kind);
  const std::int64_t step = steps.step > 0 ? steps.step : usual.step, most = steps.most > 0 ? steps.most : usual.most;
  SizeCandidates ladder;
  ladder.sizes = kind == SizeKind::micro_batch ? divisors(point.global_batch) : sizes_by_step(step, most);
  // Smaller micro-batches than were measured have no times.
  const std::int64_t least =
      kind == SizeKind::micro_batch && !question.model ? smallest_measured_micro_batch(*question.problem.profile) : 1;
  std::erase_if(ladder.sizes, [&](std::int64_t size) { return size < least || size > most; });
  if (ladder.sizes.empty())
    return fail(ErrorCode::bad_usage,
                fmt::format("found sizes up to {}, expected at least one step of {}", most, step));
  ladder.make_problem = [question, point, kind, catalogue](std::int64_t size) {
    CapacityPoint at = point;
    if (kind == SizeKind::micro_batch) at.micro_batch = static_cast<int>(size);
    if (kind == SizeKind::global_batch) at.global_batch = static_cast<int>(size);
    return problem_at(resized(question, kind, static_cast<int>(size)), at, catalogue);
  };
  return ladder;
}

}  // namespace pipedeck::study::capacity
