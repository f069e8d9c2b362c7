/** Tests of how a node is put together. */
@NullMarked
package dev.colonnade.server.node;

import org.jspecify.annotations.NullMarked;
