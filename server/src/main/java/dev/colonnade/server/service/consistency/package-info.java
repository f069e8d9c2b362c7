/**
 * Asking replicas: who owns a row, how many of its replicas must answer at a consistency level, in
 * what order they are asked, and how long they are waited for.
 *
 * <p>{@link dev.colonnade.server.service.consistency.ConsistencyRequirement} is the rule of a
 * level; {@code ReadPlan} and {@code WritePlan} apply it to a row at one moment; {@code
 * ReplicaRequest} sends a request, counts the answers, and asks a spare replica when one is late;
 * {@code Replicas} is this node's access to replicas, itself among them. What a request means is
 * the business of the packages above.
 */
@NullMarked
package dev.colonnade.server.service.consistency;

import org.jspecify.annotations.NullMarked;
