// SPDX-License-Identifier: Apache-2.0
// Workers on GPUs, or their stand-ins, joined by NCCL: values, orders, and how it ends when a rank is lost.
#include <QtTest>

#include <atomic>
#include <barrier>
#include <future>
#include <numeric>
#include <thread>

#include "core/runtime/cuda/nccl_estimate.hpp"
#include "core/runtime/cuda/nccl_transport.hpp"
#include "core/runtime/transport/threads.hpp"
#include "tests/core/runtime/cuda/closeness.hpp"
#include "tests/core/runtime/cuda/on_device.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"
#ifdef PIPEDECK_CUDA_STAND_IN
#include "tests/support/cuda_stand_in/stand_in.hpp"
#endif

using namespace pipedeck;
using namespace pipedeck::test;
using namespace std::chrono_literals;
using runtime::cuda::CudaDevice;
using runtime::cuda::NcclTransport;

namespace {

/// As many workers as a test has, each on a GPU and a thread of its own.
class Workers {
 public:
  explicit Workers(std::size_t count, std::chrono::milliseconds timeout = 20s, std::size_t gpus = 100)
      : control_(timeout, devices(count)) {
    std::map<std::size_t, runtime::cuda::NcclDevice> workers;
    std::vector<std::shared_ptr<runtime::tensor::DeviceMemory>> hosts;
    std::vector<std::size_t> everybody;
    runtime::transport::WorkerLinks links;
    for (std::size_t i = 0; i < count; ++i) {
      const int gpu = static_cast<int>(i % gpus);
      memories_.push_back(std::make_shared<runtime::tensor::DeviceMemory>(
          std::make_shared<CudaDevice>(gpu, runtime::cuda::Precision::fp32)));
      hosts.push_back(std::make_shared<runtime::tensor::DeviceMemory>());
      workers.emplace(i, runtime::cuda::NcclDevice(memories_.back()));
      everybody.push_back(i);
      for (std::size_t other = 0; other < count; ++other)
        if (other != i) links.paths.push_back({i, other});
    }
    links.groups.assign(2, everybody);
    transport_ = std::make_unique<NcclTransport>(std::move(workers), count,
                                                 std::make_unique<runtime::transport::ThreadTransport>(hosts, control_),
                                                 links, control_);
  }

  NcclTransport& transport() { return *transport_; }
  runtime::transport::RunControl& control() { return control_; }
  const std::shared_ptr<runtime::tensor::DeviceMemory>& memory(std::size_t worker) { return memories_[worker]; }

  runtime::tensor::Tensor tensor(std::size_t worker, const std::vector<float>& values) {
    runtime::tensor::Tensor made(memories_[worker], 1, static_cast<std::int64_t>(values.size()));
    memories_[worker]->device().upload(
        made.values(), [&](std::span<float> to) { std::copy(values.begin(), values.end(), to.begin()); });
    return made;
  }
  std::vector<float> read(const runtime::tensor::Tensor& tensor) {
    std::vector<float> values(static_cast<std::size_t>(tensor.size()));
    tensor.memory()->device().download(values, tensor.data());
    return values;
  }

  /// work(worker) on all threads; what they throw fails the run.
  template <class Work>
  void run(const Work& work) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < memories_.size(); ++i)
      threads.emplace_back([&, i] {
        control_.set_activity(
            i, {Operation{}, runtime::transport::WaitReason::nothing, false, runtime::tensor::RunClock::now()});
        runtime::cuda::fail_run(control_, "worker " + std::to_string(i), [&] {
          transport_->connect(i);
          work(i);
        });
        control_.set_idle(i);
      });
    for (std::thread& thread : threads) thread.join();
  }
  QByteArray failure() const {
    const auto found = control_.failure();
    return found ? QByteArray::fromStdString(found->message) : QByteArray();
  }

 private:
  static std::vector<DeviceId> devices(std::size_t count) {
    std::vector<DeviceId> all;
    for (std::size_t i = 0; i < count; ++i) all.emplace_back(static_cast<int>(i));
    return all;
  }
  runtime::transport::RunControl control_;
  std::vector<std::shared_ptr<runtime::tensor::DeviceMemory>> memories_;
  std::unique_ptr<NcclTransport> transport_;
};

}  // namespace

class TestCudaNccl : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase();
  void init();
  void cleanup();

  void collectives_data();
  void collectives();
  void messagesInAnyOrder_data();
  void messagesInAnyOrder();
  void groupsThatDoNotMeet();
  void allReducesAreTimedBesideNcclsEstimate_data();
  void allReducesAreTimedBesideNcclsEstimate();
#ifdef PIPEDECK_CUDA_STAND_IN
  void anOlderNcclHasNoEstimates();
  void aMeasuredAllReduceFails();
  void aTransferDoesNotWaitForComputing();
  void connectionsAreMadeBeforeTheFirstStep();
  void aFirstCallToALostRankEnds();
  void aBlockIsFilledAgainWhenItWasRead();
  void anAbortedReceiveLeavesItsMemory();
  void aLostRank();
  void aRankThatDoesNotCome();
  void twoWorkersOnOneGpu();
  void everyCallFailsOnce();
#endif

 private:
  static void sizes() {
    QTest::addColumn<int>("workers");
    QTest::newRow("2 workers") << 2;
    QTest::newRow("3 workers") << 3;
  }
  static bool enough(int workers) { return why_no_gpus(workers).isEmpty(); }
};

void TestCudaNccl::initTestCase() {
#ifndef PIPEDECK_CUDA_STAND_IN
  SKIP_WITHOUT_GPU(2);
#endif
}
void TestCudaNccl::init() {
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::reset();
  cuda_stand_in::set_devices(4);
  cuda_stand_in::set_delay(300);
#endif
}
void TestCudaNccl::cleanup() {
#ifdef PIPEDECK_CUDA_STAND_IN
  QVERIFY2(cuda_stand_in::alive() == 0, cuda_stand_in::alive_words().c_str());
#endif
}

void TestCudaNccl::collectives_data() { sizes(); }
void TestCudaNccl::collectives() {
  QFETCH(int, workers);
  if (!enough(workers)) QSKIP("too few GPUs");
  const auto count = static_cast<std::size_t>(workers);
  Workers all(count);
  std::vector<std::size_t> members(count);
  std::iota(members.begin(), members.end(), std::size_t{0});
  // Made one after the other by one thread, as a run does.
  std::vector<std::unique_ptr<runtime::transport::Collective>> ends;
  for (const std::size_t member : members) ends.push_back(all.transport().join(members, member));

  std::vector<std::vector<float>> given;
  std::vector<std::size_t> uneven;
  Random random(21);
  for (std::size_t i = 0; i < count; ++i) {
    given.push_back(random_values(37, random));
    uneven.push_back(3 + 2 * i);
  }
  // Pieces of 37 values, some of them empty; rank i sends 2 i + r values to rank r.
  std::vector<std::size_t> pieces(count, 0);
  pieces[0] = 37 - 9, pieces[count - 1] = 9;
  const auto sent = [](std::size_t from, std::size_t to) { return 2 * from + to; };
  std::vector<float> sums(37), most = given[0], together, even;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += given[i][k], most[k] = std::max(most[k], given[i][k]);
    together.insert(together.end(), given[i].begin(), given[i].begin() + static_cast<std::ptrdiff_t>(uneven[i]));
    even.insert(even.end(), given[i].begin(), given[i].begin() + 5);
  }
  std::vector<std::vector<std::vector<float>>> found(count);
  all.run([&](std::size_t i) {
    runtime::transport::Collective& end = *ends[i];
    if (end.rank() != static_cast<int>(i) || end.size() != workers) throw std::logic_error("another rank");
    runtime::tensor::Tensor a = all.tensor(i, given[i]), b = all.tensor(i, given[i]), c = all.tensor(i, given[i]);
    const std::vector<std::size_t> alike(count, 5);
    runtime::tensor::Tensor gathered(all.memory(i), 1, static_cast<std::int64_t>(together.size()));
    runtime::tensor::Tensor gathered_alike(all.memory(i), 1, static_cast<std::int64_t>(even.size()));
    end.all_reduce(a.values());
    end.all_reduce_max(b.values());
    end.all_gather(std::as_const(c).values().first(uneven[i]), gathered.values(), uneven);
    end.all_gather(std::as_const(c).values().first(5), gathered_alike.values(), alike);
    runtime::tensor::Tensor d = all.tensor(i, given[i]), e = all.tensor(i, given[i]);
    runtime::tensor::Tensor piece(all.memory(i), 1, static_cast<std::int64_t>(std::max<std::size_t>(1, pieces[i])));
    runtime::tensor::Tensor piece_alike(all.memory(i), 1, 5);
    std::vector<std::size_t> to_counts, from_counts;
    for (std::size_t peer = 0; peer < count; ++peer)
      to_counts.push_back(sent(i, peer)), from_counts.push_back(sent(peer, i));
    const std::size_t out = runtime::transport::offset_of(to_counts, count),
                      in = runtime::transport::offset_of(from_counts, count);
    runtime::tensor::Tensor arrived(all.memory(i), 1, static_cast<std::int64_t>(std::max<std::size_t>(1, in)));
    end.reduce_scatter(std::as_const(d).values(), piece.values().first(pieces[i]), pieces);
    end.reduce_scatter(std::as_const(d).values().first(5 * count), piece_alike.values(), alike);
    end.reduce_scatter(std::as_const(e).values(),
                       e.values().subspan(runtime::transport::offset_of(pieces, i), pieces[i]), pieces);
    end.all_to_all(std::as_const(d).values().first(out), to_counts, arrived.values().first(in), from_counts);
    end.broadcast(workers - 1, c.values());
    for (const runtime::tensor::Tensor* tensor :
         {&a, &b, &gathered, &gathered_alike, &c, &piece, &piece_alike, &e, &arrived})
      found[i].push_back(all.read(*tensor));
  });
  QCOMPARE(all.failure(), QByteArray());
  for (std::size_t i = 0; i < count; ++i) {
    VERIFY_BELOW(apart(found[i][0], sums), 1e-6);
    QCOMPARE(found[i][0], found[0][0]);  // the same bits
    QCOMPARE(found[i][1], most);
    QCOMPARE(found[i][2], together);
    QCOMPARE(found[i][3], even);
    QCOMPARE(found[i][4], given[count - 1]);
    const auto part = [](const std::vector<float>& of, std::size_t first, std::size_t number) {
      const auto begin = of.begin() + static_cast<std::ptrdiff_t>(first);
      return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(number));
    };
    const std::size_t own = runtime::transport::offset_of(pieces, i);
    VERIFY_BELOW(apart(part(found[i][5], 0, pieces[i]), part(sums, own, pieces[i])), 1e-6);
    VERIFY_BELOW(apart(found[i][6], part(sums, 5 * i, 5)), 1e-6);
    VERIFY_BELOW(apart(part(found[i][7], own, pieces[i]), part(sums, own, pieces[i])), 1e-6);
    std::size_t at = 0;
    for (std::size_t peer = 0; peer < count; at += sent(peer, i), ++peer) {
      std::size_t before = 0;
      for (std::size_t other = 0; other < i; ++other) before += sent(peer, other);
      QCOMPARE(part(found[i][8], at, sent(peer, i)), part(given[peer], before, sent(peer, i)));
    }
  }
}

void TestCudaNccl::messagesInAnyOrder_data() { sizes(); }
void TestCudaNccl::messagesInAnyOrder() {
  QFETCH(int, workers);
  if (!enough(workers)) QSKIP("too few GPUs");
  const auto count = static_cast<std::size_t>(workers);
  constexpr int messages = 12;
  Workers all(count);
  const auto width = [](int n) { return 5 + n % 3; };
  const auto value = [](std::size_t from, std::size_t to, int n) {
    return static_cast<float>(1000 * from + 100 * to) + static_cast<float>(n);
  };
  std::atomic<int> right{0};
  all.run([&](std::size_t me) {
    // All send all first, and ask for what comes in an order of their own.
    for (int n = 0; n < messages; ++n)
      for (std::size_t to = 0; to < count; ++to)
        if (to != me)
          all.transport().endpoint(me).send(
              to, {n % 2 == 1, StageId(static_cast<int>(me)), n},
              all.tensor(me, std::vector<float>(static_cast<std::size_t>(width(n)), value(me, to, n))));
    std::vector<int> order(messages);
    std::iota(order.begin(), order.end(), 0);
    Random random(31 + me);
    for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random.uniform_int(i + 1)]);
    for (const int n : order)
      for (std::size_t from = count; from-- > 0;) {
        if (from == me) continue;
        const runtime::transport::Message message =
            all.transport().endpoint(me).receive(from, {n % 2 == 1, StageId(static_cast<int>(from)), n}, 1, width(n));
        right += all.read(message.tensor) == std::vector<float>(static_cast<std::size_t>(width(n)), value(from, me, n));
      }
  });
  QCOMPARE(all.failure(), QByteArray());
  QCOMPARE(right.load(), messages * workers * (workers - 1));
}

void TestCudaNccl::groupsThatDoNotMeet() {
  Workers all(2);
  std::vector<std::unique_ptr<runtime::transport::Collective>> first, second;
  for (const std::size_t member : {0u, 1u}) {
    first.push_back(all.transport().join({0, 1}, member));
    second.push_back(all.transport().join({0, 1}, member));
  }
  std::array<std::vector<float>, 2> a, b;
  all.run([&](std::size_t i) {
    runtime::tensor::Tensor x = all.tensor(i, {1}), y = all.tensor(i, {10});
    first[i]->all_reduce(x.values());
    second[i]->all_reduce(y.values());
    a[i] = all.read(x), b[i] = all.read(y);
  });
  QCOMPARE(all.failure(), QByteArray());
  QCOMPARE(a[1], std::vector<float>{2});
  QCOMPARE(b[0], std::vector<float>{20});
}

namespace {

std::vector<std::shared_ptr<runtime::tensor::DeviceMemory>> memories_on(int gpus) {
  std::vector<std::shared_ptr<runtime::tensor::DeviceMemory>> memories;
  for (int gpu = 0; gpu < gpus; ++gpu)
    memories.push_back(std::make_shared<runtime::tensor::DeviceMemory>(
        std::make_shared<CudaDevice>(gpu, runtime::cuda::Precision::fp32)));
  return memories;
}

}  // namespace

void TestCudaNccl::allReducesAreTimedBesideNcclsEstimate_data() { sizes(); }
void TestCudaNccl::allReducesAreTimedBesideNcclsEstimate() {
  QFETCH(int, workers);
  if (!enough(workers)) QSKIP("too few GPUs");
  const std::vector<Bytes> sizes{Bytes(4), Bytes(1 << 16)};
  const runtime::transport::AllReduceMeasurement measured =
      runtime::cuda::measure_all_reduces(memories_on(workers), sizes);
  QCOMPARE(measured.sizes.size(), sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const runtime::transport::AllReduceTimes& times = measured.sizes[i];
    QCOMPARE(times.bytes, sizes[i]);
    QVERIFY(times.measured.median > 0 && times.measured.lower <= times.measured.upper);
#ifdef PIPEDECK_CUDA_STAND_IN
    QVERIFY(times.estimated.has_value());
    // The stand-in's estimate: a ring of hops of 5 us and 100 GB/s.
    const double expected = 2 * (workers - 1) * (5e-6 + static_cast<double>(sizes[i].count) / workers / 1e11);
    QVERIFY(std::abs(times.estimated->count - expected) < 1e-5 * expected);
#else
    QCOMPARE(times.estimated.has_value(), measured.not_estimated.empty());
    if (times.estimated) QVERIFY(times.estimated->count > 0 && times.estimated->count < 1);
#endif
  }
}

#ifdef PIPEDECK_CUDA_STAND_IN
void TestCudaNccl::anOlderNcclHasNoEstimates() {
  cuda_stand_in::set_nccl(22005);
  const runtime::transport::AllReduceMeasurement measured =
      runtime::cuda::measure_all_reduces(memories_on(2), {Bytes(1024)});
  QCOMPARE(QString::fromStdString(measured.not_estimated),
           QStringLiteral("found NCCL 2.20.5, expected 2.22 or later, which has estimates"));
  QVERIFY(measured.sizes.front().measured.median > 0);
  QVERIFY(!measured.sizes.front().estimated);
}

/// Whatever fails is named, and nothing is left or waited for.
void TestCudaNccl::aMeasuredAllReduceFails() {
  cuda_stand_in::set_delay(0);
  for (const char* function : {"ncclCommInitAll", "ncclGroupStart", "ncclAllReduce", "ncclGroupEnd",
                               "ncclGroupSimulateEnd", "cudaEventRecord", "cudaMallocAsync"})
    for (const int nth : {1, 2, 3}) {
      cuda_stand_in::reset();
      {
        const auto memories = memories_on(2);
        // An end of a group fails with no status of its own.
        const bool ends = QByteArray(function) == "ncclGroupEnd";
        cuda_stand_in::fail_call(nth, function, ends ? static_cast<int>(ncclUnhandledCudaError) : 0);
        QByteArray said;
        try {
          runtime::cuda::measure_all_reduces(memories, {Bytes(64), Bytes(1024), Bytes(4096)});
        } catch (const std::runtime_error& error) {
          said = error.what();
        }
        const bool asked_again = QByteArray(function) == "cudaMallocAsync";  // after kept blocks have returned
        if (cuda_stand_in::failed() && !asked_again)
          QVERIFY2(said.contains(function), QByteArray(function) + ": " + said);
        else if (cuda_stand_in::failed())
          QVERIFY2(said.isEmpty(), said);
        else
          QVERIFY2(said.isEmpty() && nth > 1, said);
      }
      QVERIFY2(cuda_stand_in::alive() == 0, cuda_stand_in::alive_words().c_str());
    }
}

/// The receiver was given long computations before.
void TestCudaNccl::connectionsAreMadeBeforeTheFirstStep() {
  Workers all(3);
  const std::vector<std::size_t> members{0, 1, 2};
  std::vector<std::unique_ptr<runtime::transport::Collective>> ends;
  for (const std::size_t member : members) ends.push_back(all.transport().join(members, member));
  const int urgent = cuda_stand_in::urgent_streams_made();
  std::barrier connected(3);
  std::atomic<int> before = 0;
  all.run([&](std::size_t i) {
    connected.arrive_and_wait();
    if (i == 0) before = cuda_stand_in::connections();
    connected.arrive_and_wait();
    runtime::tensor::Tensor x = all.tensor(i, {1, 2, 3}), y = all.tensor(i, {1}), all_of_it = all.tensor(i, {0, 0, 0});
    ends[i]->all_reduce(x.values());
    ends[i]->broadcast(1, x.values());
    const std::vector<std::size_t> alike(3, 1), uneven{0, 1, 2};
    ends[i]->all_gather(std::as_const(y).values(), all_of_it.values(), alike);
    ends[i]->reduce_scatter(std::as_const(x).values(), y.values(), alike);
    runtime::tensor::Tensor piece = all.tensor(i, {0, 0});
    ends[i]->reduce_scatter(std::as_const(x).values(), piece.values().first(i), uneven);
    for (const std::size_t to : members)
      if (to != i) all.transport().endpoint(i).send(to, {false, StageId(0), 0}, all.tensor(i, {4}));
    for (const std::size_t from : members)
      if (from != i) static_cast<void>(all.transport().endpoint(i).receive(from, {false, StageId(0), 0}, 1, 1));
  });
  QCOMPARE(all.failure(), QByteArray());
  QVERIFY(before > 0);
  QCOMPARE(cuda_stand_in::connections(), before.load());
  // A sender and a receiver for each of a worker's two peers. Collectives have no stream of their own here.
  QCOMPARE(cuda_stand_in::urgent_streams_made() - urgent, 3 * 2 * 2);
}

/// NCCL waits in the call, on a communicator that blocks: only an abort from another thread ends that.
void TestCudaNccl::aFirstCallToALostRankEnds() {
  Workers all(2, 500ms);
  std::vector<std::unique_ptr<runtime::transport::Collective>> ends;
  for (const std::size_t member : {0u, 1u}) ends.push_back(all.transport().join({0, 1}, member));
  const auto began = std::chrono::steady_clock::now();
  all.run([&](std::size_t i) {
    if (i == 1) return;
    runtime::tensor::Tensor x = all.tensor(i, {1, 2}), y = all.tensor(i, {1, 2});
    const std::vector<std::size_t> counts{1, 1};
    ends[i]->all_to_all(std::as_const(x).values(), counts, y.values(), counts);  // is not warmed up
  });
  QVERIFY2(all.failure().contains("has not ended"), all.failure().constData());
  QVERIFY(std::chrono::steady_clock::now() - began < 5s);
}

void TestCudaNccl::aTransferDoesNotWaitForComputing() {
  Workers all(2);
  std::promise<void> computed;
  const std::shared_future<void> waited = computed.get_future().share();
  std::promise<void> busy;
  all.run([&](std::size_t i) {
    auto& device = dynamic_cast<CudaDevice&>(all.memory(i)->device());
    device.context().make_current();
    if (i == 1) {
      cuda_stand_in::enqueue(device.stream(), [waited] { waited.wait(); });
      busy.set_value();
      const runtime::tensor::Tensor taken = all.transport().endpoint(1).receive(0, {false, StageId(0), 0}, 1, 3).tensor;
      QCOMPARE(all.read(taken), (std::vector<float>{1, 2, 3}));
      return;
    }
    busy.get_future().wait();
    all.transport().endpoint(0).send(1, {false, StageId(0), 0}, all.tensor(0, {1, 2, 3}));
    // The sender has its memory back once all of it is on the other side.
    const auto began = runtime::tensor::RunClock::now();
    while (all.memory(0)->in_use() > Bytes() && runtime::tensor::RunClock::now() - began < 10s)
      std::this_thread::sleep_for(1ms);
    const Bytes kept = all.memory(0)->in_use();
    computed.set_value();
    QCOMPARE(kept, Bytes());
  });
  QVERIFY2(all.failure().isEmpty(), all.failure());
}

/// By what the receiver has computed of it, however late.
void TestCudaNccl::aBlockIsFilledAgainWhenItWasRead() {
  Workers all(2);
  constexpr int messages = 5;
  all.run([&](std::size_t i) {
    runtime::transport::Endpoint& endpoint = all.transport().endpoint(i);
    auto& device = dynamic_cast<CudaDevice&>(all.memory(i)->device());
    device.context().make_current();
    std::vector<runtime::tensor::Tensor> copies;
    for (int n = 0; n < messages; ++n) {
      const runtime::transport::MessageKey key{false, StageId(0), n};
      if (i == 0) {
        endpoint.send(1, key, all.tensor(0, {static_cast<float>(n), 7}));
        continue;
      }
      const runtime::tensor::Tensor taken = endpoint.receive(0, key, 1, 2).tensor;
      cuda_stand_in::enqueue(device.stream(), [] { std::this_thread::sleep_for(20ms); });
      copies.push_back(taken.slice(0, 1, all.memory(1)));
    }
    for (int n = 0; n < static_cast<int>(copies.size()); ++n)
      QCOMPARE(all.read(copies[static_cast<std::size_t>(n)]), (std::vector<float>{static_cast<float>(n), 7}));
  });
  QVERIFY2(all.failure().isEmpty(), all.failure());
  QCOMPARE(all.memory(1)->in_use(), Bytes());
}

/// The peer of an aborted receive sends afterwards. Its value must not arrive, since the memory may be freed by then.
void TestCudaNccl::anAbortedReceiveLeavesItsMemory() {
  struct Rank {
    ncclComm_t communicator = nullptr;
    cudaStream_t stream = nullptr;
    float* value = nullptr;
  };
  std::array<Rank, 2> ranks;
  ncclUniqueId id{};
  QCOMPARE(ncclGetUniqueId(&id), ncclSuccess);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  const auto idle = [](ncclComm_t communicator) {
    ncclResult_t state = ncclInProgress;
    return ncclCommGetAsyncError(communicator, &state) == ncclSuccess && state == ncclSuccess;
  };
  for (int i = 0; i < 2; ++i) {
    Rank& rank = ranks.at(static_cast<std::size_t>(i));
    QCOMPARE(cudaSetDevice(i), cudaSuccess);
    QCOMPARE(cudaStreamCreateWithFlags(&rank.stream, cudaStreamNonBlocking), cudaSuccess);
    QCOMPARE(cudaMalloc(reinterpret_cast<void**>(&rank.value), sizeof(float)), cudaSuccess);
    const auto given = static_cast<float>(i);
    QCOMPARE(cudaMemcpyAsync(rank.value, &given, sizeof given, cudaMemcpyHostToDevice, rank.stream), cudaSuccess);
    QCOMPARE(cudaStreamSynchronize(rank.stream), cudaSuccess);
    QCOMPARE(ncclCommInitRankConfig(&rank.communicator, 2, id, i, &config), ncclInProgress);
  }
  for (const Rank& rank : ranks) QTRY_VERIFY(idle(rank.communicator));

  QCOMPARE(cudaSetDevice(0), cudaSuccess);
  QCOMPARE(ncclRecv(ranks[0].value, 1, ncclFloat32, 1, ranks[0].communicator, ranks[0].stream), ncclInProgress);
  QTest::qWait(30);
  QCOMPARE(ncclCommAbort(ranks[0].communicator), ncclSuccess);
  QCOMPARE(cudaStreamSynchronize(ranks[0].stream), cudaSuccess);

  QCOMPARE(cudaSetDevice(1), cudaSuccess);
  QCOMPARE(ncclSend(ranks[1].value, 1, ncclFloat32, 0, ranks[1].communicator, ranks[1].stream), ncclInProgress);
  QTest::qWait(30);
  QCOMPARE(cudaStreamQuery(ranks[1].stream), cudaErrorNotReady);
  QCOMPARE(ncclCommAbort(ranks[1].communicator), ncclSuccess);
  QCOMPARE(cudaStreamSynchronize(ranks[1].stream), cudaSuccess);

  float found = -1;
  QCOMPARE(cudaSetDevice(0), cudaSuccess);
  QCOMPARE(cudaMemcpyAsync(&found, ranks[0].value, sizeof found, cudaMemcpyDeviceToHost, ranks[0].stream), cudaSuccess);
  QCOMPARE(cudaStreamSynchronize(ranks[0].stream), cudaSuccess);
  QCOMPARE(found, 0.0F);
  for (std::size_t i = 0; i < 2; ++i) {
    QCOMPARE(cudaSetDevice(static_cast<int>(i)), cudaSuccess);
    QCOMPARE(cudaStreamDestroy(ranks.at(i).stream), cudaSuccess);
    QCOMPARE(cudaFree(ranks.at(i).value), cudaSuccess);
  }
}

void TestCudaNccl::aLostRank() {
  Workers all(2);
  std::vector<std::unique_ptr<runtime::transport::Collective>> ends;
  for (const std::size_t member : {0u, 1u}) ends.push_back(all.transport().join({0, 1}, member));
  const auto began = runtime::tensor::RunClock::now();
  all.run([&](std::size_t i) {
    runtime::tensor::Tensor x = all.tensor(i, {1});
    ends[i]->all_reduce(x.values());
    if (i == 1) return cuda_stand_in::lose_peers();
    // The other one does not take part in this any more.
    ends[i]->all_reduce(x.values());
    all.read(x);
    all.control().throw_if_interrupted();
  });
  QVERIFY2(all.failure().contains("a peer was lost"), all.failure());
  QVERIFY(runtime::tensor::RunClock::now() - began < 5s);
}

void TestCudaNccl::aRankThatDoesNotCome() {
  Workers all(2, 300ms);
  std::vector<std::unique_ptr<runtime::transport::Collective>> ends;
  for (const std::size_t member : {0u, 1u}) ends.push_back(all.transport().join({0, 1}, member));
  const auto began = runtime::tensor::RunClock::now();
  all.run([&](std::size_t i) {
    runtime::tensor::Tensor x = all.tensor(i, {1});
    ends[i]->all_reduce(x.values());
    all.read(x);
    if (i == 1) return;
    ends[i]->all_reduce(x.values());  // given to the GPU, where it waits for ever
    all.read(x);
  });
  QVERIFY2(!all.failure().isEmpty(), "the run goes on");
  QVERIFY(runtime::tensor::RunClock::now() - began < 5s);
}

void TestCudaNccl::twoWorkersOnOneGpu() {
  Workers all(2, 20s, 1);
  std::vector<std::unique_ptr<runtime::transport::Collective>> ends;
  for (const std::size_t member : {0u, 1u}) ends.push_back(all.transport().join({0, 1}, member));
  all.run([&](std::size_t i) {
    runtime::tensor::Tensor x = all.tensor(i, {1});
    ends[i]->all_reduce(x.values());
  });
  QVERIFY2(all.failure().contains("Duplicate GPU") && all.failure().contains("--oversubscribe"), all.failure());
}

void TestCudaNccl::everyCallFailsOnce() {
  cuda_stand_in::set_delay(0);
  int calls = 0, made_up_for = 0;
  for (bool more = true; more; ++calls) {
    cuda_stand_in::reset();
    {
      Workers all(2);
      std::vector<std::unique_ptr<runtime::transport::Collective>> ends;
      for (const std::size_t member : {0u, 1u}) ends.push_back(all.transport().join({0, 1}, member));
      cuda_stand_in::fail_call(calls + 1);
      all.run([&](std::size_t i) {
        runtime::tensor::Tensor x = all.tensor(i, {1}), y = all.tensor(i, {2});
        ends[i]->all_reduce(x.values());
        all.transport().endpoint(i).send(1 - i, {false, StageId(0), 0}, std::move(y));
        const runtime::transport::Message message =
            all.transport().endpoint(i).receive(1 - i, {false, StageId(0), 0}, 1, 1);
        if (all.read(message.tensor)[0] != 2 || all.read(x)[0] != 2) throw std::logic_error("other values");
      });
      more = cuda_stand_in::failed();
      if (more) {
        const auto call = QByteArray::fromStdString(cuda_stand_in::last_refusal()).split(':').first();
        // A worker that returns a received block, and can't mark when its device is done with it, waits for the device.
        const bool marks = call == "cudaSetDevice" || call == "cudaEventCreateWithFlags" || call == "cudaEventRecord";
        // Memory for tensors is asked for again, after kept blocks have returned.
        const bool asked_again = call == "cudaMallocAsync" && all.failure().isEmpty();
        if (marks && !QTest::qWaitFor([&] { return !all.failure().isEmpty(); }, 300))
          ++made_up_for;
        else if (!asked_again)  // A thread that releases what was sent may be on its way to tell, while the workers are
                                // through.
          QTRY_VERIFY2(all.failure().contains(call + ": ") && all.failure().contains("(error "),
                       (call + ", " + all.failure()).constData());
      }
    }
    QVERIFY2(cuda_stand_in::alive() == 0, cuda_stand_in::alive_words().c_str());
  }
  QVERIFY2(calls > 40, qPrintable(QString::number(calls)));
  QVERIFY2(made_up_for <= 2 * 3, qPrintable(QString::number(made_up_for)));
}
#endif

QTEST_GUILESS_MAIN(TestCudaNccl)
#include "tst_cuda_nccl.moc"
