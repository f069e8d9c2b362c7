/**
 * Tests of a whole store under the coordinator: crashes, and random operations against a plain
 * model.
 */
@NullMarked
package dev.colonnade.server.coordinator;

import org.jspecify.annotations.NullMarked;
