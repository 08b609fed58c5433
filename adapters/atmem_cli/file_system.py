"""What kind of file system a path lies on, where the operating system says so."""

import re
from pathlib import Path

_MOUNTS = Path("/proc/self/mounts")
"""Linux lists its mounts here: device, folder, kind, options. Elsewhere there is no such file."""
_NETWORK = re.compile(
    r"nfs\d?|cifs|smb\w*|9p|afs|ceph|glusterfs|lustre|davfs|fuse\.(sshfs|s3fs|rclone|davfs2?)"
)
_ESCAPE = re.compile(r"\\([0-7]{3})")


def network_file_system(path: Path, mounts: Path = _MOUNTS) -> str | None:
    """Name of the network file system that holds ``path``; None for a local one or when unknown."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    kind = _kind(path.resolve(), lines)
    return kind if _NETWORK.fullmatch(kind) else None


def _kind(path: Path, lines: list[str]) -> str:
    """Kind of the deepest mount above the path; of two on one folder the later one counts."""
    deepest, found = -1, ""
    for line in lines:
        _, folder, kind, *_ = line.split(" ")
        # A space in a folder's name stands there as \040.
        mount = Path(_ESCAPE.sub(lambda code: chr(int(code[1], 8)), folder))
        if path.is_relative_to(mount) and len(mount.parts) >= deepest:
            deepest, found = len(mount.parts), kind
    return found
