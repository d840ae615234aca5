// SPDX-License-Identifier: GPL-3.0-or-later
// A panel with the selected item, its metrics and the reasons for them.
#pragma once

#include <memory>

#include <QScrollArea>

#include "app/models/compare/inspector_content.hpp"

namespace pipedeck::views::compare {

struct InspectorPage;

class Inspector : public QScrollArea {
  Q_OBJECT

 public:
  explicit Inspector(QWidget* parent = nullptr);
  ~Inspector() override;

  void set_content(const models::compare::InspectorContent& content);
  /// Shows that nothing is selected; `hint` suggests what to do.
  void clear(const QString& hint = {});
  const models::compare::InspectorContent& content() const { return content_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void rebuild();

  std::unique_ptr<InspectorPage> page_;
  models::compare::InspectorContent content_;
  QString hint_;
  bool empty_ = true;
};

}  // namespace pipedeck::views::compare
