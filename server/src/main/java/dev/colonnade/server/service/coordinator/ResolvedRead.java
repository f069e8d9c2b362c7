package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.storage.mutation.Mutation;
import java.util.List;

/**
 * The resolved answer of several replicas.
 *
 * @param result for the caller
 * @param corrections what each replica lacks, in the order of the answers
 */
record ResolvedRead<M>(M result, List<List<Mutation>> corrections) {}
