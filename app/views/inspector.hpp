// SPDX-License-Identifier: GPL-3.0-or-later
// What is selected, with its numbers and the reasons for it.
#pragma once

#include <memory>

#include <QScrollArea>

#include "app/models/inspector_content.hpp"

namespace pipedeck::app {

struct InspectorPage;

class Inspector : public QScrollArea {
  Q_OBJECT

 public:
  explicit Inspector(QWidget* parent = nullptr);
  ~Inspector() override;

  void set_content(const InspectorContent& content);
  /// Nothing is selected; `hint` says what to do.
  void clear(const QString& hint = {});
  const InspectorContent& content() const { return content_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void rebuild();

  std::unique_ptr<InspectorPage> page_;
  InspectorContent content_;
  QString hint_;
  bool empty_ = true;
};

}  // namespace pipedeck::app
