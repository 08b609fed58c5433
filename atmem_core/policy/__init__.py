"""Judgement: pure functions from readings and numbers to a decision. Nothing here waits or looks."""
