"""From a finished turn to facts: what of it tells, who reads it, and a queue that keeps no host waiting."""

from atmem_core.remember.extraction.extractor import Extractor, MemoryExtractor
from atmem_core.remember.extraction.rules import RuleExtractor

__all__ = ["Extractor", "MemoryExtractor", "RuleExtractor"]
