-- Installs pgvector, because columns and functions use its types.
CREATE EXTENSION IF NOT EXISTS vector;
