/**
 * The schema of a node and how the nodes agree on it: changes made here, versions compared by
 * gossip, missing rows fetched from others, and truncations, which are a numbered change of the
 * schema.
 *
 * <p>Schemas merge by the rule of {@link dev.colonnade.server.base.schema.Schema}, which looks at
 * the rows alone, so nodes that have the same rows have the same schema.
 */
@NullMarked
package dev.colonnade.server.service.schemasync;

import org.jspecify.annotations.NullMarked;
