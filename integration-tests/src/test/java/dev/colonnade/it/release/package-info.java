/** Data that releases wrote, and nodes that they are: what an upgrade has to get along with. */
@NullMarked
package dev.colonnade.it.release;

import org.jspecify.annotations.NullMarked;
