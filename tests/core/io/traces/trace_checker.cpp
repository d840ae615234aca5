// SPDX-License-Identifier: Apache-2.0
#include "tests/core/io/traces/trace_checker.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include <nlohmann/json.hpp>

namespace pipedeck::test {
namespace {

using Json = nlohmann::json;

struct Slice {
  std::int64_t begin = 0, end = 0;
  std::string name;
};
struct ArrowPoint {
  std::string phase;
  int track = 0;
  std::int64_t time = 0;
};
using Row = std::tuple<std::int64_t, std::int64_t, std::string, int, int>;  // start, duration, kind, stage, micro-batch

void demand(bool holds, const std::string& rule) {
  if (!holds) throw std::runtime_error(rule);
}

/// As Perfetto reads a time: a double of microseconds, rounded to nanoseconds.
std::int64_t nanoseconds(const Json& value, const std::string& what) {
  demand(value.is_number(), what + " is no number");
  const double exact = value.get<double>() * 1000;
  const std::int64_t rounded = std::llround(exact);
  demand(std::abs(exact - static_cast<double>(rounded)) < 1e-3, what + " is no whole number of nanoseconds");
  return rounded;
}

class Checker {
 public:
  explicit Checker(const std::string& text) : trace_(Json::parse(text)) {}

  void check(const Timeline* timeline, const std::vector<SimulatedDevice>* devices) {
    demand(trace_.at("otherData").at("title").is_string(), "a title");
    for (const Json& event : trace_.at("traceEvents")) take(event);
    check_names();
    for (auto& [track, slices] : slices_) check_nesting(track, slices);
    for (const auto& [id, points] : arrows_) check_arrow(points);
    if (timeline) check_rows(*timeline);
    if (devices) check_counters(*devices);
  }

 private:
  void take(const Json& event) {
    const int group = event.at("pid").get<int>();
    demand(group > 0, "process 0 is the idle one");
    groups_.insert(group);
    const std::string phase = event.at("ph").get<std::string>();
    if (phase == "M") return take_metadata(event, group);
    if (phase == "C") return take_counter(event, group);
    if (phase == "s" || phase == "t" || phase == "f") return take_arrow(event, phase);
    demand(phase == "X", "phase " + phase);
    const int track = event.at("tid").get<int>();
    use_track(track, group);
    const std::int64_t start = nanoseconds(event.at("ts"), "ts"), duration = nanoseconds(event.at("dur"), "dur");
    demand(duration >= 0, "a negative duration");
    slices_[track].push_back({start, start + duration, event.at("name").get<std::string>()});
    demand(!slices_[track].back().name.empty(), "an operation without a name");
    rows_.emplace(start, duration, event.at("cat").get<std::string>(), event.at("args").at("stage").get<int>(),
                  event.at("args").at("micro_batch").get<int>());
  }

  void take_metadata(const Json& event, int group) {
    const std::string what = event.at("name").get<std::string>();
    if (what == "process_name")
      demand(group_names_.emplace(group, event.at("args").at("name").get<std::string>()).second, "a group named twice");
    else if (what == "process_sort_index")
      demand(group_orders_.insert(group).second, "a group sorted twice");
    else if (what == "thread_name") {
      const int track = event.at("tid").get<int>();
      use_track(track, group);
      const std::string name = event.at("args").at("name").get<std::string>();
      demand(track_names_.emplace(track, name).second, "a track named twice");
      demand(names_in_group_.emplace(group, name).second, "two tracks of a group are named " + name);
    } else if (what == "thread_sort_index") {
      demand(track_orders_.insert(event.at("tid").get<int>()).second, "a track sorted twice");
    } else {
      demand(false, "metadata " + what);
    }
  }

  void take_counter(const Json& event, int group) {
    const auto& arguments = event.at("args");
    demand(arguments.size() == 1, "a counter of several values");
    counters_[{group, event.at("name").get<std::string>()}].push_back(
        {Nanoseconds(nanoseconds(event.at("ts"), "ts")), pipedeck::Bytes(arguments.at("bytes").get<std::int64_t>())});
  }

  void take_arrow(const Json& event, const std::string& phase) {
    demand(phase != "f" || event.at("bp") == "e", "an arrow that ends at the next operation");
    arrows_[event.at("id").get<int>()].push_back(
        {phase, event.at("tid").get<int>(), nanoseconds(event.at("ts"), "ts of an arrow")});
  }

  /// From a pass over a transfer to a pass, forwards in time, each point in an operation of its track.
  void check_arrow(const std::vector<ArrowPoint>& points) const {
    demand(points.size() == 3 && points[0].phase == "s" && points[1].phase == "t" && points[2].phase == "f",
           "an arrow has a beginning, a way and an end");
    std::vector<const Slice*> through;
    for (const ArrowPoint& point : points) {
      const auto track = slices_.find(point.track);
      demand(track != slices_.end(), "an arrow on no track");
      const auto slice = std::ranges::find_if(
          track->second, [&](const Slice& one) { return one.begin <= point.time && point.time < one.end; });
      demand(slice != track->second.end(), "an arrow that meets no operation");
      through.push_back(&*slice);
    }
    demand(through[0]->end <= through[1]->begin && through[1]->end <= through[2]->begin, "an arrow back in time");
    const auto classify_pass = [](const std::string& name) { return name.substr(0, name.find_first_of(" _")); };
    demand(through[1]->name.starts_with("send"), "an arrow over no transfer");
    demand(classify_pass(through[0]->name) == classify_pass(through[2]->name), "an arrow from one pass to another");
  }

  void use_track(int track, int group) {
    demand(track > 0, "thread 0 is the idle one");
    demand(group_of_.emplace(track, group).first->second == group,
           "track " + std::to_string(track) + " in two groups: they would be merged");
  }

  void check_names() const {
    for (const int group : groups_) {
      demand(group_names_.contains(group) && group_orders_.contains(group), "a group without name or place");
      demand(!group_of_.contains(group), "a track has the number of a group: it would be its main thread");
    }
    for (const auto& [track, slices] : slices_)
      demand(track_names_.contains(track) && track_orders_.contains(track), "a track without name or place");
  }

  void check_nesting(int track, std::vector<Slice>& slices) const {
    std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<const Slice*> open;
    for (const Slice& slice : slices) {
      while (!open.empty() && open.back()->end <= slice.begin) open.pop_back();
      demand(open.empty() || slice.end <= open.back()->end,
             slice.name + " overlaps another on track " + track_names_.at(track));
      open.push_back(&slice);
    }
  }

  void check_rows(const Timeline& timeline) const {
    std::multiset<Row> wanted;
    for (std::size_t i = 0; i < timeline.size(); ++i)
      wanted.emplace(timeline.start[i], timeline.duration[i], std::string(name_of(timeline.kind[i])), timeline.stage[i],
                     timeline.micro_batch[i]);
    demand(rows_ == wanted, "other operations than the timeline's");
  }

  void check_counters(const std::vector<SimulatedDevice>& devices) const {
    demand(counters_.size() == devices.size(), "as many counters as devices");
    for (const SimulatedDevice& device : devices) {
      const auto found = std::find_if(counters_.begin(), counters_.end(), [&](const auto& counter) {
        return counter.first.second == "device " + std::to_string(device.device.value);
      });
      demand(found != counters_.end() && found->second == device.curve,
             "another memory curve of device " + std::to_string(device.device.value));
    }
  }

  Json trace_;
  std::set<int> groups_, group_orders_, track_orders_;
  std::map<int, std::string> group_names_, track_names_;
  std::set<std::pair<int, std::string>> names_in_group_;
  std::map<int, int> group_of_;
  std::map<int, std::vector<Slice>> slices_;
  std::map<int, std::vector<ArrowPoint>> arrows_;
  std::multiset<Row> rows_;
  std::map<std::pair<int, std::string>, std::vector<MemoryPoint>> counters_;
};

}  // namespace

std::string trace_fault(const std::string& text, const Timeline* timeline,
                        const std::vector<SimulatedDevice>* devices) {
  try {
    Checker(text).check(timeline, devices);
    return {};
  } catch (const std::exception& fault) {
    return fault.what();
  }
}

}  // namespace pipedeck::test
