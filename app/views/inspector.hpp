// SPDX-License-Identifier: GPL-3.0-or-later
// A panel with the selected item, its metrics and the reasons for them.
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
  /// Shows that nothing is selected; `hint` suggests what to do.
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
