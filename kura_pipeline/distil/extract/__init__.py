"""The embedded editor's rules: what a lasting human sentence is, in which words, and how it is written down.

    passages → clauses → weighing → gathering → (gate) → writing → judging

Everything here is a pure function of the batch: no model, no clock, no store.
"""
