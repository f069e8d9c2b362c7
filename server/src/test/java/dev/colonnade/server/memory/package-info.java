@NullMarked
package dev.colonnade.server.memory;

import org.jspecify.annotations.NullMarked;
