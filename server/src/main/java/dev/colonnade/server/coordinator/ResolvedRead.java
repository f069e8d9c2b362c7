package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.Mutation;
import java.util.List;

/**
 * What several replicas say together.
 *
 * @param result for the caller
 * @param corrections for each answer, in the order of the answers, what its replica lacks
 */
record ResolvedRead<M>(M result, List<List<Mutation>> corrections) {}
