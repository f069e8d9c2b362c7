/** Replicas that received different writes, their answers, and how these are resolved. */
@NullMarked
package dev.colonnade.server.service.readrepair;

import org.jspecify.annotations.NullMarked;
