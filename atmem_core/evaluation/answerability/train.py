"""Trains the answerability judge: ``python -m atmem_core.evaluation.answerability.train WEIGHTS VOCAB OUT``.

Prints what share of the frames that were kept aside it gets right, and writes one int8 ONNX file. Needs
``torch``, ``safetensors``, ``onnx`` and ``onnxscript`` besides the extra ``local``: some 25 minutes on two
cores.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import BertWordPieceTokenizer, Encoding
from torch import Tensor
from torch.nn import functional

from atmem_core.evaluation.answerability.encoder import Encoder
from atmem_core.evaluation.answerability.frames import Fillers, Frame, read_frames
from atmem_core.evaluation.answerability.generate import SECOND, THIRD, Generator, Pair
from atmem_core.evaluation.answerability.near import nearest_notes

SEED = 20_261_201
MAX_TOKENS = 128
BATCH = 64
RATE = 1.2e-4
ASIDE = 0.08
"""Share of the frames that training never sees."""
SMOOTHING = 0.03


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, measure, export."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("weights", type=Path, help="model.safetensors of all-MiniLM-L6-v2")
    parser.add_argument("vocab", type=Path, help="vocab.txt of uncased BERT")
    parser.add_argument("out", type=Path, help="the ONNX file to write")
    parser.add_argument("--pairs", type=int, default=64_000, help="pairs of the first round")
    parser.add_argument("--second", type=int, default=28_000, help="pairs of the second round")
    parser.add_argument("--third", type=int, default=20_000, help="pairs of the third round")
    parser.add_argument("--start", type=Path, help="what the second round saved: only the third one runs")
    parser.add_argument(
        "--all-frames", action="store_true", help="keep no frame aside: for the file that ships"
    )
    options = parser.parse_args(arguments)
    torch.manual_seed(SEED)
    tokenizer = tokenizer_of(options.vocab)
    frames, aside = _parted(read_frames())
    encoder = Encoder.started_from(options.weights)
    seen = [*frames, *aside] if options.all_frames else frames
    fillers = Fillers.read()
    near = nearest_notes(seen, fillers)
    rounds = [
        (options.pairs, RATE, Generator(seen, fillers, seed=SEED)),
        (options.second, RATE / 2, Generator(seen, fillers, seed=SEED + 2, mix=SECOND, near=near)),
        (options.third, RATE / 2, Generator(seen, fillers, seed=SEED + 3, mix=THIRD, near=near)),
    ]
    if options.start is not None:
        encoder.load_state_dict(torch.load(options.start))
        rounds = rounds[2:]
    for count, rate, generator in rounds:
        _train(encoder, tokenizer, generator, count, rate=rate)
        torch.save(encoder.state_dict(), options.out.with_suffix(f".after-{count}.pt"))
    _say(f"frames kept aside: {_measured(encoder, tokenizer, aside)}")
    export(encoder, options.out)
    return 0


def tokenizer_of(vocab: Path) -> BertWordPieceTokenizer:
    """The tokenizer; the note is cut first when a pair is too long."""
    tokenizer = BertWordPieceTokenizer(str(vocab), lowercase=True)
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _parted(frames: Sequence[Frame]) -> tuple[list[Frame], list[Frame]]:
    """Those to train on, and those kept aside: by frame, so that no fact is in both."""
    mixed = list(frames)
    random.Random(SEED).shuffle(mixed)  # noqa: S311 - repeatable choices, nothing secret
    count = int(len(mixed) * ASIDE)
    return mixed[count:], mixed[:count]


def _train(
    encoder: Encoder, tokenizer: BertWordPieceTokenizer, generator: Generator, count: int, *, rate: float
) -> None:
    steps = count // BATCH
    learned = [weight for weight in encoder.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps + 1, pct_start=0.08)
    encoder.train()
    began, losses = time.monotonic(), 0.0
    for step, (inputs, labels) in enumerate(_batches(generator, tokenizer, steps), 1):
        wanted = labels * (1 - 2 * SMOOTHING) + SMOOTHING
        loss = functional.binary_cross_entropy_with_logits(encoder(*inputs), wanted)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learned, 1.0)
        optimizer.step()
        schedule.step()
        losses += loss.item()
        if step % 50 == 0:
            _say(f"step {step} of {steps}, loss {losses / 50:.4f}, {time.monotonic() - began:.0f} s")
            losses = 0.0


def _batches(
    generator: Generator, tokenizer: BertWordPieceTokenizer, steps: int
) -> Iterator[tuple[tuple[Tensor, Tensor, Tensor], Tensor]]:
    """Batches of pairs of like length, in mixed order: padding costs as much as text."""
    chance = random.Random(SEED)  # noqa: S311 - repeatable choices, nothing secret
    made = 0
    while made < steps:
        pairs = list(generator.pairs(BATCH * 40))
        encoded = [tokenizer.encode(pair.question, pair.note) for pair in pairs]
        order = sorted(range(len(pairs)), key=lambda at: len(encoded[at].ids))
        batches = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
        chance.shuffle(batches)
        for batch in batches[: steps - made]:
            labels = torch.tensor([float(pairs[at].answered) for at in batch])
            yield padded([encoded[at] for at in batch]), labels
        made += len(batches)


def padded(encoded: Sequence[Encoding]) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, mask and parts as three tensors of one length."""
    width = max(len(one.ids) for one in encoded)
    rows = [[*one.ids, *[0] * (width - len(one.ids))] for one in encoded]
    masks = [[1] * len(one.ids) + [0] * (width - len(one.ids)) for one in encoded]
    parts = [[*one.type_ids, *[0] * (width - len(one.ids))] for one in encoded]
    return torch.tensor(rows), torch.tensor(masks), torch.tensor(parts)


def _measured(encoder: Encoder, tokenizer: BertWordPieceTokenizer, frames: Sequence[Frame]) -> str:
    fillers = Fillers.read()
    near = nearest_notes(frames, fillers)
    pairs = list(Generator(frames, fillers, seed=SEED + 1, mix=THIRD, near=near).pairs(2_000))
    encoder.eval()
    scores: list[float] = []
    with torch.no_grad():
        for at in range(0, len(pairs), BATCH):
            batch = [tokenizer.encode(one.question, one.note) for one in pairs[at : at + BATCH]]
            scores += encoder(*padded(batch)).tolist()
    return report(pairs, np.array(scores))


def report(pairs: Sequence[Pair], scores: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> str:
    """Share of each kind withheld when 90% of the answered pairs are kept."""
    right = np.array([pair.answered for pair in pairs])
    bar = np.quantile(scores[right], 0.1)
    kinds = sorted({pair.kind for pair in pairs if not pair.answered})
    of = np.array([pair.kind for pair in pairs])
    return ", ".join(f"{kind} {np.mean(scores[of == kind] < bar):.2f}" for kind in kinds)


def export(encoder: Encoder, out: Path) -> None:
    """Write int8 ONNX: weights of the matrices and the embeddings; dynamic, so activations stay exact."""
    encoder.eval()
    # Three tensors: one that is given three times becomes one input of the graph.
    example = tuple(torch.ones(2, 8, dtype=torch.long) for _ in range(3))
    names = ["input_ids", "attention_mask", "token_type_ids"]
    pairs, tokens = torch.export.Dim("pairs"), torch.export.Dim("tokens", max=512)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole.onnx")
        shape = {0: pairs, 1: tokens}
        torch.onnx.export(
            encoder,
            example,
            str(whole),
            input_names=names,
            output_names=["answered"],
            dynamic_shapes=(shape, shape, shape),
            dynamo=True,
            external_data=False,
        )
        quantize_dynamic(whole, out, weight_type=QuantType.QInt8, per_channel=True)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
