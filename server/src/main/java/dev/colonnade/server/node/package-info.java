/**
 * The composition root: builds one node from settings, real adapters and everything else, and
 * defines the order in which its parts start and stop.
 *
 * <p>This package must not contain decisions that belong to a part.
 */
@NullMarked
package dev.colonnade.server.node;

import org.jspecify.annotations.NullMarked;
