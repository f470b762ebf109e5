-- pgvector: columns and functions use its type.
CREATE EXTENSION IF NOT EXISTS vector;
