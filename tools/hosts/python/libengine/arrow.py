"""Arrow strings to a FixedSizeList of vectors, without copying texts or vectors."""

from __future__ import annotations

import functools

import numpy as np
import pyarrow as pa

from ._inputs import Inputs
from .encoder import Encoder


@functools.lru_cache(maxsize=None)
def encoder_of(path, threads: int) -> Encoder:
    """Returns an encoder, which a worker of Spark or Ray opens once."""
    return Encoder(path, threads)


def encode_arrow(encoder, array, **options) -> pa.FixedSizeListArray:
    """Encoder.encode_arrow."""
    if not isinstance(array, (pa.Array, pa.ChunkedArray)):
        array = pa.array(array)
    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        array = array.cast(pa.large_string())
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else array.cast(pa.large_string()).combine_chunks()
    vectors = encoder.encode(arrow_inputs(array), **options)
    if not isinstance(vectors, np.ndarray) or vectors.ndim != 2:
        raise ValueError("these options give more than a row of numbers for a text: no column of vectors has that")
    nulls = array.is_null() if array.null_count else None
    return pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), vectors.shape[1], mask=nulls)


def arrow_inputs(array) -> Inputs:
    """Returns inputs that point into the array's memory. Nulls are empty texts."""
    _, offsets, data = array.buffers()
    inputs = Inputs(len(array))
    if len(array) and data is not None:
        kind = np.int64 if pa.types.is_large_string(array.type) else np.int32
        bounds = np.frombuffer(offsets, kind)[array.offset:array.offset + len(array) + 1].astype(np.int64)
        lengths = np.diff(bounds)
        if bounds[0] < 0 or bounds[-1] > data.size or lengths.min() < 0:
            raise ValueError("the array's offsets are wrong: see pyarrow's Array.validate")
        inputs.array["text"], inputs.array["text_len"] = data.address + bounds[:-1], lengths
        if array.null_count:
            inputs.array["text_len"][array.is_null().to_numpy(zero_copy_only=False)] = 0
        inputs.kept.append(array)
    return inputs
