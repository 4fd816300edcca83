"""Text to vectors on CPUs: the library libengine, and its default model, in Python.

    import libengine
    encoder = libengine.Encoder()
    vectors = encoder.encode(["I ride bike", "bike ride I"])    # float32 [2, 256]
"""

from ._library import EngineError, InputError, OutOfMemory, WeightsError, library
from .encoder import Candidate, Encoder, Entity, Token
from .index import Index

__all__ = ["Candidate", "Encoder", "EngineError", "Entity", "Index", "InputError", "OutOfMemory", "Token",
           "WeightsError"]
__version__ = library.engine_version().decode()
