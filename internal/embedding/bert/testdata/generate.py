"""Writes small models with random weights, and what the reference makes of tokens.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install transformers==4.49.0 \\
        flax==0.10.2 jax==0.4.35 jaxlib==0.4.35 safetensors==0.8.0 onnx==1.23.2 onnxruntime==1.31.1
    /tmp/venv/bin/python generate.py        # in this folder

The reference for safetensors is Hugging Face's transformers (on JAX); that for
ONNX is ONNX Runtime, on a graph named and laid out as PyTorch's exporter does.
"""

import json
import os
import shutil

import jax
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file
from transformers import BertConfig, FlaxBertModel, FlaxRobertaModel, FlaxXLMRobertaModel, RobertaConfig, XLMRobertaConfig

jax.config.update("jax_default_matmul_precision", "highest")
random = np.random.default_rng(7)


def weights(c):
    """Random weights under the names of a PyTorch checkpoint."""
    h, w = c.hidden_size, {}

    def put(name, *shape, mean=0.0, scale=0.35):
        w[name] = (mean + scale * random.standard_normal(shape)).astype(np.float32)

    def norm(name):
        put(name + ".weight", h, mean=1.0, scale=0.2)
        put(name + ".bias", h, scale=0.2)

    def linear(name, n_in, n_out):
        put(name + ".weight", n_out, n_in)
        put(name + ".bias", n_out)

    put("embeddings.word_embeddings.weight", c.vocab_size, h)
    put("embeddings.position_embeddings.weight", c.max_position_embeddings, h)
    put("embeddings.token_type_embeddings.weight", c.type_vocab_size, h)
    norm("embeddings.LayerNorm")
    for i in range(c.num_hidden_layers):
        at = "encoder.layer.%d." % i
        for part in ("query", "key", "value"):
            linear(at + "attention.self." + part, h, h)
        linear(at + "attention.output.dense", h, h)
        norm(at + "attention.output.LayerNorm")
        linear(at + "intermediate.dense", h, c.intermediate_size)
        linear(at + "output.dense", c.intermediate_size, h)
        norm(at + "output.LayerNorm")
    linear("pooler.dense", h, h)  # in every checkpoint, and of no use here
    return w


def to_flax(w):
    """The same weights under the names of the JAX implementation."""
    tree = {}
    for name, value in w.items():
        parts = name.split(".")
        leaf = parts[-1]
        if "LayerNorm" in parts:
            leaf = {"weight": "scale", "bias": "bias"}[leaf]
        elif "embeddings" in parts[-2]:
            leaf = {"weight": "embedding"}[leaf]
        elif leaf == "weight":
            leaf, value = "kernel", value.T
        node = tree
        for p in parts[:-1]:
            node = node.setdefault(p, {})
        node[leaf] = value
    return tree


def inputs(c, roberta):
    out = []
    longest = c.max_position_embeddings - (c.pad_token_id + 1 if roberta else 0)
    for n in (1, 2, 3, 7, 16, 33, longest):
        ids = random.integers(4, c.vocab_size, n)
        types = np.zeros(n, int) if roberta else random.integers(0, c.type_vocab_size, n)
        if n > 5 and roberta:
            ids[3] = c.pad_token_id  # padding that the text itself spells
        out.append({"ids": ids.tolist(), "types": types.tolist()})
    return out


def write(name, c, model_class, w, pooling, prefix="", dtype=np.float32, extra=None):
    os.makedirs(name, exist_ok=True)
    w = {k: v.astype(dtype).astype(np.float32) for k, v in w.items()}
    save_file({prefix + k: np.ascontiguousarray(v.astype(dtype)) for k, v in w.items()}, name + "/model.safetensors", {"format": "pt"})
    c.save_pretrained(name)
    if pooling:
        os.makedirs(name + "/1_Pooling", exist_ok=True)
        modes = ["cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens"]
        dump(name + "/1_Pooling/config.json", {"word_embedding_dimension": c.hidden_size, **{"pooling_mode_" + m: m == pooling for m in modes}})
        dump(name + "/modules.json", [
            {"idx": i, "name": str(i), "path": p, "type": "sentence_transformers.models." + t}
            for i, (p, t) in enumerate([("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")])
        ])
    for file, value in (extra or {}).items():
        dump(name + "/" + file, value)
    roberta = c.model_type != "bert"
    model = model_class(c, _do_init=False)
    tree = to_flax(w)
    cases = inputs(c, roberta)
    for case in cases:
        ids = np.array([case["ids"]])
        places = None
        if roberta:  # as PyTorch's create_position_ids_from_input_ids counts them
            mask = ids != c.pad_token_id
            places = np.cumsum(mask, 1) * mask + c.pad_token_id
        got = model(ids, attention_mask=np.ones_like(ids), token_type_ids=np.array([case["types"]]), position_ids=places, params=tree, train=False)[0]
        got = np.asarray(got[0], np.float64)
        case["vector"] = [float("%.7g" % x) for x in (got[0] if pooling == "cls_token" else got.mean(0))]
    dump(name + "/golden.json", cases)
    return w


def dump(path, value):
    with open(path, "w") as f:
        json.dump(value, f)
        f.write("\n")


def onnx_graph(c, w, path):
    """A BERT as torch.onnx.export names it: weights of linear layers become
    transposed initializers onnx::MatMul_N, everything else keeps its name."""
    nodes, tensors, count = [], [], [100]

    def fresh(op):
        count[0] += 1
        return "/%s_%d_output_0" % (op, count[0])

    def node(op, *ins, **attributes):
        out = fresh(op)
        nodes.append(helper.make_node(op, list(ins), [out], name=out[:-9], **attributes))
        return out

    def constant(value):
        count[0] += 1
        name = "const_%d" % count[0]
        tensors.append(numpy_helper.from_array(np.array(value), name))
        return name

    def keep(name):
        tensors.append(numpy_helper.from_array(w[name], name))
        return name

    def linear(x, name):
        count[0] += 1
        weight = "onnx::MatMul_%d" % count[0]
        tensors.append(numpy_helper.from_array(np.ascontiguousarray(w[name + ".weight"].T), weight))
        return node("Add", keep(name + ".bias"), node("MatMul", x, weight))

    def norm(x, name):
        return node("LayerNormalization", x, keep(name + ".weight"), keep(name + ".bias"), axis=-1, epsilon=c.layer_norm_eps)

    def heads(x, perm):
        d = c.hidden_size // c.num_attention_heads
        return node("Transpose", node("Reshape", x, constant(np.array([0, 0, c.num_attention_heads, d]))), perm=perm)

    words = node("Gather", keep("embeddings.word_embeddings.weight"), "input_ids")
    kinds = node("Gather", keep("embeddings.token_type_embeddings.weight"), "token_type_ids")
    length = node("Gather", node("Shape", "input_ids"), constant(np.int64(1)))
    places = node("Range", constant(np.int64(0)), length, constant(np.int64(1)))
    places = node("Gather", keep("embeddings.position_embeddings.weight"), places)
    x = norm(node("Add", node("Add", words, kinds), places), "embeddings.LayerNorm")
    for i in range(c.num_hidden_layers):
        at = "encoder.layer.%d." % i
        q = heads(linear(x, at + "attention.self.query"), [0, 2, 1, 3])
        k = heads(linear(x, at + "attention.self.key"), [0, 2, 3, 1])
        v = heads(linear(x, at + "attention.self.value"), [0, 2, 1, 3])
        scores = node("Div", node("MatMul", q, k), constant(np.float32((c.hidden_size // c.num_attention_heads) ** 0.5)))
        mixed = node("Transpose", node("MatMul", node("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        mixed = node("Reshape", mixed, constant(np.array([0, 0, c.hidden_size])))
        x = norm(node("Add", linear(mixed, at + "attention.output.dense"), x), at + "attention.output.LayerNorm")
        y = linear(x, at + "intermediate.dense")
        erf = node("Add", node("Erf", node("Div", y, constant(np.float32(2**0.5)))), constant(np.float32(1)))
        y = node("Mul", node("Mul", y, erf), constant(np.float32(0.5)))
        x = norm(node("Add", linear(y, at + "output.dense"), x), at + "output.LayerNorm")
    nodes[-1].output[0] = "last_hidden_state"
    takes = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"]) for n in ("input_ids", "token_type_ids")]
    gives = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", c.hidden_size])]
    graph = helper.make_graph(nodes, "main_graph", takes, gives, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def main():
    small = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, vocab_size=90, attention_probs_dropout_prob=0.0, hidden_dropout_prob=0.0)
    c = BertConfig(**small, intermediate_size=48, max_position_embeddings=70, layer_norm_eps=1e-12)
    write("bert-mean", c, FlaxBertModel, weights(c), "mean_tokens")
    c = BertConfig(**{**small, "hidden_size": 40, "num_attention_heads": 5}, intermediate_size=37, max_position_embeddings=64, hidden_act="gelu_new", layer_norm_eps=1e-5, type_vocab_size=3)
    write("bert-cls-f16", c, FlaxBertModel, weights(c), "cls_token", "bert.", np.float16)
    c = XLMRobertaConfig(**small, intermediate_size=64, max_position_embeddings=66, type_vocab_size=1, pad_token_id=1, layer_norm_eps=1e-5)
    write("xlmr-mean", c, FlaxXLMRobertaModel, weights(c), "mean_tokens", "roberta.", extra={"sentence_bert_config.json": {"max_seq_length": 512, "do_lower_case": False}})
    c = RobertaConfig(**{**small, "hidden_size": 64}, intermediate_size=96, max_position_embeddings=40, type_vocab_size=1, pad_token_id=1, hidden_act="relu")
    write("roberta-bare", c, FlaxRobertaModel, weights(c), None)

    # ONNX: the same layout as bert-mean, weights of its own.
    c = BertConfig(**small, intermediate_size=48, max_position_embeddings=70, layer_norm_eps=1e-12)
    w = weights(c)
    name = "onnx-mean"
    os.makedirs(name, exist_ok=True)
    c.save_pretrained(name)
    onnx_graph(c, w, name + "/model.onnx")
    session = onnxruntime.InferenceSession(name + "/model.onnx", providers=["CPUExecutionProvider"])
    cases = inputs(c, False)
    for case in cases:
        got = session.run(None, {"input_ids": np.array([case["ids"]]), "token_type_ids": np.array([case["types"]])})[0][0]
        case["vector"] = [float("%.7g" % x) for x in got.astype(np.float64).mean(0)]
    dump(name + "/golden.json", cases)


if __name__ == "__main__":
    main()
