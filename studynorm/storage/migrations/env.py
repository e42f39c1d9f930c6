"""Alembic's environment: runs on the connection, and inside the transaction, that the caller holds."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
