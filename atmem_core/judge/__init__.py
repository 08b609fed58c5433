"""Answerability judges: readers of question and record that may only lower a class."""

from atmem_core.judge.chat import ChatJudge
from atmem_core.judge.checked import CheckedJudge
from atmem_core.judge.encoder import EncoderJudge
from atmem_core.judge.protocol import Judge
from atmem_core.judge.registry import bundled_judge

__all__ = ["ChatJudge", "CheckedJudge", "EncoderJudge", "Judge", "bundled_judge"]
