"""Generates the stubs when the package is built, so that `pip install` is all there is to run."""

import os
import shutil
import tempfile

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = [
    "colonnade/v1/model.proto",
    "colonnade/v1/column_store_service.proto",
    "colonnade/admin/v1/admin.proto",
]


class Stubs(BuildHookInterface):
    """Puts the generated modules into the wheel, beside those in src/colonnade."""

    def initialize(self, version, build_data):
        import grpc_tools
        from grpc_tools import protoc

        contract = os.path.join(self.root, "..", "..", "src", "main", "proto")
        well_known = os.path.join(os.path.dirname(grpc_tools.__file__), "_proto")
        self._out = tempfile.mkdtemp(prefix="colonnade-stubs-")
        status = protoc.main(
            ["protoc", f"-I{contract}", f"-I{well_known}"]
            + [f"--{kind}_out={self._out}" for kind in ("python", "pyi", "grpc_python")]
            + SOURCES
        )
        if status != 0:
            raise RuntimeError(f"protoc failed with status {status}")
        for directory, _, files in os.walk(os.path.join(self._out, "colonnade")):
            inside = os.path.relpath(directory, self._out)
            for name in files:
                build_data["force_include"][os.path.join(directory, name)] = os.path.join(inside, name)

    def finalize(self, version, build_data, artifact_path):
        shutil.rmtree(self._out, ignore_errors=True)
