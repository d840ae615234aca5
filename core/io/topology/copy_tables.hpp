// SPDX-License-Identifier: Apache-2.0
// The tables of p2pBandwidthLatencyTest and nvbandwidth, in whatever form they come: what each of them shows, and what
// they come to together.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::io::topology {

/// The content of the table under a title, and the power of ten of its unit.
struct P2pMatrixTitle {
  enum class MatrixMetric { bandwidth, latency } shown;
  int shift;
};

/// Recognises "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)", "memcpy CE GPU(row) -> GPU(column)
/// bandwidth (GB/s)" and similar titles. Tables of both directions at once ("Bidirectional", "<->") do not give each
/// one's share.
std::optional<P2pMatrixTitle> copy_title_in(std::string_view line);

/// From row to column, of all tables the greatest bandwidth and the least latency.
class P2pMatrices {
 public:
  static constexpr std::size_t max_gpus = 1024;

  /// Sets the size of each table. Returns its error, or nothing.
  std::optional<std::string> set_size(std::size_t gpus);
  /// `word` is a figure, or "N/A", or on the diagonal, where nothing is looked at; what is wrong with it, or nothing.
  std::optional<std::string> put(const P2pMatrixTitle& title, std::size_t row, std::size_t column,
                                 std::string_view word);
  /// Names a GPU and its host; an empty host is not known.
  void name(std::size_t gpu, std::string_view name, std::string_view host) {
    names_.insert_or_assign(gpu, std::string(name));
    if (!host.empty()) hosts_.insert_or_assign(gpu, std::string(host));
  }

  /// Returns a machine whose joints have the slower of both directions. GPUs of several hosts are a table of bandwidths
  /// instead. `name` is the machine's unless its host is known. bad_input if there was no bandwidth.
  Result<FoundMachines> machines(const std::string& name, std::string source, ImportShare share) const;

 private:
  bool of_several_hosts() const;
  Result<FoundMachines> table(const std::string& name, const std::string& source) const;

  std::map<std::size_t, std::string> names_, hosts_;
  std::vector<std::vector<double>> bandwidths_, latencies_;  ///< 0: not measured
};

}  // namespace pipedeck::io::topology
