-- The tables for vectors of the built-in embedder, 512 dimensions. Tables for other dimensions are created when first used.
SELECT ensure_vector_tables(512);
