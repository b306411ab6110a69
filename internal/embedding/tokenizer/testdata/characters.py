"""Writes characters.json.gz: what the reference implementation takes characters for.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install tokenizers==0.23.3
    /tmp/venv/bin/python characters.py      # in this folder; two minutes

The reference knows three versions of Unicode at once: that of the crate
unicode_categories (old), of its normalizer (older than Go's) and of its regular
expressions (newer than Go's). So each question is put to it for every character.
"""

import gzip
import json
import zlib

from tokenizers import Regex, normalizers, pre_tokenizers

CHARACTERS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def ranges(test):
    found = []
    for c in CHARACTERS:
        if not test(chr(c)):
            continue
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return found


def matches(pattern):
    kept = set()
    for text, _ in pre_tokenizers.Split(Regex(pattern), "removed").pre_tokenize_str("".join(map(chr, CHARACTERS))):
        kept.update(text)
    return ranges(lambda c: c not in kept)


def bert(**on):
    flags = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**flags, **on}).normalize_str


def sums(rewrite):
    """The CRC-32 of what becomes of each 256 characters."""
    out = []
    for block in range(0, 0x110000, 256):
        text = "".join(rewrite(chr(c)) for c in range(block, block + 256) if not 0xD800 <= c < 0xE000)
        out.append(zlib.crc32(text.encode()))
    return out


clean, strip, nfd, words = bert(clean_text=True), bert(strip_accents=True), normalizers.NFD(), pre_tokenizers.BertPreTokenizer()
facts = {
    "control": ranges(lambda c: clean("a" + c + "b") == "ab"),
    "punctuation": ranges(lambda c: [part for part, _ in words.pre_tokenize_str("a" + c + "b")] == ["a", c, "b"]),
    "mark": ranges(lambda c: strip("a" + c) == "a"),
    "letter": matches(r"\p{L}"),
    "number": matches(r"\p{N}"),
    "lower": sums(normalizers.Lowercase().normalize_str),
    "nfd": sums(lambda c: nfd.normalize_str("a\u0301" + c + "\u0316\u0334")),
}
with open("characters.json.gz", "wb") as f:
    with gzip.GzipFile(fileobj=f, mode="wb", mtime=0, filename="") as g:
        g.write(json.dumps(facts).encode())
