"""Figures over a Memory: labelled stores, calibration, reports."""
