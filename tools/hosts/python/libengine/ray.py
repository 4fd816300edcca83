"""Ray: a function for Dataset.map_batches that appends vectors to a column of texts."""

from __future__ import annotations

import pyarrow as pa

from .arrow import encoder_of


class EncodeColumn:
    """Called with a batch, a pyarrow.Table, it appends the column `output`, FixedSizeList of float32, of the texts in
    `column`; null for a null. EncodeColumn("text") is a function for tasks, EncodeColumn itself a class for actors.

    path: of the weight file on each node, which a worker opens once; threads: of each call. options: of Encoder.encode.
    """

    def __init__(self, column: str, output: str = "vector", path=None, threads: int = 1, **options):
        self.column, self.output, self.options = column, output, options
        self.path, self.threads = path, threads

    def __call__(self, batch: pa.Table) -> pa.Table:
        vectors = encoder_of(self.path, self.threads).encode_arrow(batch[self.column], **self.options)
        return batch.append_column(self.output, vectors)
