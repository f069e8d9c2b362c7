package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.Mutation;
import java.util.List;

/**
 * The resolved answer of several replicas.
 *
 * @param result for the caller
 * @param corrections what each replica lacks, in the order of the answers
 */
record ResolvedRead<M>(M result, List<List<Mutation>> corrections) {}
