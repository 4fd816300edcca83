"""LangChain's Embeddings by an Encoder."""

from __future__ import annotations

import langchain_core.embeddings

from .encoder import Encoder


class Embeddings(langchain_core.embeddings.Embeddings):
    """Embeddings(Encoder()); without an argument the default model. options: as of Encoder.encode."""

    def __init__(self, encoder: Encoder | None = None, **options):
        self.encoder, self.options = encoder or Encoder(), options

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.encoder.encode_document(texts, **self.options).tolist()

    def embed_query(self, text: str) -> list[float]:
        return self.encoder.encode_query(text, **self.options).tolist()
