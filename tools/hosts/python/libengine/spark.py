"""Spark: a function for DataFrame.mapInArrow that appends vectors to a column of texts."""

from __future__ import annotations

from typing import Callable

import pyarrow as pa

from .arrow import encoder_of


def encode_column(column: str, output: str = "vector", path=None, **options) -> Callable:
    """Returns a function for DataFrame.mapInArrow: each batch has the column `output` appended, arrays of float32 of
    the texts in `column`; null for a null. path: of the weight file on each worker, which opens it once, for one
    thread. options: of Encoder.encode."""
    lists = pa.list_(pa.field("element", pa.float32(), nullable=False))  # as Spark has none of a fixed size

    def encode(batches):
        for batch in batches:
            vectors = encoder_of(path, 1).encode_arrow(batch.column(column), **options).cast(lists)
            yield pa.RecordBatch.from_arrays([*batch.columns, vectors], names=[*batch.schema.names, output])
    return encode


def schema_with(schema, output: str = "vector"):
    """Returns a Spark schema with the column that encode_column appends."""
    from pyspark.sql.types import ArrayType, FloatType, StructField, StructType
    return StructType([*schema.fields, StructField(output, ArrayType(FloatType(), False))])
