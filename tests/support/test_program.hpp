// SPDX-License-Identifier: Apache-2.0
// Several tests in one program, which compiles and links them sooner. `program tst_x [options of Qt Test]` runs the
// test of the source tst_x.cpp. At the end of that source stands PIPEDECK_TEST(Class), or PIPEDECK_WINDOW_TEST(Class)
// where it needs a screen.
#pragma once

#include <QCoreApplication>
#include <QtTest>

namespace pipedeck::test {

/// Registers a test under the name of its source file, without folder and ending.
bool add_test(const char* file, int (*run)(int argc, char** argv));

template <class Application, class Test>
int run_test(int argc, char** argv) {
  Application application(argc, argv);
  Test test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace pipedeck::test

#define PIPEDECK_TEST(Class)                                 \
  [[maybe_unused]] static const bool Class##_is_registered = \
      pipedeck::test::add_test(__FILE__, &pipedeck::test::run_test<QCoreApplication, Class>);
#ifdef QT_WIDGETS_LIB
#include <QApplication>
#define PIPEDECK_WINDOW_APPLICATION QApplication
#elif defined(QT_GUI_LIB)
#include <QGuiApplication>
#define PIPEDECK_WINDOW_APPLICATION QGuiApplication
#endif
#define PIPEDECK_WINDOW_TEST(Class)                          \
  [[maybe_unused]] static const bool Class##_is_registered = \
      pipedeck::test::add_test(__FILE__, &pipedeck::test::run_test<PIPEDECK_WINDOW_APPLICATION, Class>);
