"""Which kind of file system holds a path."""

from pathlib import Path

import pytest

from atmem_cli.file_system import network_file_system

MOUNTS = r"""
/dev/sda1 / ext4 rw 0 0
server:/home /mnt/home nfs4 rw 0 0
//server/share /mnt/my\040share cifs rw 0 0
tmpfs /mnt/home/fast tmpfs rw 0 0
me@server:/data /mnt/data fuse.sshfs rw 0 0
/dev/sdb1 /mnt/twice ext4 rw 0 0
server:/twice /mnt/twice nfs rw 0 0
""".lstrip()


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    path = tmp_path / "mounts"
    path.write_text(MOUNTS)
    return path


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/srv/memory.db", None),
        ("/mnt/home/ada/memory.db", "nfs4"),
        ("/mnt/homely/memory.db", None),
        ("/mnt/home/fast/memory.db", None),
        ("/mnt/my share/memory.db", "cifs"),
        ("/mnt/data/memory.db", "fuse.sshfs"),
        ("/mnt/twice/memory.db", "nfs"),
    ],
)
def test_the_deepest_and_latest_mount_decides(path: str, kind: str | None, mounts: Path) -> None:
    assert network_file_system(Path(path), mounts) == kind


def test_where_mounts_are_not_listed_nothing_is_claimed(tmp_path: Path) -> None:
    assert network_file_system(tmp_path / "memory.db", tmp_path / "no such list") is None
