// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pipedeck::io::profiles {

/// The kind of a layer by what people call it: "Conv2d(3, 64, ...)" is a convolution. "other" where nothing fits.
std::string infer_layer_kind(const std::string& description);

}  // namespace pipedeck::io::profiles
