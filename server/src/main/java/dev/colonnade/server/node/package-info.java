/**
 * The composition root: builds one node out of settings, real adapters and everything else, and
 * owns the order in which its parts start and stop.
 *
 * <p>What may not enter: decisions that belong to a part.
 */
@NullMarked
package dev.colonnade.server.node;

import org.jspecify.annotations.NullMarked;
