@NullMarked
package dev.colonnade.server.codec;

import org.jspecify.annotations.NullMarked;
