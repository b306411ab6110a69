"""What the reference makes of some texts: Hugging Face's transformers, on JAX.

    VENV/bin/python test/acceptance/model_reference.py FOLDER_OF_MODEL OUT.json

model.py runs this in an environment of its own. A text is cut, embedded, pooled and
brought to length 1 as sentence-transformers does it for this model. No network.
"""
import glob
import json
import os
import sys

os.environ.update(HF_HUB_OFFLINE="1", JAX_PLATFORMS="cpu", TRANSFORMERS_VERBOSITY="error")

import jax                                                           # noqa: E402
import numpy as np                                                   # noqa: E402
from transformers import AutoTokenizer, FlaxBertModel                # noqa: E402

jax.config.update("jax_default_matmul_precision", "highest")

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "internal", "search", "quality", "testdata", "corpora")

SHORT = [
    "",
    " ",
    "a",
    "where is the configuration file parsed",
    "How are requests retried after a timeout, and who decides to give up?",
    "The quick brown fox jumps over the lazy dog.",
    "don't, won't, can't; it's 3.14e-10 — or 0xFF_FF?",
    "HTTPServerRequestHandlerFactoryBean",
    "snake_case_name camelCaseName SCREAMING_SNAKE kebab-case-name v2.10.3-rc1",
    "設定ファイルを読み込んで、既定値と合わせる",
    "リクエストがタイムアウトしたら再試行する関数はどこですか。",
    "ｶﾀｶﾅ と ﾊﾝｶｸ、全角ＡＢＣ１２３",
    "读取配置文件 并 合并默认值",
    "설정 파일을 읽는다",
    "где разбирается файл настроек",
    "קובץ תצורה مرحبا بالعالم",
    "Ünïcödé Ångström naïve façade Straße İstanbul ﬁnance Œuvre",
    "e\u0301\u0323 a\u030a n\u0303 combining",
    "zero\u200bwidth\u200djoiner\u2060word\ufeff soft\u00adhyphen",
    "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇯🇵 ∀x∈ℝ: ⌈x⌉ ≥ x",
    "\x00nul \x07bell \x1b[31mred\x1b[0m \x7f \x85 \u2028line",
    "\ufffd replaced \ue000 private \U000f0000 \U0010ffff",
    "\t\r\n mixed \u00a0 \u3000 spaces \u2003 here",
    "[CLS] written [SEP] out [MASK] in [PAD] a [UNK] text",
    "𝒻𝓊𝓃𝒸𝓉𝒾𝑜𝓃 ℌ𝔢𝔩𝔩𝔬 ①②③ ½ ™",
    "xylophonequizzicaljuxtapositionincomprehensibilities" * 4,
    "!" * 40,
    "func (s *Server) Shutdown(ctx context.Context) error {\n\ts.inShutdown.Store(true)\n\tdefer s.mu.Unlock()\n}",
    "def retry(times: int = 3, *, on=(IOError,)):\n    \"\"\"Tries again.\"\"\"\n    return lambda f: f",
    "const xs = await Promise.all(ids.map(async (id) => (await fetch(`/api/${id}`)).json()));",
    "impl<T: Clone + 'static> Iterator for Chunks<'_, T> { type Item = &'_ [T]; }",
    "SELECT u.name, COUNT(*) FROM users u LEFT JOIN orders o ON o.user_id = u.id GROUP BY 1 HAVING COUNT(*) > 3;",
    "#include <vector>\ntemplate <typename T> T max(const std::vector<T> &v) { return *std::max_element(v.begin(), v.end()); }",
    "<div class=\"row\" data-x='1'>&nbsp;Caf\u00e9 <script>if (a<b && c>d) { }</script></div>",
    "for f in *.tar.gz; do tar xzf \"$f\" -C \"${OUT:-/tmp}\" || exit 1; done",
    "class User < ApplicationRecord\n  has_many :posts, dependent: :destroy\n  scope :active, -> { where(active: true) }\nend",
    "foldr (\\x acc -> x : takeWhile (/= x) acc) [] xs `seq` ()",
    "<?php namespace App\\Http; final class Kernel { public function handle(Request $r): Response { return $this->next($r); } }",
    "@media (max-width: 600px) { .nav > li:not(:last-child)::after { content: \"\\00a0|\"; } }",
    "設定 config を parseConfig() で読む // comment コメント",
]

PAIRS = [
    ("how is a file opened", "func Open(name string) (*File, error)"),
    ("", "only the second"),
    ("設定を読む", "def read_config(path): ..."),
    ("word " * 300, "the first gives way " * 40),
]


def excerpts():
    """Pieces of real sources, in several languages, most of them too long for the model."""
    out = []
    for suffix, sizes in ((".go", (700, 3000)), (".py", (500, 5000)), (".ts", (900, 2500)), (".c", (600, 9000)), (".h", (1200,)), (".md", (2000,))):
        files = sorted(glob.glob(SOURCES + "/**/*" + suffix, recursive=True))
        for i, size in enumerate(sizes):
            if files:
                with open(files[(i + 1) * len(files) // (len(sizes) + 1)], encoding="utf-8") as f:
                    out.append(f.read()[:size])
    return out


def main(folder, to):
    with open(folder + "/sentence_bert_config.json") as f:
        limit = json.load(f)["max_seq_length"]
    tokenizer, model = AutoTokenizer.from_pretrained(folder), FlaxBertModel.from_pretrained(folder)
    # At the limit, one token below it, and one above.
    edge = ["word " * (limit - 2), "word " * (limit - 3), "word " * (limit - 1)]
    long = ["あ" * 3000, "one two three " * 2000, "=" * 5000]
    texts = [(t,) for t in SHORT + excerpts() + edge + long] + PAIRS
    batch = [tokenizer(*t, truncation="longest_first", max_length=limit, padding="max_length") for t in texts]
    ids, types, mask = (np.array([e[part] for e in batch]) for part in ("input_ids", "token_type_ids", "attention_mask"))
    states = model(ids, attention_mask=mask, token_type_ids=types, train=False)[0]
    sums = (np.asarray(states, np.float64) * mask[:, :, None]).sum(1)
    vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)  # the mean has the same direction
    cases = []
    for i, t in enumerate(texts):
        n = mask[i].sum()
        cases.append({"text": t[0] if len(t) == 1 else None, "ids": ids[i, :n].tolist(), "types": types[i, :n].tolist(),
                      "vector": [float("%.8g" % x) for x in vectors[i]]})
    with open(to, "w") as f:
        json.dump({"limit": limit, "cases": cases}, f)


if __name__ == "__main__":
    main(*sys.argv[1:])
