from pathlib import Path

import pytest


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A path where no file is yet."""
    return tmp_path / "memory.db"
