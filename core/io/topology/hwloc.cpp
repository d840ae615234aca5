// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/hwloc.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/json/value.hpp"
#include "core/io/text/printable.hpp"
#include "core/io/topology/pci_tree.hpp"
#include "core/io/topology/xml_text.hpp"

namespace pipedeck::io::topology {
namespace {

constexpr std::size_t max_hwloc_gpus = 256;
constexpr int max_hwloc_lanes = 1024;
constexpr std::size_t hwloc_head = 4096;

// Classes of PCI devices, and makers (pci.ids).
constexpr std::string_view nvidia = "10de", amd = "1002";

/// The parts of the machine around an object.
struct Place {
  int package = -1, pci = -1;
  std::optional<int> numa;
  bool at_port = false;                ///< below a root port or a switch's lower port, which share a link with it
  std::optional<BytesPerSecond> link;  ///< of that port
};

struct GpuOfTopology {
  FoundGpu gpu;
  Place place;
};

/// "0302 [10de:20b2] [10de:1463] a1".
struct PciType {
  std::string_view device_class, vendor, id;
};

std::optional<PciType> pci_type_of(std::string_view text) {
  constexpr std::size_t id_begin = 6, id_length = 9;
  if (text.size() < id_begin + id_length + 1 || text.substr(4, 2) != " [" || text[id_begin + 4] != ':' ||
      text[id_begin + id_length] != ']')
    return std::nullopt;
  return PciType{text.substr(0, 4), text.substr(id_begin, 4), text.substr(id_begin, id_length)};
}

class TopologyReader {
 public:
  TopologyReader(const std::string& text, const std::string& name) : xml_(text) {
    machine_.name = name;
    machine_.source = "lstopo";
  }

  Result<FoundMachines> read() {
    TRY_VOID(xml_.load());
    const pugi::xml_node topology = xml_.document().child("topology");
    if (!topology)
      return fail(ErrorCode::bad_input, "found XML without a topology, expected what lstopo --of xml writes");
    const std::string version = topology.attribute("version").as_string("1");
    if (!version.starts_with("2.") && !version.starts_with("3."))
      return xml_.bad(
          fmt::format("found version {} of hwloc's topologies, expected 2 (lstopo of hwloc 2 rewrites it: lstopo "
                      "--input OLD.xml NEW.xml)",
                      json::describe(json::Value(version))),
          topology);
    read_children(topology, {}, 1);
    if (!problem_) read_links(topology);
    if (problem_) return tl::unexpected(std::move(*problem_));
    return finish();
  }

 private:
  void keep(const tl::unexpected<Error>& error) {
    if (!problem_) problem_ = error.value();
  }
  std::optional<int> number(const pugi::xml_node& node, const char* key, int least, int most) {
    return xml_.number(node, key, least, most, problem_);
  }

  static std::string_view type_of(const pugi::xml_node& node) { return node.attribute("type").as_string(); }
  static std::string info(const pugi::xml_node& node, std::string_view key) {
    for (const pugi::xml_node& entry : node.children("info"))
      if (entry.attribute("name").as_string() == key) return entry.attribute("value").as_string();
    return {};
  }

  // -- the tree
  void read_children(const pugi::xml_node& parent, Place place, int depth) {
    if (depth > max_xml_depth) return keep(xml_.bad("found nesting deeper than any machine's", parent));
    take_numa(parent, place);
    for (const pugi::xml_node& node : parent.children("object")) {
      read_object(node, place, depth);
      if (problem_) return;
    }
  }

  /// The one NUMA node that an object has; of several none is nearer.
  void take_numa(const pugi::xml_node& parent, Place& place) {
    std::optional<int> only;
    int nodes = 0;
    for (const pugi::xml_node& node : parent.children("object"))
      if (type_of(node) == "NUMANode") {
        ++nodes;
        only = number(node, "os_index", 0, 1 << 20);
      }
    if (nodes == 1) place.numa = only;
  }

  /// Counts an object. Devices are counted where they are read.
  void count(std::string_view type) {
    static constexpr std::array read{"Machine", "Package", "NUMANode", "Bridge", "OSDev"};
    static constexpr std::array idle{"Core", "PU", "Die", "Group", "MemCache", "Misc"};
    if (type == "PCIDev") return;
    if (std::ranges::find(read, type) != read.end())
      ++share_.understood;
    else if (std::ranges::find(idle, type) != idle.end() || type.ends_with("Cache"))
      ++share_.without_effect;
    else
      share_.leave_out(fmt::format("objects of type {}", text::printable(type.substr(0, 40))));
  }

  void read_object(const pugi::xml_node& node, Place place, int depth) {
    const std::string_view type = type_of(node);
    count(type);
    if (type == "Machine") read_machine(node);
    if (type == "Package") {
      place.package = packages_++;
      take_processor(node);
    }
    // Host bridges ("0-1") are no piece of the tree: they are the processor's side of it.
    const bool bridge = type == "Bridge" && std::string_view(node.attribute("bridge_type").as_string()) == "1-1";
    if (bridge || type == "PCIDev") {
      const bool port = bridge && !place.at_port;
      const auto speed = port ? speed_below(node) : place.at_port ? place.link : speed_of(node);
      place.pci = pci_.add({place.pci, speed});
      place.at_port = port;
      place.link = speed;
    }
    if (type == "PCIDev") read_device(node, place);
    read_children(node, place, depth + 1);
  }

  /// POWER has no "CPUVendor".
  void take_processor(const pugi::xml_node& node) {
    if (!machine_.processor_vendor.empty()) return;
    machine_.processor_vendor = info(node, "CPUVendor");
    if (machine_.processor_vendor.empty() && info(node, "CPUModel").starts_with("POWER"))
      machine_.processor_vendor = "IBM";
  }

  /// Returns the speed of the link below a port. hwloc writes the present one, and links rest in generation 1; a GPU's
  /// own figure is NVML's, of the 16 lanes at work. Some GPUs rest with fewer lanes, too: then it is unknown.
  std::optional<BytesPerSecond> speed_below(const pugi::xml_node& port) {
    constexpr int gpu_lanes = 16, trusted_lanes = 8;
    const auto own = speed_of(port), below = fastest_below(port);
    if (!own || !below || *below <= *own) return own ? own : below;
    const auto lanes = first_generation_lanes(*own);
    if (!lanes) return own;
    return *lanes < trusted_lanes ? std::nullopt : std::optional(*below * std::min(1.0, 1.0 * *lanes / gpu_lanes));
  }

  std::optional<BytesPerSecond> fastest_below(const pugi::xml_node& node) {
    std::optional<BytesPerSecond> fastest;
    for (const pugi::xml_node& child : node.children("object"))
      for (const auto& speed : {speed_of(child), fastest_below(child)})
        if (speed && (!fastest || *fastest < *speed)) fastest = speed;
    return fastest;
  }

  void read_machine(const pugi::xml_node& node) {
    if (const std::string host = info(node, "HostName"); !host.empty()) machine_.name = host;
    take_processor(node);
  }

  /// Gigabytes per second; hwloc writes 0 if it is unknown.
  std::optional<BytesPerSecond> speed_of(const pugi::xml_node& node) {
    const pugi::xml_attribute attribute = node.attribute("pci_link_speed");
    if (!attribute) return std::nullopt;
    const std::string_view text = attribute.value();
    double speed = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), speed);
    constexpr double max_speed = 10'000;
    if (problem != std::errc{} || end != text.data() + text.size() || !(speed >= 0) || speed > max_speed) {
      keep(xml_.bad(
          fmt::format("found pci_link_speed={}, expected gigabytes a second", json::describe(json::Value(text))),
          node));
      return std::nullopt;
    }
    if (speed == 0) return std::nullopt;
    return gigabytes_per_second(speed);
  }

  void read_device(const pugi::xml_node& node, const Place& place) {
    const std::string_view text = node.attribute("pci_type").as_string();
    const auto type = pci_type_of(text);
    if (!type)
      return keep(xml_.bad(fmt::format("found pci_type={}, expected a class and an id such as 0302 [10de:20b2]",
                                       json::describe(json::Value(text))),
                           node));
    if (type->device_class.starts_with("02")) {
      ++share_.understood;
      return read_card(node);
    }
    if (std::string_view(node.attribute("subtype").as_string()) == "NVSwitch" ||
        (type->vendor == nvidia && type->device_class == "0680"))
      switches_.insert(node.attribute("gp_index").as_string());
    if (runs_kernels(node) || is_gpu(*type)) {
      ++share_.understood;
      return read_gpu(node, *type, place);
    }
    const bool display = type->device_class.starts_with("03");
    display ? share_.leave_out(fmt::format("the display adapter {}", text::printable(type->id)))
            : static_cast<void>(++share_.without_effect);
    if (display)
      machine_.notes.push_back(fmt::format("{}: the display adapter {} was left out", machine_.name, type->id));
  }

  /// AMD also makes graphics of servers (ES1000), whose class is that of the old Radeon cards.
  static bool is_gpu(const PciType& type) {
    const bool display = type.device_class.starts_with("03"), accelerator = type.device_class.starts_with("12");
    if (type.vendor == nvidia) return display || accelerator;
    return type.device_class == "0302" || (type.vendor == amd && (accelerator || type.device_class == "0380"));
  }

  static bool runs_kernels(const pugi::xml_node& node) {
    for (const pugi::xml_node& child : node.children("object"))
      if (const std::string_view kind = child.attribute("subtype").as_string();
          type_of(child) == "OSDev" &&
          (kind == "CUDA" || kind == "NVML" || kind == "RSMI" || kind == "OpenCL" || kind == "LevelZero"))
        return true;
    return false;
  }

  void read_gpu(const pugi::xml_node& node, const PciType& type, const Place& place) {
    if (gpus_.size() >= max_hwloc_gpus)
      return keep(xml_.bad(fmt::format("found more GPUs, expected at most {} of a host", max_hwloc_gpus), node));
    GpuOfTopology found;
    found.place = place;
    found.gpu.label = fmt::format("GPU{}", gpus_.size());
    found.gpu.pci_id = type.id;
    found.gpu.numa = place.numa;
    for (const pugi::xml_node& child : node.children("object")) {
      if (type_of(child) != "OSDev") continue;
      if (found.gpu.name.empty()) found.gpu.name = info(child, "GPUModel");
      for (const char* key : {"CUDAGlobalMemorySize", "RSMIVRAMSize"}) take_memory(child, key, found.gpu);
      if (const std::string index = child.attribute("gp_index").as_string(); !index.empty())
        gpu_of_index_[index] = gpus_.size();
    }
    if (found.gpu.name.empty()) found.gpu.name = name_in_brackets(info(node, "PCIDevice"));
    gpus_.push_back(std::move(found));
  }

  /// Kibibytes.
  static void take_memory(const pugi::xml_node& node, const char* key, FoundGpu& gpu) {
    const std::string text = info(node, key);
    std::int64_t kibibytes = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), kibibytes);
    if (problem == std::errc{} && end == text.data() + text.size() && kibibytes > 0 && kibibytes < limits::bytes / 1024)
      gpu.memory = Bytes(kibibytes * 1024);
  }

  /// "GA100 [A100 SXM4 80GB]", as pci.ids has it.
  static std::string name_in_brackets(const std::string& text) {
    const std::size_t open = text.find('['), close = text.find(']', open);
    return close == text.npos ? std::string() : text.substr(open + 1, close - open - 1);
  }

  /// InfiniBand alone where there is some: what else a server has is slow and serves other purposes.
  void read_card(const pugi::xml_node& node) {
    std::string name;
    bool fabric = false;
    for (const pugi::xml_node& child : node.children("object")) {
      if (type_of(child) != "OSDev") continue;
      const bool this_one = std::string_view(child.attribute("osdev_type").as_string()) == "3" ||
                            std::string_view(child.attribute("subtype").as_string()) == "OpenFabrics";
      if (name.empty() || (this_one && !fabric)) name = child.attribute("name").as_string();
      fabric |= this_one;
    }
    auto& cards = fabric ? fabric_cards_ : other_cards_;
    if (!name.empty() && cards.size() < max_hwloc_gpus) cards.push_back({name, {}});
  }

  // -- NVLink, xGMI
  /// Reads <distances2 name="NVLinkBandwidth"> or "XGMIBandwidth": megabytes per second between any two of its objects.
  /// With NVSwitches among them it is called distances2hetero, and gives the type of each ("OSDev:22").
  void read_links(const pugi::xml_node& topology) {
    machine_.shows_links = false;
    for (const pugi::xml_node& table : topology.children()) {
      const std::string_view kind = table.name(), name = table.attribute("name").as_string();
      if (kind != "distances2" && kind != "distances2hetero") continue;
      if (name != "NVLinkBandwidth" && name != "XGMIBandwidth") continue;
      machine_.shows_links = true;
      return read_link_table(table, name == "XGMIBandwidth");
    }
  }

  /// Lanes of 20 GB/s are those of the first generation, of 25 all others'.
  static int lanes_of(std::int64_t megabytes) {
    constexpr std::int64_t first = 20000, later = 25000;
    const std::int64_t lane = megabytes % later == 0 ? later : first;
    return static_cast<int>(std::clamp<std::int64_t>(megabytes / lane, 0, max_hwloc_lanes));
  }

  /// Two GPUs have between them the bandwidth that they have to NVSwitches.
  void add_lanes_over_switches(const std::vector<int>& to_switches) {
    for (std::size_t a = 0; a < lanes_.size(); ++a)
      for (std::size_t b = 0; b < lanes_.size(); ++b)
        if (a != b) lanes_[a][b] = std::min(max_hwloc_lanes, lanes_[a][b] + std::min(to_switches[a], to_switches[b]));
  }

  static std::vector<std::string_view> words_in(const pugi::xml_node& table, const char* element) {
    std::vector<std::string_view> words;
    for (const pugi::xml_node& part : table.children(element)) {
      std::string_view text = part.text().get();
      for (std::size_t at = text.find_first_not_of(" \t\r\n"); at != text.npos;
           at = text.find_first_not_of(" \t\r\n", at)) {
        const std::size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end;
      }
    }
    return words;
  }

  void read_link_table(const pugi::xml_node& table, bool xgmi) {
    const std::string_view name = table.attribute("name").as_string();
    auto indexes = words_in(table, "indexes");
    const auto values = words_in(table, "u64values");
    for (std::string_view& index : indexes) index.remove_prefix(index.find(':') + 1);  // npos + 1 is 0
    const std::size_t n = indexes.size();
    std::vector<int> to_switches(gpus_.size(), 0);
    if (n > 2 * max_hwloc_gpus || values.size() != n * n)
      return keep(xml_.bad(
          fmt::format("found {} values of {} between {} objects, expected a square", values.size(), name, n), table));
    lanes_.assign(gpus_.size(), std::vector<int>(gpus_.size(), 0));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const auto a = gpu_of_index_.find(std::string(indexes[i])), b = gpu_of_index_.find(std::string(indexes[j]));
        std::int64_t megabytes = 0;
        const std::string_view value = values[i * n + j];
        const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), megabytes);
        if (problem != std::errc{} || end != value.data() + value.size() || megabytes < 0)
          return keep(xml_.bad(
              fmt::format("found {} in {}, expected megabytes a second", json::describe(json::Value(value)), name),
              table));
        // The rate of xGMI is all that is known of it.
        const int lanes = xgmi ? megabytes > 0 : lanes_of(megabytes);
        if (a != gpu_of_index_.end() && switches_.contains(std::string(indexes[j])))
          to_switches[a->second] = std::min(max_hwloc_lanes, to_switches[a->second] + lanes);
        if (i == j || a == gpu_of_index_.end() || b == gpu_of_index_.end() || a->second == b->second) continue;
        // Each GPU may give its own direction; the smaller one counts.
        int& there = lanes_[b->second][a->second];
        lanes_[a->second][b->second] = lanes;
        if (there > 0 && lanes > 0) there = lanes_[a->second][b->second] = std::min(there, lanes);
        if (xgmi && lanes > 0) keep_rate(a->second, b->second, BytesPerSecond(1e6 * static_cast<double>(megabytes)));
      }
    add_lanes_over_switches(to_switches);
  }

  void keep_rate(std::size_t one, std::size_t other, BytesPerSecond rate) {
    const auto [found, first] = rates_.try_emplace(std::minmax(one, other), rate);
    found->second = std::min(found->second, rate);
  }

  // -- pairs
  Interconnect interconnect_between(std::size_t one, std::size_t other) const {
    const Place &a = gpus_[one].place, &b = gpus_[other].place;
    const PciPath path = pci_.path(a.pci, b.pci);
    if (!lanes_.empty() && lanes_[one][other] > 0) {
      const auto rate = rates_.find(std::minmax(one, other));
      return {InterconnectKind::nvlink, lanes_[one][other], path.narrowest,
              rate == rates_.end() ? std::nullopt : std::optional(rate->second)};
    }
    if (path.meets) {
      const bool one_bridge = path.first <= 2 && path.second <= 2;
      return {one_bridge ? InterconnectKind::pcie_switch : InterconnectKind::pcie_bridges, 0, path.narrowest};
    }
    if (packages_ > 1 && (a.package != b.package || a.package < 0))
      return {InterconnectKind::system, 0, path.narrowest};
    return {a.numa == b.numa ? InterconnectKind::host_bridge : InterconnectKind::numa_node, 0, path.narrowest};
  }

  Result<FoundMachines> finish() {
    if (gpus_.empty())
      return fail(ErrorCode::bad_input,
                  "found no GPU, expected a PCIDev of class 03; lstopo leaves devices out without --whole-io");
    machine_.nics = fabric_cards_.empty() ? std::move(other_cards_) : std::move(fabric_cards_);
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      std::vector<Interconnect>& row = machine_.joints.emplace_back();
      for (std::size_t j = 0; j < gpus_.size(); ++j)
        row.push_back(i == j ? Interconnect{} : j < i ? machine_.joints[j][i] : interconnect_between(i, j));
    }
    for (GpuOfTopology& found : gpus_) machine_.gpus.push_back(std::move(found.gpu));
    FoundMachines found;
    found.machines.push_back(std::move(machine_));
    found.shares.push_back(std::move(share_));
    return found;
  }

  XmlText xml_;
  ImportShare share_{.unit = "object"};
  DetectedMachine machine_;
  PciTree pci_;
  std::vector<GpuOfTopology> gpus_;
  std::set<std::string> switches_;                   ///< gp_index of NVSwitches
  std::map<std::string, std::size_t> gpu_of_index_;  ///< by gp_index of what the system calls them
  std::vector<std::vector<int>> lanes_;              ///< GPU x GPU; empty if there is no data on NVLink
  std::map<std::pair<std::size_t, std::size_t>, BytesPerSecond> rates_;  ///< of links by their two GPUs, where known
  std::vector<FoundNic> fabric_cards_, other_cards_;
  int packages_ = 0;
  std::optional<Error> problem_;
};

}  // namespace

bool looks_like_hwloc_topology(const std::string& text) {
  const std::string_view start = std::string_view(text).substr(0, hwloc_head);
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (first == start.npos || start[first] != '<') return false;
  const std::size_t root = start.find("<topology");
  return root != start.npos && root < start.find("<system");
}

Result<FoundMachines> machines_from_hwloc(const std::string& text, const std::string& name) {
  return TopologyReader(text, name).read();
}

}  // namespace pipedeck::io::topology
