/**
 * Tests of a whole store under the coordinator: crashes, and random operations against a plain
 * model.
 */
@NullMarked
package dev.colonnade.server.service.coordinator;

import org.jspecify.annotations.NullMarked;
