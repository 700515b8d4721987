"""How memories lie on disk: one protocol, one module a layout."""
