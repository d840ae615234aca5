// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/ibstat.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/io/text/decimal.hpp"
#include "core/io/text/line_tally.hpp"
#include "core/io/text/lines.hpp"
#include "core/io/text/printable.hpp"
#include "core/io/text/utf8.hpp"

namespace pipedeck::io::topology {
namespace {

constexpr std::size_t max_ibstat_text = std::size_t{1} << 20;
constexpr std::size_t max_ports = 256;
constexpr double max_gigabits = 100'000;

struct Port {
  std::string card;
  int line = 0;
  bool active = false, ethernet = false;
  std::optional<double> gigabits{};
};

/// Returns the card's name of "CA 'mlx5_0'"; empty: the line is another one.
std::string_view card_in(std::string_view line) {
  constexpr std::string_view begin = "CA '";
  if (!line.starts_with(begin)) return {};
  const std::string_view rest = line.substr(begin.size());
  return rest.substr(0, std::min(rest.find('\''), rest.size()));
}

class IbstatReader {
 public:
  Result<void> read(std::string_view raw, int number) {
    if (!text::is_utf8(raw)) return bad("found bytes that are not UTF-8, expected text", number);
    const std::string_view line = text::trimmed(raw);
    if (line.empty()) return {};
    if (const std::string_view card = card_in(line); !card.empty()) {
      card_ = card, in_port_ = false;
      tally_.understand();
      return {};
    }
    const std::size_t colon = line.find(':');
    const std::string_view key = text::trimmed(line.substr(0, colon));
    const std::string_view value = colon == line.npos ? std::string_view() : text::trimmed(line.substr(colon + 1));
    if (key.starts_with("Port ") && value.empty() && colon != line.npos) return begin_port(number);
    return in_port_ ? read_fact(key, value, line, number) : pass(colon != line.npos && !card_.empty(), line, number);
  }

  Result<FoundMachines> finish(const std::string& name) {
    DetectedMachine machine;
    machine.name = name;
    machine.source = "ibstat";
    const bool fabric = std::ranges::any_of(ports_, [](const Port& port) { return port.active && !port.ethernet; });
    ImportShare share = tally_.share();
    for (const Port& port : ports_) {
      if (!port.active || (fabric && port.ethernet)) {
        machine.notes.push_back(fmt::format("{}: a port that {} was left out", text::printable(port.card),
                                            port.active ? "is of Ethernet" : "is not active"));
        share.leave_out(machine.notes.back());
        continue;
      }
      if (!port.gigabits) return bad("found an active port without its rate, expected it", port.line);
      add(machine.nics, port);
    }
    if (machine.nics.empty()) return fail(ErrorCode::bad_input, "found no active port, expected one with its rate");
    FoundMachines found;
    found.machines.push_back(std::move(machine));
    found.shares.push_back(std::move(share));
    return found;
  }

 private:
  static tl::unexpected<Error> bad(std::string message, int line) {
    return fail(ErrorCode::bad_input, std::move(message), fmt::format("line {}", line));
  }

  Result<void> begin_port(int line) {
    if (card_.empty()) return bad("found a port without its card, expected a line CA 'NAME' before it", line);
    if (ports_.size() >= max_ports)
      return bad(fmt::format("found more than {} ports, expected at most that", max_ports), line);
    ports_.push_back({card_, line});
    in_port_ = true;
    tally_.understand();
    return {};
  }

  Result<void> read_fact(std::string_view key, std::string_view value, std::string_view line, int number) {
    Port& port = ports_.back();
    if (key == "State") port.active = value == "Active";
    if (key == "Link layer") port.ethernet = value == "Ethernet";
    if (key == "Rate") {
      // Newer ones print "400 Gb/s (NDR)".
      port.gigabits = text::decimal_to_double(value.substr(0, value.find(' ')));
      if (!port.gigabits || !(*port.gigabits > 0) || *port.gigabits > max_gigabits)
        return bad(fmt::format("found the rate {}, expected Gbit/s from above 0 to {:.0f}", text::printable(value),
                               max_gigabits),
                   number);
    }
    if (key == "State" || key == "Link layer" || key == "Rate") {
      tally_.understand();
      return {};
    }
    return pass(!value.empty(), line, number);
  }

  Result<void> pass(bool is_fact, std::string_view line, int number) {
    is_fact ? tally_.ignore() : tally_.leave_out(line, number);
    return {};
  }

  static void add(std::vector<FoundNic>& nics, const Port& port) {
    const BytesPerSecond rate(*port.gigabits * 1e9 / 8);
    const auto same = std::ranges::find(nics, port.card, &FoundNic::name);
    if (same == nics.end())
      nics.push_back({port.card, rate});
    else
      *same->bandwidth += rate;
  }

  std::string card_;
  bool in_port_ = false;
  std::vector<Port> ports_;
  text::LineTally tally_;
};

}  // namespace

bool looks_like_ibstat(const std::string& text) {
  constexpr std::size_t ibstat_head = std::size_t{1} << 16;
  bool card = false, ports = false;
  text::for_lines(std::string_view(text).substr(0, ibstat_head), [&](std::string_view line, int) {
    line = text::trimmed(line);
    card = card || !card_in(line).empty();
    ports = card && (line.starts_with("CA type:") || line.starts_with("Number of ports:") || line == "Port 1:");
    return !ports;
  });
  return ports;
}

Result<FoundMachines> machines_from_ibstat(const std::string& text, const std::string& name) {
  if (text.size() > max_ibstat_text)
    return fail(ErrorCode::bad_input, fmt::format("found {} bytes, expected at most {}", text.size(), max_ibstat_text));
  IbstatReader reader;
  Result<void> read;
  text::for_lines(text,
                  [&](std::string_view line, int number) { return (read = reader.read(line, number)).has_value(); });
  if (!read) return tl::unexpected(std::move(read.error()));
  return reader.finish(name);
}

}  // namespace pipedeck::io::topology
