// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/nccl.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/json/value.hpp"
#include "core/io/text/printable.hpp"
#include "core/io/topology/pci_tree.hpp"
#include "core/io/topology/xml_text.hpp"

namespace pipedeck::io::topology {
namespace {

constexpr std::size_t max_gpus_per_host = 256;  // of a host
constexpr std::size_t max_gpus = 4096;          // of a dump
constexpr std::size_t max_links = 256;          // entries of a GPU
constexpr int max_nccl_lanes = 1024;

struct LinkEnd {
  std::string target, target_class;
  int lanes = 0;
};

struct GpuOfDump {
  FoundGpu gpu;
  int order = 0;  ///< rank if given, else dev, else position
  int pci = -1, cpu = 0;
  std::string bus;
  std::vector<LinkEnd> links;
};

struct Host {
  std::string vendor;
  std::vector<GpuOfDump> gpus;
  std::vector<GpuOfDump> unnamed;  ///< devices of a GPU's class without the element gpu
  std::size_t unnamed_cards = 0;   ///< the same of network cards
  std::vector<FoundNic> nics;
  std::vector<std::string> nic_ids;
};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return text;
}

class DumpReader {
 public:
  DumpReader(const std::string& text, const std::string& name) : xml_(text), name_(name) {}

  Result<FoundMachines> read() {
    TRY_VOID(xml_.load());
    const pugi::xml_node system = xml_.document().child("system");
    if (!system)
      return fail(ErrorCode::bad_input, "found XML without a system, expected the file that NCCL_TOPO_DUMP_FILE names");
    // RCCL's are 2: they have gcn in addition to sm.
    if (const std::string version = system.attribute("version").as_string("1"); version != "1" && version != "2")
      return bad(fmt::format("found version {}, expected 1 or 2", json::describe(json::Value(version))), system);
    read_processors(system);
    if (problem_) return tl::unexpected(std::move(*problem_));
    return finish();
  }

 private:
  // -- errors, by line
  tl::unexpected<Error> bad(std::string message, const pugi::xml_node& node) const {
    return xml_.bad(std::move(message), node);
  }
  void keep(const tl::unexpected<Error>& error) {
    if (!problem_) problem_ = error.value();
  }

  /// A whole number in an attribute; nothing where there is none.
  std::optional<int> number(const pugi::xml_node& node, const char* key, int least, int most) {
    return xml_.number(node, key, least, most, problem_);
  }

  // -- the tree
  /// In the order of the file.
  Host& host_of(const pugi::xml_node& cpu) {
    const auto [at, added] = host_of_hash_.emplace(cpu.attribute("host_hash").as_string(), hosts_.size());
    if (added) hosts_.emplace_back();
    return hosts_[at->second];
  }

  void read_processors(const pugi::xml_node& system) {
    int index = 0;
    for (const pugi::xml_node& cpu : system.children("cpu")) {
      Host& host = host_of(cpu);
      ++share_.understood;
      if (host.vendor.empty()) host.vendor = cpu.attribute("vendor").as_string();
      numa_ = number(cpu, "numaid", -1, 1 << 20);
      if (numa_ == -1) numa_.reset();
      read_children(cpu, host, index++, -1, 1);
      if (problem_) return;
    }
  }

  /// Counts an element; comments are none.
  void count(const pugi::xml_node& node, bool understood) {
    if (node.type() != pugi::node_element) return;
    if (understood)
      ++share_.understood;
    else
      share_.leave_out(fmt::format("elements {}", text::printable(std::string_view(node.name()).substr(0, 40))));
  }

  void read_children(const pugi::xml_node& parent, Host& host, int cpu, int pci, int depth) {
    if (depth > max_xml_depth) return keep(bad("found nesting deeper than any machine's", parent));
    for (const pugi::xml_node& node : parent.children()) {
      const std::string_view kind = node.name();
      count(node, kind == "pci" || kind == "gpu" || kind == "nic");
      if (kind == "pci") read_pci(node, host, cpu, pci, depth);
      if (kind == "gpu") read_gpu(node, parent, host, cpu, pci);
      if (kind == "nic") read_nic(node, host);
      if (problem_) return;
    }
  }

  void read_pci(const pugi::xml_node& node, Host& host, int cpu, int parent, int depth) {
    const auto link = pcie_of(node);
    const int position = pci_.add({parent, link ? std::optional(pcie_bandwidth(*link)) : std::nullopt});
    pci_links_.push_back(link);
    read_children(node, host, cpu, position, depth + 1);
    if (!problem_ && !node.first_child()) read_leaf(node, host, cpu, position);
  }

  /// Files for NCCL_TOPO_FILE, as clouds publish them, have the tree alone: the class identifies GPUs and cards.
  void read_leaf(const pugi::xml_node& pci, Host& host, int cpu, int position) {
    const std::string_view device_class = pci.attribute("class").as_string();
    const auto is = [&](std::string_view begin) { return device_class.starts_with(begin); };
    if (is("0x02") && host.unnamed_cards < max_gpus_per_host) ++host.unnamed_cards;
    if (!is("0x0302") && !is("0x0380") && !is("0x12")) return;
    if (host.unnamed.size() >= max_gpus_per_host || ++unnamed_told_ > max_gpus) return too_many(pci);
    host.unnamed.push_back(gpu_at(pci, cpu, position));
  }

  /// "16.0 GT/s PCIe" and a width. Some virtual machines write 0 for unknown; Linux reads 63 and 255 from others.
  std::optional<PciExpress> pcie_of(const pugi::xml_node& node) {
    constexpr int widest = 32;
    std::optional<int> width;
    if (!std::string_view(node.attribute("link_width").as_string()).empty()) width = number(node, "link_width", 0, 255);
    if (width && *width > widest) width.reset();
    const std::string_view speed = node.attribute("link_speed").as_string();
    double rate = 0;
    const auto [end, problem] = std::from_chars(speed.data(), speed.data() + speed.size(), rate);
    if (speed.empty() || speed.starts_with("Unknown")) return std::nullopt;
    if (problem != std::errc{} || !(rate > 0) || rate > 1000 ||
        !std::string_view(end, speed.end()).starts_with(" GT")) {
      keep(bad(
          fmt::format("found link_speed={}, expected transfers such as 16 GT/s", json::describe(json::Value(speed))),
          node));
      return std::nullopt;
    }
    if (!width || *width == 0) return std::nullopt;
    const int generation = rate < 4 ? 1 : rate < 7 ? 2 : rate < 12 ? 3 : rate < 24 ? 4 : rate < 48 ? 5 : 6;
    return PciExpress{generation, *width};
  }

  /// Returns a GPU with the information of its place in the tree.
  GpuOfDump gpu_at(const pugi::xml_node& pci, int cpu, int position) const {
    GpuOfDump found;
    found.gpu.numa = numa_;
    found.pci = position;
    found.cpu = cpu;
    found.bus = lower(pci.attribute("busid").as_string());
    if (position >= 0) found.gpu.pcie = pci_links_[static_cast<std::size_t>(position)];
    const auto hex = [&](const char* key) {
      const std::string value = lower(pci.attribute(key).as_string());
      return value.starts_with("0x") ? value.substr(2) : value;
    };
    if (!hex("vendor").empty() && !hex("device").empty()) found.gpu.pci_id = hex("vendor") + ":" + hex("device");
    return found;
  }

  void too_many(const pugi::xml_node& node) {
    keep(
        bad(fmt::format("found more GPUs, expected at most {} of a host and {} of a dump", max_gpus_per_host, max_gpus),
            node));
  }

  void read_gpu(const pugi::xml_node& node, const pugi::xml_node& pci, Host& host, int cpu, int position) {
    if (host.gpus.size() >= max_gpus_per_host || ++gpus_told_ > max_gpus) return too_many(node);
    GpuOfDump found = gpu_at(pci, cpu, position);
    const auto device = number(node, "dev", 0, 1 << 20), rank = number(node, "rank", 0, 1 << 30);
    found.order = rank.value_or(device.value_or(static_cast<int>(host.gpus.size())));
    const int architecture = number(node, "sm", 0, 1000).value_or(0);
    if (const std::string gcn = lower(node.attribute("gcn").as_string()); gcn.empty())
      found.gpu.architecture = architecture;
    else
      found.gpu.name = gcn == "910" ? "AMD gfx90a" : (gcn.starts_with("gfx") ? "AMD " : "AMD gfx") + gcn;
    if (found.bus.empty()) return keep(bad("found a GPU outside of a pci with a busid", node));
    read_links(node, found);
    host.gpus.push_back(std::move(found));
  }

  void read_links(const pugi::xml_node& node, GpuOfDump& gpu) {
    for (const pugi::xml_node& link : node.children()) {
      const std::string_view kind = link.name();
      const bool is_link = kind == "nvlink" || kind == "xgmi";
      count(link, is_link);
      if (!is_link) continue;
      if (gpu.links.size() >= max_links) return keep(bad("found more links than any GPU has", link));
      const auto lanes = number(link, "count", 1, max_nccl_lanes);
      const std::string target = lower(link.attribute("target").as_string());
      if (target.empty()) return keep(bad("found a link without a target", link));
      gpu.links.push_back({target, lower(link.attribute("tclass").as_string()), lanes.value_or(1)});
    }
  }

  /// One card may appear under each CPU: its guid identifies it, else its name.
  void read_nic(const pugi::xml_node& node, Host& host) {
    for (const pugi::xml_node& net : node.children()) {
      const bool is_net = std::string_view(net.name()) == "net";
      count(net, is_net);
      if (!is_net) continue;
      const std::string name = net.attribute("name").as_string();
      const std::string guid = net.attribute("guid").as_string();
      const std::string id = guid.empty() || guid == "0x0" ? name : guid + "/" + net.attribute("port").as_string();
      const auto megabits = number(net, "speed", 0, 100'000'000);
      if (std::ranges::find(host.nic_ids, id) != host.nic_ids.end()) continue;
      if (host.nics.size() >= max_gpus_per_host) return keep(bad("found too many network cards", net));
      host.nic_ids.push_back(id);
      host.nics.push_back({name, {}});
      if (megabits.value_or(0) > 0) host.nics.back().bandwidth = BytesPerSecond(*megabits * 1e6 / 8);
    }
  }

  // -- pairs
  static bool is_switch(const LinkEnd& end) { return end.target_class.starts_with("0x0680"); }

  /// The direct connection of two GPUs, or through switches that both are joined to.
  static int lanes_between(const GpuOfDump& a, const GpuOfDump& b) {
    int direct = 0, from_a = 0, from_b = 0;
    for (const LinkEnd& end : a.links) {
      if (end.target == b.bus) direct += end.lanes;
      if (is_switch(end)) from_a += end.lanes;
    }
    for (const LinkEnd& end : b.links)
      if (is_switch(end)) from_b += end.lanes;
    return std::min(direct + std::min(from_a, from_b), max_nccl_lanes);
  }

  Interconnect interconnect_between(const GpuOfDump& a, const GpuOfDump& b) const {
    const PciPath path = pci_.path(a.pci, b.pci);
    if (const int lanes = lanes_between(a, b); lanes > 0) return {InterconnectKind::nvlink, lanes, path.narrowest};
    if (a.cpu != b.cpu) return {InterconnectKind::system, 0, path.narrowest};
    if (!path.meets) return {InterconnectKind::host_bridge, 0, path.narrowest};
    const bool one_bridge = path.first == 1 && path.second == 1;
    return {one_bridge ? InterconnectKind::pcie_switch : InterconnectKind::pcie_bridges, 0, path.narrowest};
  }

  DetectedMachine machine_of(Host& host) const {
    DetectedMachine machine{.name = name_,
                            .source = "NCCL topology",
                            .processor_vendor = host.vendor,
                            .gpus = {},
                            .joints = {},
                            .nics = std::move(host.nics),
                            .notes = {}};
    std::ranges::stable_sort(host.gpus, {}, &GpuOfDump::order);
    std::size_t lost = 0;
    for (std::size_t i = 0; i < host.gpus.size(); ++i) {
      FoundGpu& gpu = machine.gpus.emplace_back(host.gpus[i].gpu);
      gpu.label = fmt::format("GPU{}", i);
      std::vector<Interconnect>& row = machine.joints.emplace_back();
      for (std::size_t j = 0; j < host.gpus.size(); ++j)
        row.push_back(i == j  ? Interconnect{}
                      : j < i ? machine.joints[j][i]
                              : interconnect_between(host.gpus[i], host.gpus[j]));
      for (const LinkEnd& end : host.gpus[i].links)
        lost += !is_switch(end) && end.target_class.starts_with("0x03") &&
                std::ranges::find(host.gpus, end.target, &GpuOfDump::bus) == host.gpus.end();
    }
    if (!machine.gpus.empty() && machine.gpus.front().name.starts_with("AMD gfx"))
      machine.notes.push_back(
          fmt::format("The file has the GPUs' architecture alone: {}", machine.gpus.front().name.substr(4)));
    if (lost > 0)
      machine.notes.push_back(
          fmt::format("{} links lead to GPUs that the dump does not have; they were left out", lost));
    return machine;
  }

  /// For a file without any gpu. It does not contain their connections: NVLink is listed at gpus alone.
  DetectedMachine machine_of_unnamed(Host& host) const {
    host.gpus = std::move(host.unnamed);
    for (std::size_t i = 0; i < host.unnamed_cards; ++i) host.nics.push_back({fmt::format("NIC{}", i), {}});
    DetectedMachine machine = machine_of(host);
    for (std::vector<Interconnect>& row : machine.joints)
      for (Interconnect& joint : row)
        if (joint.kind != InterconnectKind::self) joint = {InterconnectKind::unknown, 0, {}};
    machine.notes.push_back(
        fmt::format("The file marks no device as a gpu: {} count as GPUs by their class", machine.gpus.size()));
    return machine;
  }

  Result<FoundMachines> finish() {
    FoundMachines found;
    for (Host& host : hosts_) {
      if (!host.gpus.empty()) found.machines.push_back(machine_of(host));
      if (gpus_told_ == 0 && !host.unnamed.empty()) found.machines.push_back(machine_of_unnamed(host));
    }
    if (found.machines.empty())
      return fail(ErrorCode::bad_input, "found no GPU, expected at least one gpu inside of system, cpu, pci");
    found.shares.push_back(share_);
    return found;
  }

  XmlText xml_;
  ImportShare share_{.unit = "element"};
  const std::string& name_;
  PciTree pci_;
  std::vector<std::optional<PciExpress>> pci_links_;  ///< of the nodes of the tree
  std::vector<Host> hosts_;
  std::map<std::string, std::size_t> host_of_hash_;
  std::size_t gpus_told_ = 0, unnamed_told_ = 0;
  std::optional<int> numa_;
  std::optional<Error> problem_;
};

}  // namespace

bool looks_like_xml(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '<';
}

Result<FoundMachines> machines_from_nccl(const std::string& text, const std::string& name) {
  return DumpReader(text, name).read();
}

}  // namespace pipedeck::io::topology
