"""The gate of an embedding model, for callers: ``atmem_core.semantic.gate`` has the rule."""

from atmem_core.semantic.gate import GateReport, run_gate

__all__ = ["GateReport", "run_gate"]
