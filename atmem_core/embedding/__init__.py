"""stub"""
from atmem_core.embedding.protocol import Embedder, Float32Array
def resolve(e):
    from types import SimpleNamespace
    return SimpleNamespace(embedder=None, reason="")
