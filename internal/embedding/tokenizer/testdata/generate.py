"""Writes texts.json.gz and golden/*.json.gz: what the reference makes of odd texts.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install tokenizers==0.23.3 sentencepiece==0.2.1
    /tmp/venv/bin/python generate.py        # in this folder

Each golden file holds a tokenizer.json made here and, for each text, the CRC-32
of its token ids and types. To see the ids that were expected, ask the reference:

    /tmp/venv/bin/python generate.py NAME INDEX
"""

import base64
import gzip
import json
import os
import random
import string
import struct
import sys
import tempfile
import unicodedata
import zlib

from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers, Regex

random.seed(20)

CODE = """func (t *Tokenizer) Encode(text string, limit int) ([]int32, error) {
    if err := json.Unmarshal(data, &value); err != nil {
        return nil, fmt.Errorf("config: %w", err)
    }
    for i := range 0x1F { total += int64(i) << 3 }
}
class HTTPServer2(BaseHandler):
    def get_user_by_id(self, user_id: int = 42) -> "Optional[User]":
        '''Returns the user, or None.'''
        return self.db.query("SELECT * FROM users WHERE id = %s" % user_id)
<div class="row" data-x='1'>&nbsp;Caf\u00e9 d\u00e9j\u00e0 vu</div>
const naive = xs.filter((x) => x !== null && x?.y >= 3.14e-10); // don't we'll I'M they'RE
""".split("\n")
PROSE = """The quick brown fox jumps over the lazy dog
where is the configuration file parsed and validated
\u8a2d\u5b9a\u30d5\u30a1\u30a4\u30eb\u3092\u8aad\u307f\u8fbc\u3080\u95a2\u6570\u306f\u3069\u3053\u3067\u3059\u304b\u3002
\u30e6\u30fc\u30b6\u30fc\u8a8d\u8a3c\u306e\u51e6\u7406\u3001\uff71\uff72\uff73\uff74\uff75 \u30ab\u3099\u30ad\u309a
\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440! \u0388\u03bb\u03bb\u03b7\u03bd\u03b1\u03c2 \u039f\u0394\u039f\u03a3
\ud55c\uad6d\uc5b4 \ud14d\uc2a4\ud2b8 \u1112\u1161\u11ab\u1100\u116e\u11a8
\u0939\u093f\u0928\u094d\u0926\u0940 \u0e44\u0e17\u0e22\u0e01\u0e33 \u0627\u0644\u0639\u0631\u0628\u064a\u0629 \ufefb \u05e2\u05d1\u05e8\u05d9\u05ea
Stra\u00dfe \u0130stanbul \u01c5 \ufb01nance \u210c \u2460 \uff21\uff22\uff23 \u33a1 \u00bd \u2167 \u00b2""".split("\n")
EMOJI = ["\U0001F468\u200d\U0001F469\u200d\U0001F467", "\U0001F1EF\U0001F1F5", "\U0001F44D\U0001F3FD", "\u2764\ufe0f", "\u00a9\ufe0f", "\U0001FAE0", "1\ufe0f\u20e3", "\U0001F3F4\U000E0067\U000E0062\U000E007F"]
SPACES = [" ", "  ", "\t", "\n", "\r\n", "\r", "\n\n", "\u00a0", "\u3000", "\u2003", "\u200b", "\u2028", "\u0085", "\x0b", "\x0c", "\ufeff", "\u2581", "\u1680"]
ODD = [chr(c) for c in list(range(1, 32)) + [0, 0x7F, 0x80, 0x8F, 0x9F, 0xAD, 0x61C, 0x200E, 0xFFFD, 0xFFFF, 0x10FFFF, 0xE000, 0xF8FF, 0x378, 0x1C89, 0xA7DA, 0x10D50, 0x1E5F1, 0x2EBF0, 0x32FF, 0x1FBF0, 0x1171E, 0x11938]]
SPECIAL = ["[CLS]", "[SEP]", "[MASK]", "[UNK]", "<s>", "</s>", "<mask>", "<unk>", "<|endoftext|>", "[mask]", " [MASK] ", "x[MASK]y", "ADDED", "added", "Added", "\u00e4pfel", "apfel  ", "caf\u00e9word"]
MARKS = [chr(c) for c in list(range(0x300, 0x330)) + [0x345, 0x591, 0x5B0, 0x64B, 0x93C, 0x94D, 0xE48, 0x3099, 0x309A, 0x302A, 0x20D0, 0x1DF6, 0x8D3, 0x1E08F, 0x1ABF, 0x16FF0]]


def character():
    kind = random.random()
    if kind < 0.3:
        return chr(random.randrange(32, 127))
    if kind < 0.45:
        return chr(random.randrange(0xA0, 0x530))
    if kind < 0.55:
        return random.choice(MARKS)
    if kind < 0.65:
        return chr(random.randrange(0x3040, 0x3100))
    if kind < 0.72:
        return chr(random.randrange(0x4E00, 0x9FFF))
    if kind < 0.76:
        return chr(random.randrange(0xAC00, 0xD7A4))
    if kind < 0.82:
        return random.choice(SPACES)
    if kind < 0.86:
        return random.choice(EMOJI)
    if kind < 0.9:
        return random.choice(ODD)
    c = random.randrange(0x110000)
    return chr(c) if not 0xD800 <= c < 0xE000 else "?"


def text():
    kind = random.random()
    if kind < 0.15:
        return random.choice(CODE)
    if kind < 0.25:
        return random.choice(PROSE)
    if kind < 0.45:  # words of everything
        words = [w for line in CODE + PROSE for w in line.split(" ")] + EMOJI + ODD + SPECIAL
        return "".join(random.choice(words) + random.choice(SPACES + [" "] * 20) for _ in range(random.randrange(1, 12)))
    if kind < 0.6:
        return "".join(random.choice(SPECIAL + SPACES + ["a", "word", "\u8a9e", "'s"]) for _ in range(random.randrange(1, 8)))
    if kind < 0.75:  # letters under marks
        return "".join(random.choice("aAe\u00e4\u304b\u30cf\u03b9\u0e01\u0915\u1100\uac00 ") + "".join(random.choice(MARKS) for _ in range(random.randrange(0, 5))) for _ in range(random.randrange(1, 10)))
    return "".join(character() for _ in range(random.randrange(1, 40)))


def every():
    """Each character once, in runs, with company before and behind."""
    code = [chr(c) for c in range(0x3400) if c < 0xD800] + [chr(c) for c in range(0xA000, 0xABFF)] + [chr(c) for c in range(0xF900, 0x10000)]
    code += [chr(c) for c in range(0x10000, 0x12000)] + [chr(c) for c in range(0x16000, 0x17000)] + [chr(c) for c in range(0x1C000, 0x20000)]
    for i in range(0, len(code), 64):
        yield "a".join(code[i : i + 64])


def texts():
    out = ["", " ", "\n", "a", "\u3042", "[CLS]", "e" + "\u0301" * 70 + "\u0323" * 40, "x" * 5000, "\u3042" * 700, "ab " * 900, "Zalgo" + "".join(random.choice(MARKS) for _ in range(200)) + " end", " " * 300, "\r\n" * 40 + "x", "\u1100\u1161\u11a8" * 40]
    out += every()
    out += ["".join(CODE), "\n".join(CODE), "\n".join(PROSE)]
    while len(out) < 2400:
        out.append(text())
    return out


CORPUS = CODE * 3 + PROSE * 3 + [random.choice(CODE + PROSE) for _ in range(200)]
BYTES = pre_tokenizers.ByteLevel.alphabet()


def charsmap():
    """A charsmap compiled by SentencePiece from rules made here."""
    import sentencepiece

    rules = {}
    singles = list(range(0xA0, 0x250)) + list(range(0x3040, 0x3130)) + list(range(0xFB00, 0xFB07)) + list(range(0xFF00, 0xFFA0)) + list(range(0x2100, 0x2190)) + list(range(0x2460, 0x2480)) + [0x1D400, 0x1F16A, 0xAC01]
    for c in singles:
        n = unicodedata.normalize("NFKC", chr(c))
        if n != chr(c):
            rules[chr(c)] = n
    for base in "aeiouAEIOUnNcCyY\u304b\u306f\u30cf\u03b1":
        for mark in "\u0300\u0301\u0302\u0303\u0308\u0327\u3099\u309a":
            n = unicodedata.normalize("NFC", base + mark)
            if len(n) == 1:
                rules[base + mark] = n
    for c in "\t\n\r\u3000\u00a0\u2003":
        rules[c] = " "
    for c in "\x01\x02\x0b\x7f\u200b\u00ad\ufeff":
        rules[c] = ""
    rules["\r\n"] = "\n"
    rules["\u00e9"] = "E"  # beginnings of clusters that are replaced whole
    rules["q"] = "Q!"
    with tempfile.TemporaryDirectory() as d:
        with open(d + "/rules.tsv", "w") as f:
            for a, b in sorted(rules.items()):
                f.write(" ".join("%X" % ord(c) for c in a) + "\t" + " ".join("%X" % ord(c) for c in b) + "\n")
        with open(d + "/corpus.txt", "w") as f:
            f.write("\n".join(CORPUS))
        sentencepiece.SentencePieceTrainer.train(input=d + "/corpus.txt", model_prefix=d + "/m", vocab_size=400, normalization_rule_tsv=d + "/rules.tsv", minloglevel=2, hard_vocab_limit=False)
        with open(d + "/m.model", "rb") as f:
            model = f.read()
    return field(field(model, 3), 2)


def field(message, wanted):
    """The last field of that number in a protocol buffer; enough for bytes."""
    found, at = None, 0

    def varint():
        nonlocal at
        n = shift = 0
        while True:
            b = message[at]
            at += 1
            n |= (b & 127) << shift
            shift += 7
            if b < 128:
                return n

    while at < len(message):
        key = varint()
        if key & 7 == 2:
            size = varint()
            if key >> 3 == wanted:
                found = message[at : at + size]
            at += size
        elif key & 7 == 0:
            varint()
        else:
            at += 4 if key & 7 == 5 else 8
    return found


MAP = charsmap()


def trained(model, trainer, normalizer=None, pre=None, post=None, added=()):
    t = Tokenizer(model)
    if normalizer:
        t.normalizer = normalizer
    if pre:
        t.pre_tokenizer = pre
    t.train_from_iterator(CORPUS, trainer)
    if added:
        t.add_tokens(list(added))
    if post:
        t.post_processor = post(t)
    return t


def template(t):
    return processors.TemplateProcessing(single="[CLS]:0 $A:1 [SEP]:2", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[(s, t.token_to_id(s)) for s in ("[CLS]", "[SEP]")])


BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ADDED = [AddedToken("ADDED", normalized=False), AddedToken("<mask>", lstrip=True, rstrip=False, normalized=False, special=True), AddedToken("added", normalized=True), AddedToken("\u00c4pfel", normalized=True, rstrip=True), AddedToken("caf\u00e9word", normalized=True, lstrip=True)]


def with_json(t, change):
    d = json.loads(t.to_str())
    change(d)
    return d


def byte_model(whole):
    """A model that shows each byte, and, unless the text is to stay whole, which of them begin a part."""
    vocab = {c: i for i, c in enumerate(sorted(BYTES))}
    if whole:
        return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": vocab, "merges": []}
    vocab.update({"##" + c: len(vocab) + i for i, c in enumerate(sorted(BYTES))})
    vocab["[UNK]"] = len(vocab)
    return {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100000, "vocab": vocab}


def bare(normalizer, pre, whole=True):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": normalizer, "pre_tokenizer": pre, "post_processor": None, "decoder": None, "model": byte_model(whole)}


SEEN = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def tokenizers():
    yield "wordpiece-uncased", trained(models.WordPiece(unk_token="[UNK]"), trainers.WordPieceTrainer(vocab_size=600, special_tokens=BERT, show_progress=False), normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer(), template, ADDED)

    def older(d):
        d["truncation"] = {"direction": "Right", "max_length": 12, "strategy": "LongestFirst", "stride": 0}
        d["padding"] = None
        d["model"]["max_input_chars_per_word"] = 20

    yield "wordpiece-cased", with_json(trained(models.WordPiece(unk_token="[UNK]"), trainers.WordPieceTrainer(vocab_size=500, special_tokens=BERT, show_progress=False), normalizers.BertNormalizer(lowercase=False, strip_accents=None), pre_tokenizers.BertPreTokenizer(), lambda t: processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))), older)
    precompiled = normalizers.Precompiled(MAP)
    xlmr = normalizers.Sequence([precompiled, normalizers.Replace(Regex(" {2,}"), " ")])
    unigram = lambda: trainers.UnigramTrainer(vocab_size=420, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False)
    yield "unigram-xlmr", trained(models.Unigram(), unigram(), xlmr, pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]), lambda t: processors.RobertaProcessing(("</s>", 2), ("<s>", 0)), ADDED)

    def left(d):
        d["truncation"] = {"direction": "Left", "max_length": 9, "strategy": "LongestFirst", "stride": 2}
        d["pre_tokenizer"] = {"type": "Metaspace", "replacement": "\u2581", "add_prefix_space": True}

    yield "unigram-left", with_json(trained(models.Unigram(), unigram(), xlmr, pre_tokenizers.Metaspace(), lambda t: processors.RobertaProcessing(("</s>", 2), ("<s>", 0))), left)

    def runs(d):
        known = {t for t, _ in d["model"]["vocab"]}
        d["model"]["vocab"] += [["\u3042\u3042", -90.0], ["zq", -100.0]]
        for a in d["added_tokens"]:
            if a["content"] not in known:
                a["id"] += 2

    yield "unigram-runs", with_json(trained(models.Unigram(), unigram(), normalizers.Sequence([normalizers.Strip(), normalizers.NFD()]), pre_tokenizers.Metaspace(), None, ADDED), runs)

    def ties(d):  # equal scores everywhere: what is found first decides
        d["model"]["vocab"] = [[t, 0.0 if i < 4 else -float(len(t) > 3)] for i, (t, _) in enumerate(d["model"]["vocab"])]

    yield "unigram-ties", with_json(trained(models.Unigram(), unigram(), None, pre_tokenizers.Metaspace(split=False)), ties)
    bpe = lambda **k: trainers.BpeTrainer(vocab_size=700, special_tokens=["<|endoftext|>", "<unk>"], show_progress=False, **k)

    def legacy(d):
        d["model"]["merges"] = [" ".join(m) for m in d["model"]["merges"]]

    yield "bpe-roberta", with_json(trained(models.BPE(), bpe(initial_alphabet=BYTES), None, pre_tokenizers.ByteLevel(add_prefix_space=True), lambda t: processors.RobertaProcessing(("<unk>", 1), ("<|endoftext|>", 0)), ADDED[:2]), legacy)

    def table(d):  # as model2vec makes a static table's: one part a text, and longer tokens before shorter ones
        d["model"]["vocab"] = [["\u2581" + t if i > 4 else t, -float(8 - min(len(t), 7))] for i, (t, _) in enumerate(d["model"]["vocab"])]
        d["model"]["vocab"] += [[t, -9.0] for t in sorted({c for line in CODE + PROSE for c in line} - {t for t, _ in d["model"]["vocab"]})]

    spaced = [normalizers.Replace(c, " %s " % c) for c in string.punctuation]
    yield "unigram-model2vec", with_json(trained(models.Unigram(), trainers.UnigramTrainer(vocab_size=420, special_tokens=BERT, unk_token="[UNK]", show_progress=False), normalizers.Sequence([normalizers.BertNormalizer()] + spaced + [normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip(left=False)]), pre_tokenizers.Metaspace(split=False), lambda t: processors.TemplateProcessing(single="$A", special_tokens=[])), table)
    for name, n in {
        "nfd": normalizers.NFD(), "lowercase": normalizers.Lowercase(), "strip": normalizers.Strip(left=False, right=True), "precompiled": precompiled,
        "bert": normalizers.BertNormalizer(), "clean": normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False),
        "replace": normalizers.Sequence([normalizers.Replace(Regex(r"\s+"), "_"), normalizers.Replace("a", "")]),
    }.items():
        yield "normalizer-" + name, bare(json.loads(n.__getstate__()), SEEN)
    for name, p in {
        "bert": pre_tokenizers.BertPreTokenizer(), "whitespacesplit": pre_tokenizers.WhitespaceSplit(), "gpt2": pre_tokenizers.ByteLevel(add_prefix_space=False),
        "metaspace": pre_tokenizers.Metaspace(), "metaspace-never": pre_tokenizers.Metaspace("_", prepend_scheme="never"),
    }.items():
        d = json.loads(p.__getstate__())
        chain = [d] if name == "gpt2" else [d, SEEN]
        yield "pre-" + name, bare(None, {"type": "Sequence", "pretokenizers": chain}, False)


def write(path, value):
    with open(path, "wb") as f:
        with gzip.GzipFile(fileobj=f, mode="wb", mtime=0, filename="") as g:
            g.write(json.dumps(value, ensure_ascii=False).encode())


def main():
    everything = texts()
    wanted = sys.argv[1:]
    if not wanted:
        os.makedirs("golden", exist_ok=True)
        write("texts.json.gz", everything)
    for name, t in tokenizers():
        if wanted and name != wanted[0]:
            continue
        d = json.loads(t.to_str()) if isinstance(t, Tokenizer) else t
        reference = Tokenizer.from_str(json.dumps(d))
        if wanted:
            text = everything[int(wanted[1])]
            e = reference.encode(text)
            print(ascii(text), e.ids, e.tokens)
            continue
        crc = []
        for e in reference.encode_batch(everything):
            crc.append(zlib.crc32(struct.pack("<%di" % (2 * len(e.ids)), *e.ids, *e.type_ids)))
        write("golden/%s.json.gz" % name, {"tokenizer": d, "crc": crc})


main()
