"""Figures over a Memory: labelled stores, calibration, reports."""

from atmem_core.evaluation.dataset import Dataset, Format
from atmem_core.evaluation.mem0_oss import pinned_data
from atmem_core.evaluation.reading import read_dataset
from atmem_core.evaluation.report import Report, Sampling, evaluate, write_report
from atmem_core.evaluation.run import Progress
from atmem_core.evaluation.tables import FigureTable

__all__ = [
    "Dataset",
    "FigureTable",
    "Format",
    "Progress",
    "Report",
    "Sampling",
    "evaluate",
    "pinned_data",
    "read_dataset",
    "write_report",
]
