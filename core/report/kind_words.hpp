// SPDX-License-Identifier: Apache-2.0
// Names of kinds of operations, items of memory and parts of the time in legends and tables.
#pragma once

#include <string>

#include "core/domain/explanation.hpp"
#include "core/domain/memory_verdict.hpp"
#include "core/domain/schedule.hpp"
#include "core/domain/simulation.hpp"
#include "core/domain/workload.hpp"
#include "core/report/words.hpp"

namespace pipedeck::reports {

std::string words_of(const Words& words, OpKind kind);       // "weight gradient"; both ends of a transfer "transfer"
std::string file_words_of(const Words& words, OpKind kind);  // "backward weight", "send", as the file formats tell them
std::string words_of(const Words& words, MemoryItem item);   // "optimizer state"
std::string words_of(const Words& words, TimePart part);     // "point to point"
std::string words_of(const Words& words, Fit fit);           // "yes (at most: no)"
std::string words_of(const Words& words, Collectives choice);  // "the quicker of a flat and a hierarchical ring"

}  // namespace pipedeck::reports
