"""What every ONNX model of this package runs on: a session, and the word list that ships here.

Of the library ``tokenizers`` only a constructor over a vocabulary in memory is used, never
``from_pretrained``: nothing asks a model hub.
"""

import hashlib
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atmem_core.errors import EmbeddingUnavailable
from atmem_core.text.lexicon import VOCABULARY_FILE

if TYPE_CHECKING:
    from tokenizers import BertWordPieceTokenizer

VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


def session_of(path: Path, threads: int) -> Any:  # noqa: ANN401 - onnxruntime ships no types
    """An inference session on the CPU; several threads may use it at once."""
    import onnxruntime  # noqa: PLC0415 - optional, and slow to import

    # On Windows the runtime reports events to the system unless told not to.
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Idle threads would spin for the next run and take the CPU from everybody else.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3  # errors only: its warnings are about the graph, not about us
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def wordpiece(max_tokens: int) -> "BertWordPieceTokenizer":
    """The tokenizer of uncased BERT; of a pair the longer text is cut first."""
    from tokenizers import BertWordPieceTokenizer  # noqa: PLC0415 - optional

    listed = resources.files("atmem_core.text").joinpath("data", VOCABULARY_FILE).read_bytes()
    if hashlib.sha256(listed).hexdigest() != VOCABULARY_SHA256:
        raise EmbeddingUnavailable("wrong_vocabulary", f"{VOCABULARY_FILE} isn't the model's")
    words = listed.decode().rstrip("\n").split("\n")
    tokenizer = BertWordPieceTokenizer({word: number for number, word in enumerate(words)}, lowercase=True)
    tokenizer.enable_truncation(max_tokens)
    return tokenizer
