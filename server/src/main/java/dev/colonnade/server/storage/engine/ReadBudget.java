package dev.colonnade.server.storage.engine;

/**
 * How much one turn of reading may take before it pauses with a position to go on from.
 *
 * @param bytes of names and values to deliver, about; at least one cell is delivered however large
 * @param atoms to pass over, delivered or not, so that a row full of deletions cannot hold a thread
 */
record ReadBudget(long bytes, int atoms) {}
