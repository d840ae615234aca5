// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/text/in_qt.hpp"

namespace pipedeck::text {

QString to_qstring(const Error& error) {
  Error shown = error;
  if (error.file.empty() && error.place.starts_with('/')) shown.place.clear();
  return to_qstring(shown.text());
}

}  // namespace pipedeck::text
