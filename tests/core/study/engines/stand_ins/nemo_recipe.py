# SPDX-License-Identifier: Apache-2.0
"""Runs planned() of a file over stand-ins for NeMo-Run, NeMo and torch, and prints each setting of the recipe."""
import importlib.util
import sys
import types


class Settings:
    """A part of a recipe: any name is a part of its own until it is set."""

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        part = Settings()
        setattr(self, name, part)
        return part


class Config(Settings):
    def __init__(self, of):
        self.__dict__["__fn_or_cls__"] = of


class MegatronCommOverlapCallback:
    pass


def module(name, **members):
    made = types.ModuleType(name)
    for key, value in members.items():
        setattr(made, key, value)
    sys.modules[name] = made


def rows(part, path):
    for name, value in part.__dict__.items():
        if isinstance(value, Settings):
            yield from rows(value, f"{path}.{name}")
        elif not name.startswith("__") and name != "callbacks":
            yield f"{path}.{name} {value!r}"


module("nemo_run", Config=Config)
module("torch", float32="float32", bfloat16="bfloat16", float16="float16", uint8="uint8")
for folder in ("nemo", "nemo.collections", "nemo.collections.llm", "nemo.collections.llm.recipes",
               "nemo.collections.llm.recipes.precision", "nemo.lightning", "nemo.lightning.pytorch",
               "nemo.lightning.pytorch.callbacks"):
    module(folder)
module("nemo.collections.llm.recipes.precision.mixed_precision", bf16_mixed=Settings, fp16_mixed=Settings)
module("nemo.lightning.pytorch.callbacks.megatron_comm_overlap",
       MegatronCommOverlapCallback=MegatronCommOverlapCallback)
spec = importlib.util.spec_from_file_location("planned", sys.argv[1])
planned = importlib.util.module_from_spec(spec)
spec.loader.exec_module(planned)
recipe = Settings()
recipe.trainer.callbacks = [Config(Settings), Config(MegatronCommOverlapCallback)]
recipe = planned.planned(recipe)
first, overlap = recipe.trainer.callbacks
assert first.__fn_or_cls__ is Settings and overlap.__fn_or_cls__ is MegatronCommOverlapCallback
print("\n".join(sorted([*rows(recipe, "recipe"), *rows(overlap, "overlap")])))
