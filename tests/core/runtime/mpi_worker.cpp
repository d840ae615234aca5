// SPDX-License-Identifier: Apache-2.0
// The program that mpi_runs.py starts under mpirun: processes that use the transport like a run, and check the received
// data.
//   mpi_worker MODULE exchange|train|idle|speed WORKERS
// train: random plans of every schedule, here and on threads of one process, with equal bits.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>

#include <QString>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/mpi/module.hpp"
#include "core/runtime/mpi/processes.hpp"
#include "core/runtime/train.hpp"
#include "tests/core/runtime/random_plans.hpp"

namespace pipedeck {
namespace {

using Memories = std::vector<std::shared_ptr<runtime::tensor::DeviceMemory>>;

Memories memories_of(std::size_t workers) {
  Memories memories(workers);
  for (auto& memory : memories) memory = std::make_shared<runtime::tensor::DeviceMemory>();
  return memories;
}

runtime::transport::RunControl control_of(std::size_t workers, std::chrono::milliseconds timeout) {
  std::vector<DeviceId> devices;
  for (std::size_t i = 0; i < workers; ++i) devices.emplace_back(static_cast<int>(i));
  return {timeout, devices};
}

float value(std::size_t from, std::size_t to, int round, std::size_t i) {
  return static_cast<float>(from * 1000 + to * 100 + static_cast<std::size_t>(round)) + static_cast<float>(i % 977) / 7;
}

/// Not exact in any order but one.
float addend(std::size_t worker, int round, std::size_t i) {
  return std::ldexp(1.0f + static_cast<float>((i * 31 + worker * 17 + static_cast<std::size_t>(round)) % 1000) / 1000,
                    static_cast<int>((i + worker * 5) % 24));
}

struct Checks {
  runtime::mpi::ProcessGroup& processes;
  runtime::transport::Transport& transport;
  runtime::transport::RunControl& control;
  Memories& memories;

  void messages(std::size_t worker, int round) const {
    runtime::transport::Endpoint& end = transport.endpoint(worker);
    const int samples = 1 + round % 3;
    const std::int64_t width = round % 5 == 4 ? 400000 : 1 + 37 * round;
    for (std::size_t to = 0; to < memories.size(); ++to) {
      if (to == worker) continue;
      for (const bool gradient : {true, false}) {
        runtime::tensor::Tensor tensor(memories[worker], samples, width);
        for (std::size_t i = 0; i < tensor.values().size(); ++i)
          tensor.values()[i] = value(worker, to, gradient ? -round : round, i);
        end.send(to, {gradient, StageId(static_cast<int>(worker)), round}, std::move(tensor));
      }
    }
    const auto take = [&](std::size_t from, runtime::transport::MessageKey key) {
      if (round % 2 == 0) return end.receive(from, key, samples, width);
      while (true)
        if (auto message = end.receive_within(from, key, std::chrono::milliseconds(5))) return *std::move(message);
    };
    for (std::size_t from = memories.size(); from-- > 0;) {
      if (from == worker) continue;
      const runtime::transport::MessageKey never{false, StageId(1000), round};
      ensure(!end.receive_within(from, never, std::chrono::milliseconds(1)), "what was not sent does not come");
      for (const bool gradient : {false, true}) {
        const runtime::transport::Message message = take(from, {gradient, StageId(static_cast<int>(from)), round});
        ensure(message.tensor.samples() == samples && message.tensor.width() == width, "a tensor keeps its shape");
        ensure(message.tensor.memory() == memories[worker], "a tensor counts where it arrives");
        for (std::size_t i = 0; i < message.tensor.values().size(); ++i)
          ensure(message.tensor.values()[i] == value(from, worker, gradient ? -round : round, i),
                 "a tensor keeps its values");
      }
    }
  }

  void collectives(runtime::transport::Collective& group, const std::vector<std::size_t>& members, int round) const {
    const auto me = static_cast<std::size_t>(group.rank());
    const std::size_t sizes[] = {0, 1, 5, 1000, 2200000};
    std::vector<float> values(sizes[static_cast<std::size_t>(round) % 5]);
    const auto fill = [&] {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = addend(members[me], round, i);
    };
    fill();
    group.all_reduce(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      float sum = addend(members[0], round, i);
      for (std::size_t m = 1; m < members.size(); ++m) sum += addend(members[m], round, i);
      ensure(values[i] == sum, "sums run in rank order");
    }
    fill();
    group.all_reduce_max(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      float most = addend(members[0], round, i);
      for (const std::size_t member : members) most = std::max(most, addend(member, round, i));
      ensure(values[i] == most, "the largest of all");
    }
    std::vector<std::size_t> counts;
    for (std::size_t m = 0; m < members.size(); ++m) counts.push_back((m * 7 + static_cast<std::size_t>(round)) % 13);
    std::size_t all_of_them = 0;
    for (const std::size_t count : counts) all_of_them += count;
    std::vector<float> mine(counts[me]), all(all_of_them);
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = addend(members[me], round, i);
    group.all_gather(mine, all, counts);
    std::size_t at = 0;
    for (std::size_t m = 0; m < members.size(); ++m)
      for (std::size_t i = 0; i < counts[m]; ++i) ensure(all[at++] == addend(members[m], round, i), "rank after rank");
    pieces(group, members, round, sizes[static_cast<std::size_t>(round) % 5]);
    const int root = round % group.size();
    fill();
    group.broadcast(root, values);
    for (std::size_t i = 0; i < values.size(); ++i)
      ensure(values[i] == addend(members[static_cast<std::size_t>(root)], round, i), "the root's values everywhere");
  }

  /// Reduces pieces of which one is long and some are empty, out of place and in place. Sends each pair its own number.
  void pieces(runtime::transport::Collective& group, const std::vector<std::size_t>& members, int round,
              std::size_t long_one) const {
    const auto me = static_cast<std::size_t>(group.rank());
    std::vector<std::size_t> counts;
    for (std::size_t m = 0; m < members.size(); ++m) counts.push_back((m * 5 + static_cast<std::size_t>(round)) % 3);
    counts[static_cast<std::size_t>(round) % members.size()] = long_one;
    std::vector<float> values(runtime::transport::offset_of(counts, members.size())), mine(counts[me]);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = addend(members[me], round, i);
    std::vector<float> sums = values;
    group.all_reduce(sums);
    const std::span<float> own = std::span(values).subspan(runtime::transport::offset_of(counts, me), counts[me]);
    const std::span<float> expected = std::span(sums).subspan(runtime::transport::offset_of(counts, me), counts[me]);
    group.reduce_scatter(values, mine, counts);
    ensure(std::ranges::equal(mine, expected), "the rank's piece of the sum");
    group.reduce_scatter(values, own, counts);
    ensure(std::ranges::equal(own, expected), "the rank's piece of the sum, in place");

    const auto between = [&](std::size_t from, std::size_t to) {
      return (from * 7 + to * 3 + static_cast<std::size_t>(round)) % 5;
    };
    std::vector<std::size_t> to_counts, from_counts;
    std::vector<float> to, from, wanted;
    for (std::size_t m = 0; m < members.size(); ++m) {
      to_counts.push_back(between(me, m)), from_counts.push_back(between(m, me));
      for (std::size_t i = 0; i < between(me, m); ++i) to.push_back(value(members[me], members[m], round, i));
      for (std::size_t i = 0; i < between(m, me); ++i) wanted.push_back(value(members[m], members[me], round, i));
    }
    from.resize(wanted.size());
    group.all_to_all(to, to_counts, from, from_counts);
    ensure(from == wanted, "each rank's values for this one, rank after rank");
  }
};

/// No rank sends before all are there.
void get_ready(runtime::mpi::ProcessGroup& processes) {
  processes.gather("ready");
  processes.any_of(false);
}

/// `work` on a thread for each worker here; false where one was interrupted.
template <class Work>
bool on_threads(runtime::mpi::ProcessGroup& processes, runtime::transport::Transport& transport,
                runtime::transport::RunControl& control, std::size_t workers, Work work) {
  std::vector<std::thread> threads;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    if (!transport.is_local(worker)) continue;
    threads.emplace_back([&, worker] {
      try {
        work(worker);
      } catch (const runtime::transport::Interrupted&) {
      } catch (const std::exception& error) {
        control.fail({ErrorCode::run_failed, error.what(), {}, {}});
      }
      control.set_idle(worker);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return processes.collect("done").has_value() && !control.failure();
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](timeval time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void exchange(runtime::mpi::ProcessGroup& processes, runtime::transport::Transport& transport,
              runtime::transport::RunControl& control, Memories& memories) {
  const Checks checks{processes, transport, control, memories};
  std::vector<std::size_t> everybody, odd, reversed;
  for (std::size_t i = 0; i < memories.size(); ++i) everybody.push_back(i);
  for (std::size_t i = 1; i < memories.size(); i += 2) odd.push_back(i);
  reversed.assign(everybody.rbegin(), everybody.rend());
  const std::vector<std::vector<std::size_t>> lists{everybody, odd, everybody, reversed};
  std::vector<std::vector<std::unique_ptr<runtime::transport::Collective>>> groups(memories.size());
  for (std::size_t worker = 0; worker < memories.size(); ++worker)
    for (const auto& list : lists)
      groups[worker].push_back(transport.is_local(worker) && std::count(list.begin(), list.end(), worker) > 0
                                   ? transport.join(list, worker)
                                   : nullptr);
  get_ready(processes);
  on_threads(processes, transport, control, memories.size(), [&](std::size_t worker) {
    for (int round = 1; round <= 10; ++round) {
      control.set_activity(
          worker, {{OpKind::forward, StageId(0), round}, runtime::transport::WaitReason::activation, false, {}});
      checks.messages(worker, round);
      for (std::size_t list = 0; list < lists.size(); ++list)
        if (groups[worker][list]) checks.collectives(*groups[worker][list], lists[list], round);
    }
  });
}

/// Returns whether this plan trains to the same bits as on threads.
bool same_bits(const std::shared_ptr<runtime::mpi::ProcessGroup>& processes, const ModelSpec& model, const Plan& plan) {
  if (devices_used(plan).size() < static_cast<std::size_t>(processes->size())) return true;
  const Schedule schedule = test::built(plan);
  runtime::train::TrainOptions options;
  options.steps = 3;
  const runtime::train::RunEnvironment site{
      [processes](const Memories& memories, runtime::transport::RunControl& control) {
        return processes->connect(memories, control);
      },
      processes};
  std::vector<double> far_losses, near_losses;
  const auto into = [](std::vector<double>& losses) {
    return [&losses](const RunEvent& event) {
      if (const auto* step = std::get_if<StepDone>(&event)) losses.push_back(step->loss);
    };
  };
  const auto far =
      runtime::train_with(runtime::cpu::cpu_backend(), model, plan, schedule, options, into(far_losses), {}, site);
  if (!processes->is_rank_zero()) return far.has_value();
  const auto near = runtime::train_on_cpu(model, plan, schedule, options, into(near_losses));
  if (!far || !near) {
    std::fprintf(stderr, "%s\n", (far ? near : far).error().text().c_str());
    return false;
  }
  return far->layers == near->layers && far_losses == near_losses && near_losses.size() == 3;
}

bool train(const std::shared_ptr<runtime::mpi::ProcessGroup>& processes) {
  bool all = true;
  int trained = 0;
  for (const ScheduleTraits& info : all_schedules) {
    if (info.kind == ScheduleKind::explicit_order) continue;
    test::Draw random(static_cast<unsigned>(info.kind) + 1);
    Plan plan;
    ModelSpec model = test::small_mlp();
    if (asynchronous(info.kind)) {
      plan = test::plan_for(model, {2, 1, 1}, 4, 8);
      plan.schedule = info.kind;
    } else {
      const auto needs = test::needs_of(info.kind, 4, random);
      model = test::random_model(random, 4 * needs.chunks);
      plan = test::random_plan(model, info.kind, 4, needs, random);
    }
    const bool same = same_bits(processes, model, plan);
    if (!same) std::fprintf(stderr, "%s: other bits than on threads\n", info.name.data());
    all = all && same;
    ++trained;
  }
  for (const int level : {1, 2, 3}) {  // sharded states of groups of two ranks, with two copies
    const ModelSpec model = test::small_gpt(3);
    Plan plan = test::plan_for(model, {4, 4}, 8, 4);
    plan.sharding = {level, 2, Reshard::after_forward, CopySync::each_step};
    plan.choices.emplace();  // gathers weights ahead
    const bool same = same_bits(processes, model, plan);
    if (!same) std::fprintf(stderr, "sharding level %d: other bits than on threads\n", level);
    all = all && same;
  }
  for (const auto& [tensor, experts, columns] : {std::tuple{1, 4, 1}, {2, 2, 2}, {2, 8, 1}}) {  // of eight ranks
    ModelSpec model = test::small_mixtral(1, 8, 4, 10);
    model.layers[2].sizes["experts"] = 8, model.layers[2].sizes["per_token"] = 1;  // some ranks get no rows
    Plan plan = test::plan_for(model, {8}, 8 / tensor, 2);
    plan.stages[0].tensor_parallel = tensor;
    plan.stages[0].degrees.expert = experts, plan.stages[0].degrees.expert_tensor = columns;
    plan.sharding.level = tensor;
    const bool same = same_bits(processes, model, plan);
    if (!same) std::fprintf(stderr, "%d x %d expert ranks: other bits than on threads\n", experts, columns);
    all = all && same;
  }
  if (processes->is_rank_zero()) std::printf("%d schedules trained\n", trained);
  return all && trained > 10;
}

void idle(runtime::mpi::ProcessGroup& processes) {
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::seconds(4));
  const double used = (cpu_seconds() - before) / 4;
  for (const std::string& one : processes.gather(std::to_string(used))) std::printf("idle %s\n", one.c_str());
}

/// Round trips and one-way bandwidth between the first and the last worker.
void speed(runtime::mpi::ProcessGroup& processes, runtime::transport::Transport& transport,
           runtime::transport::RunControl& control, Memories& memories) {
  const std::size_t last = memories.size() - 1;
  for (const std::int64_t width :
       {std::int64_t{1}, std::int64_t{1} << 14, std::int64_t{1} << 18, std::int64_t{1} << 22}) {
    const int rounds = width > 100000 ? 20 : 200;
    const auto begin = runtime::tensor::RunClock::now();
    on_threads(processes, transport, control, memories.size(), [&](std::size_t worker) {
      for (int i = 0; i < rounds && (worker == 0 || worker == last); ++i) {
        control.set_activity(worker, {{}, runtime::transport::WaitReason::activation, false, {}});
        if (worker == 0)
          transport.endpoint(0).send(last, {false, {}, i}, runtime::tensor::Tensor::zeros(memories[0], 1, width));
        transport.endpoint(worker).receive(worker == 0 ? last : 0, {false, {}, i}, 1, width);
        if (worker == last)
          transport.endpoint(last).send(0, {false, {}, i}, runtime::tensor::Tensor::zeros(memories[last], 1, width));
      }
    });
    const double one_way = std::chrono::duration<double>(runtime::tensor::RunClock::now() - begin).count() / rounds / 2;
    if (processes.is_rank_zero())
      std::printf("%9lld bytes: %8.1f us, %.2f GB/s\n", static_cast<long long>(width * 4), 1e6 * one_way,
                  static_cast<double>(width) * 4e-9 / one_way);
    get_ready(processes);
  }
}

int main_of(const std::string& module, const std::string& what, std::size_t workers) {
  const auto wire = runtime::mpi::wire_in(module);
  if (!wire) return std::fprintf(stderr, "%s\n", wire.error().text().c_str()), 2;
  constexpr std::chrono::milliseconds timeout(60000);
  auto joined = runtime::mpi::ProcessGroup::join(**wire, timeout);
  if (!joined) return std::fprintf(stderr, "%s\n", joined.error().text().c_str()), 4;
  const std::shared_ptr<runtime::mpi::ProcessGroup> shared = std::move(*joined);
  runtime::mpi::ProcessGroup& processes = *shared;
  bool well = what != "train" || train(shared);
  Memories memories = memories_of(workers);
  runtime::transport::RunControl control = control_of(workers, timeout);
  {
    const auto transport = processes.connect(memories, control);
    control.begin_step();
    get_ready(processes);
    if (what == "exchange") exchange(processes, *transport, control, memories);
    if (what == "idle") idle(processes);
    if (what == "speed") speed(processes, *transport, control, memories);
  }
  if (const auto failure = control.failure()) {
    if (processes.is_reporter()) std::fprintf(stderr, "failed: %s\n", failure->text().c_str());
    processes.abort(4);
  }
  if (processes.is_rank_zero() && well) std::printf("all is well\n");
  std::fflush(stdout);
  well = processes.disconnect() && well;
  return well ? 0 : 1;
}

}  // namespace
}  // namespace pipedeck

int main(int count, char** arguments) {
  if (count != 4) return 2;
  return pipedeck::main_of(arguments[1], arguments[2], static_cast<std::size_t>(std::atoi(arguments[3])));
}
