/**
 * The figures of the nodes of the ring, as one of them shows them to people: what a node says of
 * itself, and what it hears of others while somebody looks.
 */
@NullMarked
package dev.colonnade.server.service.status;

import org.jspecify.annotations.NullMarked;
