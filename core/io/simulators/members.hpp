// SPDX-License-Identifier: Apache-2.0
// The share of a file's values that its reader asked for.
#pragma once

#include "core/base/import_share.hpp"
#include "core/io/json/reader.hpp"

namespace pipedeck::io::simulators {

/// Returns the share of the values in `document`, after `in`, its reader, was asked for all that is read. A value is a
/// member that holds no object and no list of objects. Takes the unknown members of the reader.
ImportShare share_of(const json::Value& document, json::ObjectReader& in);

}  // namespace pipedeck::io::simulators
