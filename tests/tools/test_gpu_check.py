#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/gpu_check.sh where there is no GPU: it is a script that bash takes, it refuses with status 2 and the reason, and
leaves no report behind, since nothing was measured. Then its sections with the program on the stand-in for NVIDIA's
libraries, where that is built: what can't be run is said, what runs is in the report, and a section has its time.

    tests/tools/test_gpu_check.py tools/gpu_check.sh [build/release/stand_in_program]
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(sys.argv.pop(1)).resolve()
STAND_IN = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
TOOLS = ("bash", "dirname", "sed", "cat")


class GpuCheck(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.bin = Path(self.folder.name) / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            found = next(Path(p, tool) for p in ("/usr/bin", "/bin") if Path(p, tool).exists())
            (self.bin / tool).symlink_to(found)
        self.report = Path(self.folder.name) / "report.txt"

    def fake(self, name, text):
        program = self.bin / name
        program.write_text(f"#!{self.bin}/bash\n{text}\n")
        program.chmod(0o755)

    def run_script(self, *arguments):
        return subprocess.run([self.bin / "bash", SCRIPT, *arguments], env={"PATH": str(self.bin)},
                              capture_output=True, text=True)

    def refused(self, words, *arguments):
        ended = self.run_script(*(arguments or ("--report", str(self.report))))
        self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
        self.assertIn(words, ended.stderr)
        self.assertEqual(ended.stdout, "")
        self.assertFalse(self.report.exists())

    def test_bash_takes_it(self):
        self.assertEqual(subprocess.run([self.bin / "bash", "-n", SCRIPT]).returncode, 0)

    def test_no_driver(self):
        self.refused("found no nvidia-smi")

    def test_driver_without_gpu(self):
        self.fake("nvidia-smi", "echo 'No devices were found'")
        self.refused("No devices were found")

    def test_driver_fails(self):
        self.fake("nvidia-smi", "echo 'GPU access blocked by the operating system'; exit 9")
        self.refused("GPU access blocked")

    def test_nothing_to_build_with(self):
        self.fake("nvidia-smi", "echo 'GPU 0: NVIDIA H100 (UUID: GPU-1)'")
        self.refused("found no cmake")

    def test_nothing_that_was_built(self):
        self.fake("nvidia-smi", "echo 'GPU 0: NVIDIA H100 (UUID: GPU-1)'")
        for tool in ("python3", "timeout", "tee", "find"):
            self.fake(tool, "true")
        self.refused("nowhere/pipedeck-cli, expected it to be built", "--report", str(self.report), "--build", "nowhere",
                     "--no-build")

    def test_options(self):
        self.refused("found '--fast'", "--fast")
        self.refused("--report: found nothing", "--report")
        self.refused("--only: found 'everything'", "--only", "machine,everything")
        self.refused("--limit: found 'long'", "--limit", "long")
        helped = self.run_script("--help")
        self.assertEqual(helped.returncode, 0)
        self.assertIn("tools/gpu_check.sh [--report FILE]", helped.stdout)


@unittest.skipUnless(STAND_IN and (STAND_IN / "pipedeck-cli").exists(), "the program on the stand-in is not built")
class OnTheStandIn(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin, self.report = Path(folder.name), Path(folder.name) / "report.txt"
        smi = self.bin / "nvidia-smi"
        smi.write_text("#!/bin/bash\necho 'GPU 0: NVIDIA H200 (UUID: GPU-1)'\n")
        smi.chmod(0o755)

    def sections(self, names, *more):
        ended = subprocess.run(
            [SCRIPT, "--report", self.report, "--build", STAND_IN, "--no-build", "--only", names, *more],
            env={**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "FAKE_GPUS": "1"},
            capture_output=True, text=True)
        return ended.returncode, self.report.read_text()

    def test_what_is_not_there_is_said(self):
        status, report = self.sections("machine,kernels,several")
        self.assertEqual(status, 0, report)
        self.assertIn("not run: bench_cuda_kernels is not built", report)
        self.assertIn("not run: there is one GPU", report)
        status, report = self.sections("tests")
        self.assertEqual(status, 1)
        self.assertIn("== kernels", report)  # of the call before
        self.assertIn("tst_cuda_layers_gpu: not run: it is not built", report)

    def test_two_stages_on_one_gpu_are_one(self):
        status, report = self.sections("oversubscribe")
        self.assertEqual(status, 0, report)
        self.assertRegex(report, "40 and 40 steps: losses are at most [0-9.e+-]+ apart")

    def test_a_section_has_its_time(self):
        status, report = self.sections("graphs", "--limit", "3")
        self.assertEqual(status, 1, report)
        self.assertIn("FAILED: stopped when the section's time was over", report)
        self.assertIn("not run: the section's time is over (--limit 3)", report)


if __name__ == "__main__":
    unittest.main()
