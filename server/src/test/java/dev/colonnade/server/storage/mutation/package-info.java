/** Tests of mutations and their encoding. */
@NullMarked
package dev.colonnade.server.storage.mutation;

import org.jspecify.annotations.NullMarked;
