"""The raw tier: full text of everything the journals say, for looking things up. It is never injected anywhere."""
