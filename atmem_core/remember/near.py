"""Keys by which near duplicates meet in one index look-up.

MinHash (Broder, 1997) in bands of two rows: two notes whose words overlap by 85% share at least one of
the four keys with a probability above 0.99, notes that overlap by 30% in one of three cases.
"""

import zlib

BANDS = 4
SIMILAR = 0.85
"""Least overlap of words (Jaccard) at which a note is reported as similar."""
_SALTS = (
    0x9E3779B1,
    0x85EBCA77,
    0xC2B2AE3D,
    0x27D4EB2F,
    0x165667B1,
    0xD3A2646D,
    0xFD7046C5,
    0xB55A4F09,
)
_MASK = 0xFFFFFFFF


def near_keys(words: frozenset[str]) -> tuple[int, ...]:
    """Keys of at most 34 bits, one a band; none for a text without words."""
    if not words:
        return ()
    hashes = [zlib.crc32(word.encode("utf-8", "replace")) for word in words]
    lowest = [min((value * salt + salt) & _MASK for value in hashes) for salt in _SALTS]
    return tuple(
        band << 32 | zlib.crc32(lowest[2 * band].to_bytes(4, "big") + lowest[2 * band + 1].to_bytes(4, "big"))
        for band in range(BANDS)
    )
