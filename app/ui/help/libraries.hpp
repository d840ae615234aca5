// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QString>

namespace pipedeck::ui::help {

/// A part of the program with its licence.
struct Library {
  QString name, version;
  QString licence;  ///< an SPDX expression
  QString file;     ///< with the licence's text; empty: it is not here
};

/// Returns the libraries in a self-contained archive, by its bill of materials (pipedeck.spdx.json in `folder`).
/// Without one, returns the libraries that the program was built with. packaging/licences.csv has the licences of both.
std::vector<Library> libraries_in(const QString& folder);

}  // namespace pipedeck::ui::help
