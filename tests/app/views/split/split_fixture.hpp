// SPDX-License-Identifier: GPL-3.0-or-later
// A split editor with a plan of two stages, and hands for it.
#pragma once

#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include "app/views/split/editor.hpp"
#include "tests/app/models/samples.hpp"

namespace pipedeck::test {

using Numbers = std::vector<std::int32_t>;

inline Numbers on(const Plan& plan, std::size_t stage) {
  Numbers numbers;
  for (DeviceId device : plan.stages[stage].devices) numbers.push_back(device.value);
  return numbers;
}

class SplitFixture : public QObject {
 protected:
  std::shared_ptr<const Profile> profile_ = std::make_shared<const Profile>(samples::profile());
  std::shared_ptr<const Cluster> cluster_ = std::make_shared<const Cluster>(samples::cluster());
  std::unique_ptr<views::split::Editor> editor_;
  std::unique_ptr<QSignalSpy> preview_, committed_, cancelled_, refused_;

  void show(const Plan& plan, int width = 1200, double peak_gib = 11) {
    editor_ = std::make_unique<views::split::Editor>();
    editor_->set_plan(profile_, cluster_, plan, samples::simulation(plan, 735, peak_gib));
    editor_->resize(width, editor_->sizeHint().height());
    editor_->show();
    editor_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(editor_.get()));
    preview_ = std::make_unique<QSignalSpy>(editor_.get(), &views::split::Editor::preview);
    committed_ = std::make_unique<QSignalSpy>(editor_.get(), &views::split::Editor::committed);
    cancelled_ = std::make_unique<QSignalSpy>(editor_.get(), &views::split::Editor::cancelled);
    refused_ = std::make_unique<QSignalSpy>(editor_.get(), &views::split::Editor::refused);
  }
  void show(const std::vector<int>& firsts, int width = 1200) { show(samples::plan("p", firsts), width); }

  void press(const QPoint& at, Qt::KeyboardModifiers keys = {}) {
    QTest::mousePress(editor_.get(), Qt::LeftButton, keys, at);
  }
  void move(const QPoint& at) { QTest::mouseMove(editor_.get(), at); }
  void release(const QPoint& at) { QTest::mouseRelease(editor_.get(), Qt::LeftButton, {}, at); }
  void drag(const QPoint& from, const QPoint& to) {
    press(from);
    for (int step = 1; step <= 8; ++step) move(from + (to - from) * step / 8);
    release(to);
  }
  void key(int code, Qt::KeyboardModifiers keys = {}) {
    QTest::keyClick(editor_.get(), static_cast<Qt::Key>(code), keys);
  }
  const Plan& plan() const { return editor_->draft().shown(); }
  plan::PlanEdit edit() const { return committed_->back().front().value<plan::PlanEdit>(); }
  QPoint layer_position(int layer) const {
    const models::split::Layout& layout = editor_->layout_now();
    return QPointF((layout.strip.x_of(layer) + layout.strip.x_of(layer + 1)) / 2, layout.areas.strip.bottom() - 5)
        .toPoint();
  }
  QPoint tray() const { return editor_->layout_now().areas.tray.center().toPoint(); }
  QPoint column(std::size_t stage) const {
    const QRectF& column = editor_->layout_now().columns[stage];
    return QPointF(column.right() - 8, editor_->layout_now().areas.captions.center().y()).toPoint();
  }
  void wheel(int turn, const QPointF& at, Qt::KeyboardModifiers keys) {
    QWheelEvent event(at, editor_->mapToGlobal(at), {}, {0, turn}, Qt::NoButton, keys, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(editor_.get(), &event);
  }
};

}  // namespace pipedeck::test
