"""Lessons and procedures: advice drawn from notes, recalled by keywords, told and never carried out."""

from atmem_core.advice.lessons import Lessons
from atmem_core.advice.procedures import Procedures
from atmem_core.advice.waiting import AsyncLessons, AsyncProcedures

__all__ = ["AsyncLessons", "AsyncProcedures", "Lessons", "Procedures"]
