package dev.colonnade.server.coordinator;

/**
 * What replicas said together.
 *
 * @param cost of those whose data was taken
 * @param mended whether they differed
 */
record ReadAnswer<M>(M result, CallCost cost, boolean mended) {}
