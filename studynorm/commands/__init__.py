"""The subcommands, one module each, imported only when they are called."""
