// SPDX-License-Identifier: Apache-2.0
// NCCL among threads of one process. Work waits on its stream until the others are there, for ever where they never
// come, as on GPUs: only abort ends it. Communicators that do not block are at work for a while after each call, and
// refuse the next one until they were asked. A call on one that blocks waits, if it is the first of its kind or to its
// peer, until the other ranks have made theirs: that is when NCCL connects them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>
#include <vector>

#include "tests/support/cuda_stand_in/state.hpp"

struct NcclState;

namespace cuda_stand_in {
namespace {

constexpr const char* communicator_kind = "NCCL communicator";

enum class Kind { all_reduce, reduce, reduce_scatter, all_gather, broadcast, send, receive };

/// One rank's part of an operation.
struct Part {
  Kind kind;
  const void* from;
  void* to;
  std::size_t count;
  ncclDataType_t type;
  int operation;  ///< what reduces
  int peer;       ///< or the root
  bool done = false;
};

struct Group;

/// A split of a group: who has come, and as what.
struct Splitting {
  struct Comer {
    int colour, key, rank;
    std::shared_ptr<NcclState> part;  ///< null: of no colour
  };
  std::vector<Comer> comers;
  bool done = false;
};

/// All ranks that have one unique identifier, or that were split off together.
struct Group {
  int size = 0;
  std::vector<int> devices;
  std::vector<bool> here;
  std::map<std::uint64_t, std::vector<Part*>> meetings;                              ///< collectives, by number
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<Part>>> sends, receives;  ///< by sender and receiver
  std::deque<Splitting> splittings;
  std::map<std::pair<int, int>, std::set<int>> connected;  ///< ranks that came, by sender and receiver, or kind
  int joined() const { return static_cast<int>(std::count(here.begin(), here.end(), true)); }
};

std::map<std::string, std::shared_ptr<Group>>& groups() {
  static std::map<std::string, std::shared_ptr<Group>> all;
  return all;
}
int& connections_made() {
  static int made = 0;
  return made;
}
std::uint64_t& peers_lost() {
  static std::uint64_t times = 0;
  return times;
}

}  // namespace
}  // namespace cuda_stand_in

/// Shared with the work that it put on streams.
struct NcclState {
  std::shared_ptr<cuda_stand_in::Group> group;
  int rank = 0, device = 0;
  bool blocking = true, aborted = false, joined = false, shares = false;
  bool simulated = false;  ///< keeps work that was not done: what is given to it next may be anything
  int busy = 0;            ///< times that it is asked until it is idle
  std::uint64_t next = 0, lost = 0;
  std::size_t splits = 0;  ///< that it took part in
  ncclResult_t error = ncclSuccess;
  std::string words;
};
struct ncclComm {
  std::shared_ptr<NcclState> state;
};

namespace cuda_stand_in {
namespace {

struct Queued {
  std::shared_ptr<NcclState> state;
  cudaStream_t stream;
  Part part;
};
thread_local int depth = 0;
thread_local std::vector<Queued> queued;
thread_local bool group_failed = false;  ///< no call of such a group is done

/// An end that fails ends the group all the same.
void forget_group() {
  depth = 0;
  queued.clear();
  group_failed = false;
}

Values::Type values_of(ncclDataType_t type) {
  require(type == ncclFloat32 || type == ncclBfloat16, "a type that the stand-in does not know", ncclInvalidArgument);
  return type == ncclFloat32 ? Values::Type::f32 : Values::Type::bf16;
}

void combine(const Group& group, const std::vector<Part*>& parts) {
  const Part& first = *parts[0];
  const auto type = values_of(first.type);
  const auto count = static_cast<std::int64_t>(first.count);
  if (first.kind == Kind::broadcast) {
    const auto root = static_cast<std::size_t>(first.peer);
    const std::vector<char> copy(static_cast<const char*>(parts[root]->from),
                                 static_cast<const char*>(parts[root]->from) + first.count * bytes_of(type));
    for (Part* part : parts) std::memcpy(part->to, copy.data(), copy.size());
    return;
  }
  if (first.kind == Kind::all_gather) {
    std::vector<char> all;
    for (const Part* part : parts) {
      const auto* from = static_cast<const char*>(part->from);
      all.insert(all.end(), from, from + first.count * bytes_of(type));
    }
    for (Part* part : parts) std::memcpy(part->to, all.data(), all.size());
    return;
  }
  const auto all = first.kind == Kind::reduce_scatter ? count * group.size : count;
  std::vector<double> result(static_cast<std::size_t>(all));
  for (std::int64_t i = 0; i < all; ++i) {
    double value = Values(parts[0]->from, type).get(i);
    for (int rank = 1; rank < group.size; ++rank) {
      const double other = Values(parts[static_cast<std::size_t>(rank)]->from, type).get(i);
      value = first.operation == ncclMax ? std::max(value, other) : value + other;
    }
    result[static_cast<std::size_t>(i)] = value;
  }
  for (std::int64_t rank = 0; rank < group.size; ++rank) {
    if (first.kind == Kind::reduce && rank != first.peer) continue;
    const std::int64_t own = first.kind == Kind::reduce_scatter ? rank * count : 0;
    for (std::int64_t i = 0; i < count; ++i)
      Values(parts[static_cast<std::size_t>(rank)]->to, type).set(i, result[static_cast<std::size_t>(own + i)]);
  }
}

void check_alike(const std::vector<Part*>& parts) {
  for (const Part* part : parts)
    require(part->kind == parts[0]->kind && part->count == parts[0]->count && part->type == parts[0]->type &&
                part->operation == parts[0]->operation && part->peer == parts[0]->peer,
            "ranks of a communicator do different things");
}

/// With the lock held: waits for the other ranks, the last of whom does the work.
void meet(std::unique_lock<std::mutex>& lock, NcclState& state, std::uint64_t number, Part& part) {
  auto& parts = state.group->meetings[number];
  parts.resize(static_cast<std::size_t>(state.group->size));
  parts[static_cast<std::size_t>(state.rank)] = &part;
  if (std::find(parts.begin(), parts.end(), nullptr) == parts.end()) {
    check_alike(parts);
    combine(*state.group, parts);
    for (Part* each : parts) each->done = true;
    state.group->meetings.erase(number);
    changed().notify_all();
  }
  changed().wait(lock, [&] { return part.done || state.aborted; });
  if (part.done) return;
  if (const auto found = state.group->meetings.find(number); found != state.group->meetings.end())
    found->second[static_cast<std::size_t>(state.rank)] = nullptr;
}

/// Shows a send or receive to its peer, and moves the bytes if the peer is there.
void show(NcclState& state, const std::shared_ptr<Part>& part) {
  const bool sends = part->kind == Kind::send;
  const std::pair pair = sends ? std::pair(state.rank, part->peer) : std::pair(part->peer, state.rank);
  auto& others = sends ? state.group->receives[pair] : state.group->sends[pair];
  if (others.empty()) return (sends ? state.group->sends[pair] : state.group->receives[pair]).push_back(part);
  const auto other = others.front();
  others.pop_front();
  require(other->count == part->count && other->type == part->type, "what is sent is not what is received");
  std::memcpy(sends ? other->to : part->to, sends ? part->from : other->from,
              part->count * bytes_of(values_of(part->type)));
  other->done = part->done = true;
  changed().notify_all();
}

/// Takes an aborted send or receive back, whose memory may be freed from now on.
void withdraw(NcclState& state, const std::shared_ptr<Part>& part) {
  for (auto* waiting : {&state.group->sends, &state.group->receives})
    for (auto& [pair, parts] : *waiting) std::erase(parts, part);
}

/// Runs the work that one call, or one group of calls, put on a stream.
void run(const std::shared_ptr<NcclState>& state, std::uint64_t first,
         const std::vector<std::shared_ptr<Part>>& parts) {
  std::unique_lock lock(lock_of_all());
  if (state->aborted) return;
  for (const auto& part : parts)
    if (part->kind == Kind::send || part->kind == Kind::receive) show(*state, part);
  for (const auto& part : parts)
    if (part->kind != Kind::send && part->kind != Kind::receive) meet(lock, *state, first++, *part);
  for (const auto& part : parts) changed().wait(lock, [&] { return part->done || state->aborted; });
  for (const auto& part : parts)
    if (!part->done) withdraw(*state, part);
}

std::pair<int, int> connection_of(const Queued& one) {
  const int rank = one.state->rank, peer = one.part.peer;
  if (one.part.kind == Kind::send) return {rank, peer};
  if (one.part.kind == Kind::receive) return {peer, rank};
  return {-1, static_cast<int>(one.part.kind)};
}
bool is_connected(const Queued& one) {
  const auto connection = connection_of(one);
  const std::size_t ranks = connection.first < 0                    ? static_cast<std::size_t>(one.state->group->size)
                            : connection.first == connection.second ? 1
                                                                    : 2;
  return one.state->group->connected[connection].size() == ranks;
}

/// Connects the ranks of these calls. Returns false if an abort ended it.
bool connect(const std::vector<Queued>& all) {
  std::unique_lock lock(lock_of_all());
  for (const Queued& one : all)
    connections_made() += one.state->group->connected[connection_of(one)].insert(one.state->rank).second ? 1 : 0;
  changed().notify_all();
  for (const Queued& one : all) {
    if (!one.state->blocking) continue;
    changed().wait(lock, [&] { return is_connected(one) || one.state->aborted; });
    if (one.state->aborted) return false;
  }
  return true;
}

bool launch(std::vector<Queued> all) {
  if (!connect(all)) return false;
  while (!all.empty()) {
    const auto state = all.front().state;
    const auto stream = all.front().stream;
    std::vector<std::shared_ptr<Part>> parts;
    std::uint64_t collectives = 0;
    for (const Queued& one : all) {
      if (one.state != state) continue;
      require(one.stream == stream, "one communicator's calls of a group are on one stream", ncclInvalidUsage);
      if (one.part.kind != Kind::send && one.part.kind != Kind::receive) ++collectives;
      parts.push_back(std::make_shared<Part>(one.part));
    }
    std::erase_if(all, [&](const Queued& one) { return one.state == state; });
    std::uint64_t first = 0;
    {
      const std::lock_guard lock(lock_of_all());
      require(!state->simulated, "work on a communicator with which a group was simulated", ncclInvalidUsage);
      first = state->next;
      state->next += collectives;
      if (!state->blocking) state->busy = 2;
    }
    forbid_on_captured(stream);
    put(stream, [=] { run(state, first, parts); });
  }
  return true;
}

template <class Body>
ncclResult_t nccl_call(const char* function, Body body, ncclResult_t failed_work = ncclUnhandledCudaError) {
  return call(function, failed_work, ncclInvalidArgument, body);
}

NcclState& usable(ncclComm_t communicator) {
  check_alive(communicator, communicator_kind);
  const std::lock_guard lock(lock_of_all());
  NcclState& state = *communicator->state;
  require(!state.aborted, "the communicator was aborted", ncclInvalidUsage);
  require(state.busy == 0 && state.joined, "the communicator is still at work: it was not asked", ncclInvalidUsage);
  require(state.error == ncclSuccess, "the communicator has failed", ncclInvalidUsage);
  return state;
}

void check_memory(const NcclState& state, const void* data, std::size_t count, ncclDataType_t type, const char* what) {
  check_device_memory(data, count * bytes_of(values_of(type)), state.device, what);
}

ncclResult_t operate(const char* function, ncclComm_t communicator, cudaStream_t stream, const Part& part) {
  bool in_progress = false, ended = false;
  const ncclResult_t status = nccl_call(function, [&] {
    const NcclState& state = usable(communicator);
    check_stream(stream);
    require(device_of(stream) == state.device, "the stream is another device's");
    const auto size = static_cast<std::size_t>(state.group->size);
    if (part.kind != Kind::receive)
      check_memory(state, part.from, part.kind == Kind::reduce_scatter ? part.count * size : part.count, part.type,
                   "what is sent");
    if (part.kind != Kind::send && (part.kind != Kind::reduce || part.peer == state.rank))
      check_memory(state, part.to, part.kind == Kind::all_gather ? part.count * size : part.count, part.type,
                   "what is received");
    require(part.peer >= 0 && part.peer < state.group->size, "no such rank");
    in_progress = !state.blocking;
    queued.push_back({communicator->state, stream, part});
    if (depth == 0) ended = !launch(std::exchange(queued, {}));
  });
  if (ended) return ncclInternalError;
  if (status != ncclSuccess && depth > 0) group_failed = true;
  return status == ncclSuccess && in_progress ? ncclInProgress : status;
}

void join(const std::shared_ptr<NcclState>& state) {
  Group& group = *state->group;
  const auto rank = static_cast<std::size_t>(state->rank);
  require(!group.here[rank], "a rank joins once");
  group.here[rank] = true;
  group.devices[rank] = state->device;
  changed().notify_all();
}

/// When the last one has come, each colour is a group in the order of keys.
void split_all(const Group& group, Splitting& splitting) {
  if (static_cast<int>(splitting.comers.size()) < group.size) return;
  std::map<int, std::vector<Splitting::Comer>> colours;
  for (const Splitting::Comer& comer : splitting.comers)
    if (comer.part) colours[comer.colour].push_back(comer);
  for (auto& [colour, members] : colours) {
    std::sort(members.begin(), members.end(),
              [](const auto& a, const auto& b) { return std::pair(a.key, a.rank) < std::pair(b.key, b.rank); });
    const auto made = std::make_shared<Group>();
    made->size = static_cast<int>(members.size());
    made->devices.resize(members.size());
    made->here.resize(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      members[i].part->group = made;
      members[i].part->rank = static_cast<int>(i);
      join(members[i].part);
    }
  }
  splitting.done = true;
  changed().notify_all();
}

/// As a ring of links of 100 GB/s that take 5 us: what the tests expect is reckoned from this.
float estimated_microseconds(const Queued& one) {
  const auto ranks = static_cast<double>(one.state->group->size);
  const double bytes = static_cast<double>(one.part.count * bytes_of(values_of(one.part.type)));
  return static_cast<float>(2 * (ranks - 1) * (5 + bytes / ranks / 1e5));
}

bool splits_are_done(const NcclState& state) {
  return state.splits == 0 || state.group->splittings[state.splits - 1].done;
}

/// Returns true if all ranks are present; two on one device are refused for all of them.
bool look_for_others(NcclState& state) {
  if (!state.group) return false;  // not split off yet
  const Group& group = *state.group;
  if (group.joined() < group.size) return false;
  state.joined = true;
  for (std::size_t a = 0; a < group.devices.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (group.devices[a] == group.devices[b]) {
        state.error = ncclInvalidUsage;
        state.words = "Duplicate GPU detected : rank " + std::to_string(b) + " and rank " + std::to_string(a) +
                      " both on CUDA device 1000";
      }
  return true;
}

}  // namespace

int connections() {
  const std::lock_guard lock(lock_of_all());
  return connections_made();
}

void lose_peers() {
  const std::lock_guard lock(lock_of_all());
  ++peers_lost();
}

}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

const char* ncclGetErrorString(ncclResult_t status) {
  switch (status) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    default:
      return "a result of the stand-in";
  }
}
const char* ncclGetLastError(ncclComm_t communicator) {
  thread_local std::string words;
  words = communicator && !communicator->state->words.empty() ? communicator->state->words : last_refusal();
  return words.c_str();
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  return nccl_call("ncclGetUniqueId", [&] {
    static std::uint64_t made_so_far = 0;
    const std::lock_guard lock(lock_of_all());
    std::memset(id->internal, 0x5a, sizeof id->internal);
    std::snprintf(id->internal, sizeof id->internal, "stand-in %llu", static_cast<unsigned long long>(++made_so_far));
  });
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  bool blocking = true;
  const ncclResult_t status = nccl_call("ncclCommInitRankConfig", [&] {
    require(size > 0 && rank >= 0 && rank < size, "no such rank");
    auto state = std::make_shared<NcclState>();
    state->rank = rank;
    state->device = current_device();
    blocking = state->blocking = config == nullptr || config->blocking != 0;
    state->shares = config != nullptr && config->splitShare == 1;
    std::unique_lock lock(lock_of_all());
    auto& group = groups()[std::string(id.internal, sizeof id.internal)];
    if (!group) {
      group = std::make_shared<Group>();
      group->size = size;
      group->devices.resize(static_cast<std::size_t>(size));
      group->here.resize(static_cast<std::size_t>(size));
    }
    require(group->size == size, "ranks differ in how many they are");
    state->group = group;
    state->lost = peers_lost();
    join(state);
    *communicator = new ncclComm{state};
    made(*communicator, communicator_kind);
    if (!blocking) return;
    changed().wait(lock, [&] { return look_for_others(*state); });
    if (state->error != ncclSuccess) throw Refused(state->words, state->error);
  });
  return status == ncclSuccess && !blocking ? ncclInProgress : status;
}

ncclResult_t ncclCommInitAll(ncclComm_t* communicators, int count, const int* devices) {
  return nccl_call("ncclCommInitAll", [&] {
    require(communicators != nullptr && count > 0 && devices != nullptr, "no communicators");
    const auto group = std::make_shared<Group>();
    group->size = count;
    group->devices.resize(static_cast<std::size_t>(count));
    group->here.resize(static_cast<std::size_t>(count));
    std::vector<std::shared_ptr<NcclState>> states;
    const std::lock_guard lock(lock_of_all());
    for (int rank = 0; rank < count; ++rank) {
      require(devices[rank] >= 0 && devices[rank] < device_count(), "no such device");
      states.push_back(std::make_shared<NcclState>());
      states.back()->group = group;
      states.back()->rank = rank;
      states.back()->device = devices[rank];
      states.back()->lost = peers_lost();
      join(states.back());
    }
    for (const auto& state : states) {
      look_for_others(*state);
      if (state->error != ncclSuccess) throw Refused(state->words, state->error);
    }
    for (int rank = 0; rank < count; ++rank) {
      communicators[rank] = new ncclComm{states[static_cast<std::size_t>(rank)]};
      made(communicators[rank], communicator_kind);
    }
  });
}

ncclResult_t ncclCommSplit(ncclComm_t communicator, int colour, int key, ncclComm_t* part, ncclConfig_t* config) {
  const ncclResult_t status = nccl_call("ncclCommSplit", [&] {
    NcclState& state = usable(communicator);
    require(!state.blocking && config != nullptr && config->blocking == 1, "a split as the module makes none");
    require(state.shares && config->splitShare == 1, "the parts do not share their parent's resources");
    require(colour >= 0 || colour == NCCL_SPLIT_NOCOLOR, "a colour is not negative");
    require(current_device() == state.device, "another device is current than the communicator's");
    const std::lock_guard lock(lock_of_all());
    std::shared_ptr<NcclState> made;
    if (colour != NCCL_SPLIT_NOCOLOR) {
      made = std::make_shared<NcclState>();
      made->device = state.device;
      made->blocking = true;
      made->shares = true;
      made->lost = peers_lost();
      *part = new ncclComm{made};
      cuda_stand_in::made(*part, communicator_kind);
    }
    if (state.group->splittings.size() <= state.splits) state.group->splittings.emplace_back();
    Splitting& splitting = state.group->splittings[state.splits++];
    splitting.comers.push_back({colour, key, state.rank, made});
    state.busy = 2;
    split_all(*state.group, splitting);
  });
  return status == ncclSuccess ? ncclInProgress : status;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* error) {
  return nccl_call("ncclCommGetAsyncError", [&] {
    check_alive(communicator, communicator_kind);
    const std::lock_guard lock(lock_of_all());
    NcclState& state = *communicator->state;
    if (state.lost != peers_lost() && state.error == ncclSuccess) state.error = ncclRemoteError;
    if (state.joined && state.busy > 0 && splits_are_done(state)) --state.busy;
    const bool ready = state.joined ? state.busy == 0 : look_for_others(state);
    *error = state.error != ncclSuccess ? state.error : ready ? ncclSuccess : ncclInProgress;
  });
}

ncclResult_t ncclCommFinalize(ncclComm_t communicator) {
  bool in_progress = false;
  const ncclResult_t status = nccl_call("ncclCommFinalize", [&] {
    NcclState& state = usable(communicator);
    in_progress = !state.blocking;
    const std::lock_guard lock(lock_of_all());
    if (in_progress) state.busy = 2;
  });
  return status == ncclSuccess && in_progress ? ncclInProgress : status;
}
ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  return call("ncclCommDestroy", ncclSuccess, ncclInvalidArgument, [&] {
    destroyed(communicator, communicator_kind);
    delete communicator;
  });
}
ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  return call("ncclCommAbort", ncclSuccess, ncclInvalidArgument, [&] {
    destroyed(communicator, communicator_kind);
    const std::lock_guard lock(lock_of_all());
    communicator->state->aborted = true;
    changed().notify_all();
    delete communicator;
  });
}

ncclResult_t ncclGroupStart() {
  return nccl_call("ncclGroupStart", [] { ++depth; });
}
ncclResult_t ncclGroupEnd() {
  if (depth == 1 && group_failed) {
    forget_group();
    return ncclInvalidUsage;
  }
  bool in_progress = false, ended = false;
  const ncclResult_t status = call("ncclGroupEnd", ncclSuccess, ncclInvalidUsage, [&] {
    require(depth > 0, "a group ends that was never begun");
    if (--depth > 0) return;
    for (const Queued& one : queued) in_progress = in_progress || !one.state->blocking;
    ended = !launch(std::exchange(queued, {}));
  });
  if (ended) return ncclInternalError;
  if (status != ncclSuccess) forget_group();
  return status == ncclSuccess && in_progress ? ncclInProgress : status;
}

/// Estimates the time of a group. NCCL runs the work of non-blocking communicators instead, and has no estimate for
/// calls other than collectives: both are refused here.
ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t* told) {
  if (depth == 1 && group_failed) {
    forget_group();
    return ncclInvalidUsage;
  }
  const ncclResult_t status = nccl_call("ncclGroupSimulateEnd", [&] {
    require(depth > 0, "a group ends that was never begun", ncclInvalidUsage);
    if (--depth > 0) return;
    const std::vector<Queued> all = std::exchange(queued, {});
    const ncclSimInfo_t expected = NCCL_SIM_INFO_INITIALIZER;
    require(told != nullptr && told->size == expected.size && told->magic == expected.magic, "it is not initialised");
    const std::lock_guard lock(lock_of_all());
    for (const Queued& one : all) {
      require(one.state->blocking, "the communicator does not block: its work would be done");
      require(one.part.kind != Kind::send && one.part.kind != Kind::receive, "nothing is told of sends and receives");
      one.state->simulated = true;
      told->estimatedTime = estimated_microseconds(one);
    }
  });
  if (status != ncclSuccess) forget_group();
  return status;
}

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t operation,
                           ncclComm_t communicator, cudaStream_t stream) {
  return operate("ncclAllReduce", communicator, stream, {Kind::all_reduce, from, to, count, type, operation, 0});
}
ncclResult_t ncclReduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t operation,
                        int root, ncclComm_t communicator, cudaStream_t stream) {
  return operate("ncclReduce", communicator, stream, {Kind::reduce, from, to, count, type, operation, root});
}
ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t communicator, cudaStream_t stream) {
  return operate("ncclReduceScatter", communicator, stream,
                 {Kind::reduce_scatter, from, to, count, type, operation, 0});
}
ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclComm_t communicator,
                           cudaStream_t stream) {
  return operate("ncclAllGather", communicator, stream, {Kind::all_gather, from, to, count, type, 0, 0});
}
ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream) {
  return operate("ncclBroadcast", communicator, stream, {Kind::broadcast, from, to, count, type, 0, root});
}
ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
  return operate("ncclSend", communicator, stream, {Kind::send, from, nullptr, count, type, 0, peer});
}
ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
  return operate("ncclRecv", communicator, stream, {Kind::receive, nullptr, to, count, type, 0, peer});
}

}  // extern "C"
