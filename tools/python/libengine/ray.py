"""Ray: a class for Dataset.map_batches that appends vectors to a column of texts."""

from __future__ import annotations

import pyarrow as pa

from .encoder import Encoder


class EncodeColumn:
    """An actor's encoder, opened once. Called with a batch, a pyarrow.Table, it appends the column `output`,
    FixedSizeList of float32, of the texts in `column`; null for a null.

    path: of the weight file on each node; threads: of each actor. options: of Encoder.encode.
    """

    def __init__(self, column: str, output: str = "vector", path=None, threads: int = 1, **options):
        self.column, self.output, self.options = column, output, options
        self.encoder = Encoder(path, threads)

    def __call__(self, batch: pa.Table) -> pa.Table:
        return batch.append_column(self.output, self.encoder.encode_arrow(batch[self.column], **self.options))
