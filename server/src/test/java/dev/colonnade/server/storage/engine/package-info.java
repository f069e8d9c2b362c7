/** Tests of the store's own parts. */
@NullMarked
package dev.colonnade.server.storage.engine;

import org.jspecify.annotations.NullMarked;
