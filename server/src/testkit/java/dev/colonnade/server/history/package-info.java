/**
 * Histories of what clients did and saw, and checkers that say what in them cannot have been. Pure:
 * no node, no simulator and no clock may enter, so that the same checkers serve real processes.
 */
@NullMarked
package dev.colonnade.server.history;

import org.jspecify.annotations.NullMarked;
