"""Whatever validates, builds and passes the audit; or says in a line why it cannot be."""

import json
import tempfile
from pathlib import Path

from any_spec import specs
from hypothesis import HealthCheck, given, settings

from worldforge.build import build
from worldforge.core.errors import InputError


def test_whatever_validates_builds_and_passes_the_audit():
    outcomes = []

    @settings(max_examples=15, suppress_health_check=list(HealthCheck))
    @given(specs())
    def check(spec):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "world.yaml"
            path.write_text(json.dumps(spec))
            try:
                build(path, Path(folder) / "world")
            except InputError as error:
                outcomes.append(str(error))
            else:
                outcomes.append("")

    check()
    refused = [outcome for outcome in outcomes if outcome]
    assert len(refused) <= len(outcomes) / 2, refused
