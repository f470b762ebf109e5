-- Vectors are a type of pgvector, which the first table that has one needs.
CREATE EXTENSION IF NOT EXISTS vector;
