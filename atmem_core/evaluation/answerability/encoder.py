"""The encoder under training: six layers of BERT over "[CLS] question [SEP] note [SEP]", one logit.

Needs torch, which is in no extra: only whoever trains the judge again installs it. Weights start from an
all-MiniLM-L6-v2 in safetensors; the word embeddings stay frozen, since rare words would drift otherwise.
"""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from atmem_core.embedding import BUNDLED

WIDTH = BUNDLED.dimensions
"""Of the weights it starts from: the bundled embedding model before it was quantised."""
HEADS = 12
LAYERS = 6


class Layer(nn.Module):
    """Self-attention and a feed-forward part, each with a residual and a norm after it."""

    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)
        self.attended = nn.Linear(WIDTH, WIDTH)
        self.attended_norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """One layer; ``mask`` is added to the attention's scores, 0 or very negative."""
        heads = [self._heads(part(hidden)) for part in (self.query, self.key, self.value)]
        scores = heads[0] @ heads[1].transpose(-1, -2) / (WIDTH // HEADS) ** 0.5 + mask
        seen = (scores.softmax(-1) @ heads[2]).transpose(1, 2).flatten(2)
        hidden = self.attended_norm(hidden + self.attended(seen))
        return self.norm(hidden + self.narrow(functional.gelu(self.wide(hidden))))

    def _heads(self, hidden: Tensor) -> Tensor:
        return hidden.unflatten(-1, (HEADS, WIDTH // HEADS)).transpose(1, 2)


class Encoder(nn.Module):
    """Token ids to one logit a pair."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(30_522, WIDTH)
        self.places = nn.Embedding(512, WIDTH)
        self.parts = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.pooler = nn.Linear(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, 1)
        self.drop = nn.Dropout(0.1)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Logits, one a row; above 0 means "answered" more likely than not, before calibration."""
        places = torch.arange(input_ids.shape[1], device=input_ids.device)
        hidden = self.words(input_ids) + self.places(places) + self.parts(token_type_ids)
        hidden = self.norm(hidden)
        mask = (1.0 - attention_mask[:, None, None, :].to(hidden.dtype)) * -10_000.0
        for layer in self.layers:
            hidden = layer(hidden, mask)
        return self.out(self.drop(torch.tanh(self.pooler(hidden[:, 0])))).squeeze(-1)

    @classmethod
    def started_from(cls, weights: Path) -> "Encoder":
        """With the weights of a sentence encoder; pooler and output are new."""
        encoder = cls()
        encoder.load_state_dict(_renamed(load_file(weights)), strict=False)
        encoder.words.weight.requires_grad_(requires_grad=False)
        return encoder


_NAMES = {
    "embeddings.word_embeddings": "words",
    "embeddings.position_embeddings": "places",
    "embeddings.token_type_embeddings": "parts",
    "embeddings.LayerNorm": "norm",
    "encoder.layer.": "layers.",
    "attention.self.": "",
    "attention.output.dense": "attended",
    "attention.output.LayerNorm": "attended_norm",
    "intermediate.dense": "wide",
    "output.dense": "narrow",
    "output.LayerNorm": "norm",
}
"""What a published BERT calls its parts, and what they are called here; replaced in this order."""


def _renamed(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    renamed: dict[str, Tensor] = {}
    for theirs, tensor in weights.items():
        ours = theirs
        for old, new in _NAMES.items():
            ours = ours.replace(old, new)
        if not ours.startswith(("pooler", "embeddings")):
            renamed[ours] = tensor
    return renamed
