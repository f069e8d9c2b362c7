/** The applications of the walkthroughs, each on a whole node over a real socket. */
@NullMarked
package dev.colonnade.it.demo;

import org.jspecify.annotations.NullMarked;
