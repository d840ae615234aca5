// SPDX-License-Identifier: Apache-2.0
// Names of kinds of operations, items of memory and parts of the time in legends and tables.
#pragma once

#include <string>

#include "core/model/explanation.hpp"
#include "core/model/memory_verdict.hpp"
#include "core/model/schedule.hpp"
#include "core/model/simulation.hpp"
#include "core/model/workload.hpp"
#include "core/study/reports/translator.hpp"

namespace pipedeck::study::reports {

std::string label_of(const Translator& words, OpKind kind);    // "weight gradient"; both ends of a transfer "transfer"
std::string file_label(const Translator& words, OpKind kind);  // "backward weight", "send", as in the file formats
std::string label_of(const Translator& words, MemoryItem item);     // "optimizer state"
std::string label_of(const Translator& words, TimePart part);       // "point to point"
std::string label_of(const Translator& words, Fit fit);             // "yes (at most: no)"
std::string label_of(const Translator& words, Collectives choice);  // "the quicker of a flat and a hierarchical ring"

}  // namespace pipedeck::study::reports
