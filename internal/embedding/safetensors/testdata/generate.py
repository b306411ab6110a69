"""Writes reference.safetensors with the reference implementation.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install safetensors==0.8.0 numpy==2.4.6
    /tmp/venv/bin/python generate.py        # in this folder
"""

import struct

import numpy
from safetensors import TensorSpec, serialize_file

VALUES = [0, 1, -1, 0.5, 65504, -(2.0**-14), 2.0**-24, 3.140625]
WHOLE = [-128, -1, 0, 1, 127]

tensors = {}
kept = []  # a TensorSpec holds an address only


def add(name, dtype, array_bytes, shape):
    kept.append(numpy.frombuffer(array_bytes, "uint8"))
    tensors[name] = TensorSpec(dtype=dtype, shape=shape, data_ptr=kept[-1].ctypes.data, data_len=len(array_bytes))


for name, kind in (("F16", "float16"), ("F32", "float32"), ("F64", "float64")):
    add(name, kind, numpy.array(VALUES, kind).tobytes(), [2, 4])
for name, kind in (("I8", "int8"), ("I16", "int16"), ("I32", "int32"), ("I64", "int64")):
    add(name, kind, numpy.array(WHOLE, kind).tobytes(), [5])
# The upper halves of 1, -2.5, 1/128 and infinity as 32-bit numbers.
add("BF16", "bfloat16", struct.pack("<4H", 0x3F80, 0xC020, 0x3C00, 0x7F80), [4])
serialize_file(tensors, "reference.safetensors", {"format": "np"})
