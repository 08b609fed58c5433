"""Lessons and procedures: advice drawn from notes, recalled by keywords, told and never carried out."""
