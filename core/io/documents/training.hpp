// SPDX-License-Identifier: Apache-2.0
// The member "training" of a plan of format version 2 (formats.md, "Plan").
#pragma once

#include "core/io/json/reader.hpp"
#include "core/io/json/value.hpp"
#include "core/model/training.hpp"

namespace pipedeck::io::documents {

/// Reads the object's members. A missing one has its default; precision: the profile's.
StepChoices parse_choices(json::ObjectReader& in);

/// Returns the member "adapters".
json::Value adapters_to_json(const Adapters& adapters);

/// Returns the object with the members that differ from their defaults.
json::Value choices_to_json(const StepChoices& choices);

}  // namespace pipedeck::io::documents
