@NullMarked
package dev.colonnade.server.base.memory;

import org.jspecify.annotations.NullMarked;
