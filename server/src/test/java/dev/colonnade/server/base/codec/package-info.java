@NullMarked
package dev.colonnade.server.base.codec;

import org.jspecify.annotations.NullMarked;
