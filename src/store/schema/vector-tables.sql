-- The tables of vectors of 512 dimensions, the width of the built-in embedder. Other widths get their tables when first used.
SELECT ensure_vector_tables(512);
