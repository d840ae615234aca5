// SPDX-License-Identifier: GPL-3.0-or-later
// The machine that the command line finds while one of these objects exists: GPUs of the stand-in for NVIDIA's
// libraries, and a library in place of the driver's NVML, described by environment variables (stand_in_gpus.cpp,
// fake_nvml.cpp).
#pragma once

#include <QByteArray>
#include <QList>

#include "tests/support/places.hpp"

namespace pipedeck::test {

class FakeGpus {
 public:
  /// "FAKE_GPUS=1"
  explicit FakeGpus(const QList<QByteArray>& settings = {}) {
    set("LD_LIBRARY_PATH", PIPEDECK_FAKE_DRIVER);
    for (const QByteArray& setting : settings) {
      const qsizetype equals = setting.indexOf('=');
      set(setting.left(equals), setting.mid(equals + 1));
    }
  }
  ~FakeGpus() {
    for (const QByteArray& name : names_) qunsetenv(name);
  }
  FakeGpus(const FakeGpus&) = delete;
  FakeGpus& operator=(const FakeGpus&) = delete;

 private:
  void set(const QByteArray& name, const QByteArray& value) {
    names_ << name;
    qputenv(name, value);
  }
  QList<QByteArray> names_;
};

}  // namespace pipedeck::test
