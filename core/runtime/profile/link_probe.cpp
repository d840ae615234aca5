// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/profile/link_probe.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "core/runtime/cpu/one_core.hpp"
#include "core/runtime/machine/cores.hpp"
#include "core/runtime/transport/threads.hpp"

namespace pipedeck::runtime::profile {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int warm_up_rounds = 5, rounds = 40;
constexpr std::int64_t smallest = 16, largest = std::int64_t{1} << 20, growth = 4;  // floats

/// Both ends send the same keys: one for each direction, size and round.
transport::MessageKey key_of(bool back, int number) { return {back, StageId(0), number}; }

Link link_through(const std::vector<TransferPoint>& points) {
  std::vector<double> bytes, seconds;
  for (const TransferPoint& point : points) {
    bytes.push_back(static_cast<double>(point.bytes.count));
    seconds.push_back(point.seconds.median);
  }
  const machine::FittedLine line = machine::line_through(bytes, seconds);
  constexpr double fastest = 1e13;  // for a slope that is lost in the noise
  return {BytesPerSecond(line.slope > 1 / fastest ? 1 / line.slope : fastest), Seconds(line.at_zero)};
}

}  // namespace

LinkMeasurement time_transfers(transport::Endpoint& mine, std::size_t peer,
                               const std::shared_ptr<tensor::DeviceMemory>& memory) {
  LinkMeasurement measured;
  int number = 0;
  for (std::int64_t floats = smallest; floats <= largest; floats *= growth) {
    const tensor::Tensor ball = tensor::Tensor::zeros(memory, 1, floats);
    std::vector<double> times;
    for (int round = 0; round < warm_up_rounds + rounds; ++round, ++number) {
      const auto start = Clock::now();
      mine.send(peer, key_of(false, number), ball.slice(0, 1, memory));
      mine.receive(peer, key_of(true, number), 1, floats);
      if (round >= warm_up_rounds) times.push_back(std::chrono::duration<double>(Clock::now() - start).count() / 2);
    }
    measured.points.push_back({ball.bytes(), machine::summary_of(std::move(times))});
  }
  measured.link = link_through(measured.points);
  return measured;
}

LinkMeasurement measure_copies(const std::shared_ptr<tensor::DeviceMemory>& from,
                               const std::shared_ptr<tensor::DeviceMemory>& to) {
  constexpr std::int64_t largest_copy = std::int64_t{1} << 24;  // floats
  tensor::ComputeDevice& device = to->device();
  LinkMeasurement measured;
  for (std::int64_t floats = smallest; floats <= largest_copy; floats *= growth) {
    const tensor::Tensor ball = tensor::Tensor::zeros(from, 1, floats);
    tensor::Tensor there(to, 1, floats);
    device.wait(from->device().now());
    std::vector<std::pair<tensor::Completion, tensor::Completion>> spans;
    for (int round = 0; round < warm_up_rounds + rounds; ++round) {
      const tensor::Completion begin = device.now();
      device.copy(there.data(), ball.data(), floats);
      spans.emplace_back(begin, device.now());
    }
    device.synchronise();
    std::vector<double> times;
    for (std::size_t i = warm_up_rounds; i < spans.size(); ++i)
      times.push_back(std::chrono::duration<double>(spans[i].second.time() - spans[i].first.time()).count());
    measured.points.push_back({ball.bytes(), machine::summary_of(std::move(times))});
  }
  measured.link = link_through(measured.points);
  return measured;
}

void answer_transfers(transport::Endpoint& mine, std::size_t peer,
                      const std::shared_ptr<tensor::DeviceMemory>& memory) {
  int number = 0;
  for (std::int64_t floats = smallest; floats <= largest; floats *= growth)
    for (int round = 0; round < warm_up_rounds + rounds; ++round, ++number) {
      const transport::Message message = mine.receive(peer, key_of(false, number), 1, floats);
      mine.send(peer, key_of(true, number), message.tensor.slice(0, 1, memory));
    }
}

LinkMeasurement measure_thread_link() {
  const std::vector memories{std::make_shared<tensor::DeviceMemory>(), std::make_shared<tensor::DeviceMemory>()};
  transport::RunControl control(std::chrono::hours(1), {DeviceId(0), DeviceId(1)});
  control.enable_spin_wait(memories.size());
  transport::ThreadTransport transport(memories, control);
  std::jthread other([&] {
    machine::pin_to_core(1);
    answer_transfers(transport.endpoint(1), 0, memories[1]);
  });
  LinkMeasurement measured;
  cpu::run_on_worker_thread([&] {
    machine::pin_to_core(0);
    measured = time_transfers(transport.endpoint(0), 1, memories[0]);
  });
  return measured;
}

}  // namespace pipedeck::runtime::profile
