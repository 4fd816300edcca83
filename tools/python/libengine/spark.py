"""Spark: a function for DataFrame.mapInArrow that appends vectors to a column of texts."""

from __future__ import annotations

from typing import Callable

import pyarrow as pa

from .encoder import Encoder

_encoders: dict = {}  # of this worker process, by path


def encoder_of(path) -> Encoder:
    """Returns an encoder of one thread, which a worker opens once."""
    if path not in _encoders:
        _encoders[path] = Encoder(path, threads=1)
    return _encoders[path]


def encode_column(column: str, output: str = "vector", path=None, **options) -> Callable:
    """Returns a function for DataFrame.mapInArrow: each batch has the column `output` appended, arrays of float32 of
    the texts in `column`; null for a null. path: of the weight file on each worker. options: of Encoder.encode."""

    def encode(batches):
        for batch in batches:
            vectors = encoder_of(path).encode_arrow(batch.column(column), **options)
            yield batch_with(batch, output, vectors)
    return encode


def batch_with(batch: pa.RecordBatch, name: str, vectors: pa.FixedSizeListArray) -> pa.RecordBatch:
    """Returns the batch with one more column, as the list that Spark knows."""
    lists = vectors.cast(pa.list_(pa.field("element", pa.float32(), nullable=False)))
    return pa.RecordBatch.from_arrays([*batch.columns, lists], names=[*batch.schema.names, name])


def schema_with(schema, output: str = "vector"):
    """Returns a Spark schema with the column that encode_column appends."""
    from pyspark.sql.types import ArrayType, FloatType, StructField, StructType
    return StructType([*schema.fields, StructField(output, ArrayType(FloatType(), False))])
