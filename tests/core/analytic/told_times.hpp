// SPDX-License-Identifier: Apache-2.0
// Sums of a layer's formulas.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <QTest>

#include "tests/support/figure_arithmetic.hpp"

namespace pipedeck::test {

/// A layer's formulas in seconds, each evaluated and compared with its own figure.
struct ToldTimes {
  double forward = 0, backward = 0, weights = 0;
  bool tiled = false, moved = false, again = false;
};
inline ToldTimes told_times(const std::vector<std::string>& figures) {
  ToldTimes told;
  for (const std::string& figure : figures) {
    const QString text = QString::fromStdString(figure);
    if (!text.startsWith("forward, ") && !text.startsWith("backward, ")) continue;
    const QString formula = text.section(": ", -1).section(" = ", 0, 0), result = text.section(" = ", 1);
    const double value = FormulaEvaluator::value_of(formula.toStdString());
    const double shown = result.chopped(3).toDouble() * 1e-3;
    [&] { QVERIFY2(result.endsWith(" ms") && std::abs(value - shown) <= 3e-3 * shown, figure.c_str()); }();
    (text.startsWith("forward") ? told.forward : told.backward) += value;
    if (text.startsWith("backward, weights of ")) told.weights += value;
    told.tiled |= text.contains("of its shape"), told.moved |= text.contains("MB / (");
    told.again |= text.startsWith("backward, all else: ") && text.count("MB / (") == 2;
  }
  return told;
}

}  // namespace pipedeck::test
