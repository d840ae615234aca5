// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the mesh editor as they are shown: a dimension each, with its values and what they would change.
#pragma once

#include <vector>

#include <QString>

namespace pipedeck::models::mesh {

/// A judgement of a value, which its second line has in colour.
enum class Tone { now, plain, better, too_large, impossible };

/// A value of a dimension.
struct Degree {
  int value = 0;
  QString text;   ///< "8"
  QString below;  ///< "+16.3 %"
  QString tip;
  Tone tone = Tone::plain;
  bool on = false;  ///< of a switch: it is on now
  bool operator==(const Degree&) const = default;
};

struct Row {
  int dimension = 0;
  int group = -1;  ///< number of its colour; -1: none
  QString name, about;
  QString note;  ///< behind the degrees
  std::vector<Degree> degrees;
  bool switches = false;  ///< each degree is a switch of its own
  bool locked = false;
  QString bytes, exposed, memory;
  double share = 0;  ///< exposed time of the iteration
  bool operator==(const Row&) const = default;
};

/// A factor of the number of devices.
struct Factor {
  QString name;
  int degree = 1;
  int group = -1;
  bool operator==(const Factor&) const = default;
};

struct Sheet {
  std::vector<Factor> product;
  QString total;    ///< "64 GPUs"
  QString verdict;  ///< "31.1 s, 73.5 of 80 GiB"
  bool fits = true;
  std::vector<Row> rows;
  bool operator==(const Sheet&) const = default;
};

}  // namespace pipedeck::models::mesh
