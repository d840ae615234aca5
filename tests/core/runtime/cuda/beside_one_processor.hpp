// SPDX-License-Identifier: Apache-2.0
// Trainings on GPUs joined by NCCL, compared with those on one processor: micro-batches of 4 samples, by default 3 in a
// batch, stochastic gradient descent.
#pragma once

#include <QTest>

#include <cmath>
#include <optional>
#include <vector>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cuda/device.hpp"
#include "tests/core/runtime/cuda/closeness.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"
#include "tests/core/runtime/cuda/training_on_gpus.hpp"
#ifdef PIPEDECK_CUDA_STAND_IN
#include "tests/support/cuda_stand_in/stand_in.hpp"
#endif

namespace pipedeck::test {

/// Begins a test; on the stand-in with eight GPUs.
inline void begin_on_eight_gpus() {
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::reset();
  cuda_stand_in::set_devices(8);
#endif
}

/// Ends a test. Nothing may be left on the stand-in.
inline void end_on_gpus() {
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::reset();
  QTRY_VERIFY2_WITH_TIMEOUT(cuda_stand_in::alive() == 0, cuda_stand_in::alive_words().c_str(), 20000);
#endif
}

inline bool enough_gpus(const Plan& plan) { return why_no_gpus(static_cast<int>(devices_used(plan).size())).isEmpty(); }

inline runtime::layers::Backend by_nccl(const Plan& plan,
                                        runtime::cuda::Precision precision = runtime::cuda::Precision::fp32) {
  auto backend = runtime::cuda::cuda_backend(gpu_module(), plan, precision, false);
  if (!backend) qFatal("%s", backend.error().text().c_str());
  return *std::move(backend);
}

/// `choices`: of the plan whose training is compared.
inline Trained on_one_processor(const ModelSpec& model, int steps = 3, int micro_batches = 3,
                                const std::optional<StepChoices>& choices = {}) {
  Plan single = plan_for(model, {1}, 4, micro_batches);
  single.optimizer = Optimizer::sgd, single.choices = choices;
  return trained_on(runtime::cpu::cpu_backend(), model, single, steps_of(steps));
}

/// Returns the root mean square of the difference of two lists of parameters.
inline double apart(const runtime::train::TrainedParameters& some, const runtime::train::TrainedParameters& others) {
  double sum = 0;
  if (some.layers.size() != others.layers.size()) return INFINITY;
  for (std::size_t i = 0; i < some.layers.size(); ++i)
    for (std::size_t j = 0; j < some.layers[i].size(); ++j)
      sum += std::pow(double{some.layers[i][j]} - double{others.layers[i][j]}, 2);
  return std::sqrt(sum);
}

/// Returns by how much of the movement of one processor's weights those of GPUs of this precision differ. Infinite if a
/// loss differs by 1 %.
inline double strayed(const ModelSpec& model, const Plan& plan, runtime::cuda::Precision precision,
                      Overlap overlap = Overlap::none, int steps = 3) {
  runtime::train::TrainOptions options = steps_of(steps);
  options.overlap = overlap;
  const Trained expected = on_one_processor(model, steps, plan.micro_batches, plan.choices),
                first = on_one_processor(model, 0, plan.micro_batches, plan.choices);
  const Trained found = trained_on(by_nccl(plan, precision), model, plan, options);
  if (!(loss_difference(found.log.losses(), expected.log.losses()) < 1e-2)) return INFINITY;
  return apart(found.parameters, expected.parameters) / apart(first.parameters, expected.parameters);
}

/// Returns true if two runs of the plan have equal bits.
inline bool repeats(const ModelSpec& model, const Plan& plan, runtime::cuda::Precision precision, int steps = 3) {
  const Trained once = trained_on(by_nccl(plan, precision), model, plan, steps_of(steps)),
                again = trained_on(by_nccl(plan, precision), model, plan, steps_of(steps));
  return !once.parameters.layers.empty() && once.parameters.layers == again.parameters.layers &&
         once.log.losses() == again.log.losses();
}

/// Verifies that the plan's training equals one processor's; on the stand-in with lazily loaded kernels, shared queues
/// and allocations that wait. Training connects no ranks.
inline void verify_strictly(const ModelSpec& spec, const Plan& plan, Overlap overlap, int steps = 3) {
  const Trained expected = on_one_processor(spec, steps, plan.micro_batches, plan.choices);
  std::vector<int> connections;
#ifdef PIPEDECK_CUDA_STAND_IN
  begin_on_eight_gpus();  // the driver reads its variables at the backend's first call
  cuda_stand_in::set_strictness({.lazy_loading = true, .hardware_queues = true, .allocation_waits = true});
  cuda_stand_in::set_delay(20);
#endif
  runtime::train::TrainOptions options = steps_of(steps);
  options.timeout = std::chrono::seconds(60), options.overlap = overlap;
  EventLog log;
  const auto found = runtime::train_with(by_nccl(plan), spec, plan, built(plan), options,
                                         [&, sink = log.sink()](const RunEvent& event) {
                                           sink(event);
#ifdef PIPEDECK_CUDA_STAND_IN
                                           if (std::holds_alternative<StepDone>(event))
                                             connections.push_back(cuda_stand_in::connections());
#endif
                                         });
  QVERIFY2(found.has_value(), found ? "" : found.error().text().c_str());
  VERIFY_BELOW(parameter_difference(*found, expected.parameters), trained_within(spec, sums_here().front()));
  VERIFY_BELOW(loss_difference(log.losses(), expected.log.losses()), trained_within(spec, sums_here().front()));
#ifdef PIPEDECK_CUDA_STAND_IN
  QCOMPARE(std::ssize(connections), std::ptrdiff_t{steps});
  QCOMPARE(connections.front(), connections.back());
  QCOMPARE(cuda_stand_in::loading_waits(), 0);
#endif
}

}  // namespace pipedeck::test
