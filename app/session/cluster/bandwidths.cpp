// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/cluster/bandwidths.hpp"

#include "core/study/bandwidths.hpp"

namespace pipedeck::session::cluster {

Bandwidths bandwidths_of(const Cluster& cluster) {
  return pipedeck::study::bandwidths_of(cluster).value_or(Bandwidths());
}

}  // namespace pipedeck::session::cluster
