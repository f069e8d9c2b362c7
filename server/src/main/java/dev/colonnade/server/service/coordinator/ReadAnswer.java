package dev.colonnade.server.service.coordinator;

/**
 * The resolved answer of several replicas.
 *
 * @param cost of the replicas whose data was used
 * @param mended whether the replicas differed
 */
record ReadAnswer<M>(M result, CallCost cost, boolean mended) {}
