/** Tests whose cases and expected answers lie in text files, one beside the other. */
@NullMarked
package dev.colonnade.server.cases;

import org.jspecify.annotations.NullMarked;
