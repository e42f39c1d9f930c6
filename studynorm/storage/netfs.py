"""Whether a folder lies on a network file system, where SQLite's locks and its shared memory may not hold."""

import re
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_NETWORK = re.compile(
    "nfs4?|cifs|smb[23]?|smbfs|ncpfs|afs|ceph|glusterfs|lustre|coda|gfs2|ocfs2|davfs"
    "|9p|drvfs|vboxsf|vmhgfs|prl_fs"
    r"|fuse\.(sshfs|rclone|gvfsd-fuse|s3fs|gcsfuse|goofys|juicefs|davfs2|curlftpfs|glusterfs|cephfs|smbnetfs"
    "|vmhgfs-fuse|google-drive-ocamlfuse|onedriver)"
)


def network_filesystem(path: Path) -> str | None:
    """Return the kind of network file system that a path is on, as `nfs4`; None where it is on none.

    The path need not exist. Only Linux tells; elsewhere the answer is None.
    """
    try:
        place = path.resolve()
        lines = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except (OSError, RuntimeError):
        return None
    kind, deepest = "", -1
    for line in lines:
        before, _, after = line.partition(" - ")
        words, more = before.split(" "), after.split(" ")
        if len(words) < 5 or not more[0]:
            continue
        mounted = Path(_plain(words[4]))
        depth = len(mounted.parts)
        if depth >= deepest and place.is_relative_to(mounted):  # of two on one folder the later one is seen
            kind, deepest = more[0], depth
    return kind if _NETWORK.fullmatch(kind) else None


def _plain(escaped: str) -> str:
    """Return a path of the table without its escapes: a blank stands there as its octal number."""
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), escaped)
