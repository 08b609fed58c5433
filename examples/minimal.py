"""Remember, decide, recall: the three outcomes in eight lines."""

from atmem_core import Memory

memory = Memory.open(":memory:")
memory.remember("Brutus is my Bernese mountain dog.", subject="ada")
memory.remember("I am allergic to peanuts.", subject="ada")

for question in ("What breed is my dog Brutus?", "What is my sister's name?", "Thanks!"):
    block = memory.context(question, subject="ada")
    print(question, "->", block.decision.support_class)
    print(block.text or "(nothing to inject)")
