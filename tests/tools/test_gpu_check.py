#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/gpu_check.sh where there is no GPU: it is a script that bash takes, it refuses with status 2 and the reason, and
leaves no report behind, since nothing was measured."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(sys.argv.pop(1)).resolve()
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

    def test_options(self):
        self.refused("found '--fast'", "--fast")
        self.refused("--report: found nothing", "--report")
        helped = self.run_script("--help")
        self.assertEqual(helped.returncode, 0)
        self.assertIn("tools/gpu_check.sh [--report FILE]", helped.stdout)


if __name__ == "__main__":
    unittest.main()
