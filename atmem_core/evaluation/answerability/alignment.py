"""A comparison for the judge: features that align the words of question and note, and no encoder of pairs.

``python -m atmem_core.evaluation.answerability.alignment PAIRS`` fits them on pairs of the generator and
counts, on a file of labelled pairs, what they tell apart beside the judge: docs/explanation/judge.md.
Each word of the question that carries topic is paired with the word of the note whose vector, in its context,
lies nearest; what is asked for is compared with what the note holds beyond the question's own words.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atmem_core.embedding.installed import data_file
from atmem_core.embedding.minilm import WEIGHTS
from atmem_core.embedding.onnx import session_of, wordpiece
from atmem_core.errors import MissingExtra
from atmem_core.evaluation.answerability.frames import Fillers, read_frames
from atmem_core.evaluation.answerability.generate import THIRD, Generator, Pair
from atmem_core.evaluation.fit import fit_logistic
from atmem_core.judge import bundled_judge
from atmem_core.policy.question import read_query
from atmem_core.policy.reading import read
from atmem_core.records import AskedKind, Reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FEATURES = (
    "mean_match",
    "least_match",
    "share_matched",
    "exact_share",
    "holds_asked_kind",
    "holds_more",
    "names_agree",
    "numbers_agree",
    "states",
    "mean_and_kind",
)
PAIRS, SEED = 3_000, 41
KEPT = 0.9
_MATCHED = 0.55
_MAX_TOKENS, _MAX_CHARS = 128, 2_000


class Aligner:
    """Measures pairs with the bundled embedder's vectors of single words."""

    def __init__(self) -> None:
        path = data_file(WEIGHTS, "model.onnx")
        if path is None:
            raise MissingExtra(WEIGHTS, "local")
        self._session: Any = session_of(path, 1)
        self._tokenizer = wordpiece(_MAX_TOKENS)

    def features(self, question: str, note: str) -> list[float]:
        """In the order of FEATURES, each 0 to 1; more speaks for an answer."""
        query = read_query(question, max_chars=_MAX_CHARS)
        reading = read(note)
        best = self._best(query.focus, note, {term.word for term in query.terms})
        mean, least = sum(best) / max(1, len(best)), min(best, default=0.0)
        kind = _holds(query.asks, reading)
        own = query.reading.stems
        return [
            mean,
            least,
            sum(one >= _MATCHED for one in best) / max(1, len(best)),
            len({term.stem for term in query.terms} & reading.stems) / max(1, len(query.terms)),
            kind,
            len(reading.stems - own) / max(1, len(reading.stems)),
            float(query.reading.names <= reading.names | reading.capitals),
            float(query.reading.strict <= reading.strict),
            float(not reading.question),
            mean * kind,
        ]

    def _best(self, question: str, note: str, topic: set[str]) -> list[float]:
        """Of each topical word of the question, the highest cosine with a word of the note."""
        import numpy as np  # noqa: PLC0415 - optional, and slow to import

        words, asked = self._vectors(question)
        _, told = self._vectors(note)
        if not len(told):
            return []
        nearest = np.max(asked @ told.T, axis=1)
        kept = [float(max(0.0, one)) for word, one in zip(words, nearest, strict=True) if word in topic]
        return kept or [float(max(0.0, one)) for one in nearest]

    def _vectors(self, text: str) -> "tuple[list[str], Floats]":
        """Words, without the marks around a text, and a unit row for each."""
        import numpy as np  # noqa: PLC0415 - optional, and slow to import

        found = self._tokenizer.encode(text[:_MAX_CHARS])
        ids = np.array([found.ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (hidden,) = self._session.run(["last_hidden_state"], inputs)
        rows = hidden[0][1:-1].astype(np.float64)
        return found.tokens[1:-1], rows / np.maximum(1e-9, np.linalg.norm(rows, axis=1, keepdims=True))


def _holds(asked: AskedKind | None, told: Reading) -> float:
    """Does the note hold the kind of thing that is asked for? 1 or 0; a half when no kind is."""
    return 0.5 if asked is None else float(asked in told.holds)


def read_pairs(path: Path) -> list[Pair]:
    """Labelled pairs, one JSON object a line: ``question``, ``note``, ``answered``, ``kind``."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    keys = ("question", "note", "answered", "kind")
    return [Pair(**{key: line[key] for key in keys}) for line in lines]


def _auroc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """Chance that an answered pair scores above another one; ties count half."""
    above = sum((one > other) + 0.5 * (one == other) for one in right for other in wrong)
    return above / (len(right) * len(wrong))


def line_of(name: str, pairs: Sequence[Pair], scores: Sequence[float]) -> str:
    """AUROC, and the share of absent details below the bar that keeps ``KEPT`` of the answered ones."""
    right = sorted(score for pair, score in zip(pairs, scores, strict=True) if pair.answered)
    wrong = [score for pair, score in zip(pairs, scores, strict=True) if not pair.answered]
    absent = [score for pair, score in zip(pairs, scores, strict=True) if pair.kind == "fact_absent"]
    bar = right[round((1 - KEPT) * len(right))]
    withheld = [sum(one < bar for one in of) / max(1, len(of)) for of in (wrong, absent)]
    return f"{name:<12} {_auroc(right, wrong):.3f}     {withheld[0]:.2f}              {withheld[1]:.2f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, count, print."""
    import numpy as np  # noqa: PLC0415 - only an evaluation needs it

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pairs", type=Path, help="labelled pairs, JSON lines")
    parser.add_argument("--made", type=int, default=PAIRS, help="pairs of the generator to fit on")
    options = parser.parse_args(arguments)
    aligner, blind = Aligner(), read_pairs(options.pairs)
    made = list(Generator(read_frames(), Fillers.read(), seed=SEED, mix=THIRD).pairs(options.made))
    rows = np.array([aligner.features(pair.question, pair.note) for pair in made])
    fitted = fit_logistic(rows, np.array([float(pair.answered) for pair in made]))
    seen = np.array([aligner.features(pair.question, pair.note) for pair in blind])
    aligned = seen @ np.array(fitted.weights) + fitted.bias
    sys.stdout.write(
        "".join(f"{name}: {weight:.2f}\n" for name, weight in zip(FEATURES, fitted.weights, strict=True))
    )
    sys.stdout.write("\n             AUROC   all withheld   absent withheld\n")
    sys.stdout.write(line_of("alignment", blind, list(aligned)) + "\n")
    if (judge := bundled_judge()) is not None:
        shares = np.clip([judge.answered(pair.question, [pair.note])[0] for pair in blind], 1e-6, 1 - 1e-6)
        logits = np.log(shares / (1 - shares))
        sys.stdout.write(line_of("judge", blind, list(logits)) + "\n")
        sys.stdout.write(line_of("both", blind, list(logits + aligned)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
