"""Writes small models and what the reference makes of texts: static ones by
model2vec, encoders by tokenizers and transformers (on JAX).

    python3 -m venv /tmp/venv1 && /tmp/venv1/bin/pip install model2vec==0.10.0 tokenizers==0.23.3
    /tmp/venv1/bin/python generate.py static
    python3 -m venv /tmp/venv2 && /tmp/venv2/bin/pip install transformers==4.49.0 \\
        flax==0.10.2 jax==0.4.35 jaxlib==0.4.35 safetensors==0.8.0 onnx==1.23.2 onnxruntime==1.31.1
    /tmp/venv2/bin/python generate.py transformer        # both in this folder
"""

import gzip
import json
import os
import random
import sys

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

with gzip.open("../../tokenizer/testdata/texts.json.gz") as f:
    ODD = json.load(f)
random.seed(3)
CORPUS = [t for t in ODD[-900:] if len(t) < 400]
TEXTS = ["", " ", "parse the configuration file", "設定ファイルを読む", "func main() { fmt.Println(x) }", "word " * 900, "あ" * 3000, "\x00\x01", "query: x"] + random.sample(ODD, 60)
NORMALIZED = [normalizers.NFKC().normalize_str(t) for t in TEXTS]


def wordpiece():
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer()
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=250, limit_alphabet=120, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], show_progress=False))
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return t


def unigram():
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizers.NFKC()
    t.pre_tokenizer = pre_tokenizers.Metaspace()
    plain = [c for c in CORPUS if all(ord(x) < 0x7F or 0x3040 <= ord(x) < 0x3100 for x in c)]
    t.train_from_iterator(plain, trainers.UnigramTrainer(vocab_size=400, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False))
    t.normalizer = None  # NORMALIZED is
    t.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return t


def size(t):
    """One more than the highest id; the trainer may make a token twice."""
    return 1 + max(t.get_vocab().values())


def write(name, texts, vectors, **more):
    cases = [{"text": t, "vector": [float("%.6g" % x) for x in v]} for t, v in zip(texts, vectors)]
    with open(name + "/golden.json.gz", "wb") as f:
        with gzip.GzipFile(fileobj=f, mode="wb", mtime=0, filename="") as g:
            g.write(json.dumps({"cases": cases, **more}, ensure_ascii=False).encode())


def static():
    from model2vec import StaticModel

    r = np.random.default_rng(5)
    t = wordpiece()
    n = t.get_vocab_size()
    m = StaticModel(r.standard_normal((n, 19)).astype(np.float32), t, normalize=True)
    m.save_pretrained("static-f32")
    write("static-f32", TEXTS, m.encode(TEXTS))
    t = unigram()
    n = size(t)
    m = StaticModel(r.standard_normal((40, 16)).astype(np.float16), t, normalize=True, weights=r.random(n), token_mapping=r.integers(0, 40, n), max_length=100)
    m.save_pretrained("static-mapped")
    write("static-mapped", NORMALIZED, m.encode(NORMALIZED))
    for name in ("static-f32", "static-mapped"):
        os.remove(name + "/README.md")


def transformer():
    sys.path.insert(0, "../../encoder/testdata")
    import generate as encoders
    from transformers import BertConfig, FlaxBertModel, FlaxXLMRobertaModel, XLMRobertaConfig

    small = dict(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=24, max_position_embeddings=66, attention_probs_dropout_prob=0.0, hidden_dropout_prob=0.0)
    for name, tok, config, model, prefixes in (
        ("minilm", wordpiece(), BertConfig, FlaxBertModel, {"query": "", "passage": ""}),
        ("e5-tiny", unigram(), XLMRobertaConfig, FlaxXLMRobertaModel, {"query": "query: ", "passage": "passage: "}),
    ):
        roberta = config is XLMRobertaConfig
        c = config(**small, vocab_size=size(tok), type_vocab_size=1 if roberta else 2, pad_token_id=1 if roberta else 0)
        w = encoders.write(name, c, model, encoders.weights(c), "mean_tokens")
        os.remove(name + "/golden.json")
        tok.save(name + "/tokenizer.json")
        tok.enable_truncation(64 if roberta else 66)
        net, tree = model(c, _do_init=False), encoders.to_flax(w)
        texts, vectors, roles = [], [], []
        for i, text in enumerate(NORMALIZED if roberta else TEXTS):
            role = ("query", "passage")[i % 2]
            ids = np.array([tok.encode(prefixes[role] + text).ids])
            places = np.arange(ids.shape[1])[None] + (2 if roberta else 0)
            if roberta and (ids == 1).any():
                continue
            got = net(ids, attention_mask=np.ones_like(ids), token_type_ids=np.zeros_like(ids), position_ids=places, params=tree, train=False)[0]
            v = np.asarray(got[0], np.float64).mean(0)
            texts.append(text)
            roles.append(role)
            vectors.append(v / np.linalg.norm(v))
        write(name, texts, vectors, roles=roles)


{"static": static, "transformer": transformer}[sys.argv[1]]()
