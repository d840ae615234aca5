// SPDX-License-Identifier: GPL-3.0-or-later
// The context menu of the split editor: by mouse, or by the menu key for the focused item.
#include <QContextMenuEvent>
#include <QMenu>

#include "app/views/split/editor.hpp"

namespace pipedeck::views::split {

namespace {

constexpr double reach = 8;
constexpr int max_targets = 32;  ///< stages that a chip's menu lists

}  // namespace

void Editor::contextMenuEvent(QContextMenuEvent* event) {
  if (drag_) return;
  if (draft_.pending()) finish();
  const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  const models::split::Item item = draft_.empty() ? models::split::Item{}
                                   : by_key       ? focus_.value_or(models::split::Item{})
                                                  : models::split::hit(layout_, event->pos(), reach);
  if (item.part != models::split::Part::none && item.part != models::split::Part::tray) set_focused(item);
  open_menu(item, by_key && focus_ ? mapToGlobal(item_rect(item).center().toPoint()) : event->globalPos());
}

void Editor::open_menu(const models::split::Item& item, const QPoint& at) {
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("split_menu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  if (item.part == models::split::Part::cut) {
    add_edit(menu, tr("&Merge stages %1 and %2").arg(item.stage - 1).arg(item.stage), "split_merge",
             plan::MergeStages{item.stage - 1});
  } else if (item.part == models::split::Part::stage) {
    add_stage_actions(menu, item.stage, item.layer);
  } else if (const models::split::Chip* chip = models::split::chip_of(layout_, item)) {
    add_chip_actions(menu, *chip);
  }
  menu->addSeparator();
  menu->addActions(actions());
  menu->popup(at);
}

void Editor::add_edit(QMenu* menu, const QString& text, const char* name, const plan::PlanEdit& edit) {
  QAction* action = menu->addAction(text);
  action->setObjectName(QLatin1String(name));
  // Disabled with the reason if it is not possible.
  const auto possible = plan::with_edit(draft_.original(), draft_.profile(), draft_.cluster(), edit);
  action->setEnabled(possible.has_value());
  connect(action, &QAction::triggered, this, [this, edit] { apply(edit); });
}

void Editor::add_stage_actions(QMenu* menu, int stage, int layer) {
  const QString name = layer_name(layer);
  if (layer > stage_at(stage).first)
    add_edit(menu, tr("&Split stage %1 before %2").arg(stage).arg(name), "split_stage", plan::SplitStage{stage, layer});
  if (stage > 0)
    add_edit(menu, tr("Merge with stage %1").arg(stage - 1), "split_merge_before", plan::MergeStages{stage - 1});
  if (stage + 1 < stages())
    add_edit(menu, tr("Merge with stage %1").arg(stage + 1), "split_merge_after", plan::MergeStages{stage});
  menu->addSeparator();
  const bool again = models::split::recomputed_layers(draft_.shown())[static_cast<std::size_t>(layer)];
  add_edit(menu, again ? tr("Keep the activations of %1").arg(name) : tr("Recompute %1").arg(name),
           "split_recompute_layer", plan::SetLayerRecompute{layer, !again});
  if (!stage_at(stage).recompute.all)
    add_edit(menu, tr("&Recompute all of stage %1").arg(stage), "split_recompute_all",
             plan::SetStageRecompute{stage, {true, {}}});
  if (stage_at(stage).recompute.any())
    add_edit(menu, tr("Recompute &nothing of stage %1").arg(stage), "split_recompute_none",
             plan::SetStageRecompute{stage, {}});
  menu->addSeparator();
  const int replicas = stage_at(stage).replicas();
  add_edit(menu, tr("One replica &more"), "split_more_replicas", plan::SetReplicas{stage, replicas + 1});
  if (replicas > 1)
    add_edit(menu, tr("One replica &less"), "split_fewer_replicas", plan::SetReplicas{stage, replicas - 1});
  for (int degree : plan::tensor_parallel_degrees(draft_.original(), draft_.profile(), stage))
    if (degree != stage_at(stage).tensor_parallel)
      add_edit(menu, tr("Tensor parallelism %1").arg(degree), "split_tensor_parallel",
               plan::SetTensorParallel{stage, degree});
}

void Editor::add_chip_actions(QMenu* menu, const models::split::Chip& chip) {
  const std::vector<DeviceId> devices = models::split::grabbed(layout_, chip);
  const QString name = models::split::short_devices_text(devices);
  const int from = chip.stage.value_or(-1);
  QMenu* targets = menu->addMenu(tr("&Move %1 to").arg(name));
  for (int stage = 0; stage < stages() && targets->actions().size() < max_targets; ++stage) {
    if (stage == from) continue;
    const plan::MoveDevices move = models::split::device_move(layout_, {stage, 1 << 20}, devices, chip.stage);
    add_edit(targets, tr("Stage %1").arg(stage), "split_move_to_stage", move);
    targets->actions().back()->setData(stage);
  }
  if (from >= 0)
    add_edit(menu, tr("&Remove %1 from the plan").arg(name), "split_take_out", plan::MoveDevices{devices, {}, {}});
}

}  // namespace pipedeck::views::split
