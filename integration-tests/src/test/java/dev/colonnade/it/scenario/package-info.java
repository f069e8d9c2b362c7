/**
 * Java's part in the scenario that the clients of all languages play: {@code proto/clients/run
 * java}.
 */
@NullMarked
package dev.colonnade.it.scenario;

import org.jspecify.annotations.NullMarked;
