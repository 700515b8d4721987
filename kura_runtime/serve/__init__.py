"""The doors that agents of other processes use: HTTP (`app`) and MCP (`mcp`). Both stand on the Python door and add nothing to
what it answers; they say who may knock, how much may be handed in, and how a refusal reads on the wire.
"""
