"""Keys by which near duplicates meet in one index look-up.

MinHash (Broder, 1997) in six bands of four rows: two notes whose words overlap by 85% share at least one
of the keys with a probability of 0.99, notes that overlap by 30% in one of twenty cases.
"""

import zlib

BANDS = 6
ROWS = 4
SIMILAR = 0.85
"""Least overlap of words (Jaccard) at which a note is reported as similar."""
_MASK = 0xFFFFFFFF
# Odd multipliers and offsets, drawn once from CRC-32 of their numbers: fixed, for the keys are stored.
_HASHES = tuple(
    (zlib.crc32(b"multiplier%d" % number) | 1, zlib.crc32(b"offset%d" % number))
    for number in range(BANDS * ROWS)
)


def near_keys(words: frozenset[str]) -> tuple[int, ...]:
    """Keys of at most 35 bits, one a band; none for a text without words."""
    if not words:
        return ()
    hashes = [zlib.crc32(word.encode("utf-8", "replace")) for word in words]
    lowest = [min((value * times + plus) & _MASK for value in hashes) for times, plus in _HASHES]
    bands = [lowest[start : start + ROWS] for start in range(0, BANDS * ROWS, ROWS)]
    return tuple(number << 32 | zlib.crc32(repr(band).encode()) for number, band in enumerate(bands))
