"""LlamaIndex' BaseEmbedding by an Encoder."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding

from .encoder import Encoder


class Embedding(BaseEmbedding):
    """Embedding(Encoder()); without an argument the default model."""

    encoder: Any = None

    def __init__(self, encoder: Encoder | None = None, **options):
        encoder = encoder or Encoder()
        super().__init__(encoder=encoder, **{"model_name": encoder.name or "libengine", **options})

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self.encoder.encode_document(texts).tolist()

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self.encoder.encode_query(query).tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)
