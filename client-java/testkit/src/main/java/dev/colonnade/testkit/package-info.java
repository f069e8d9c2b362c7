/** Nodes for the tests of programs that use Colonnade. */
@NullMarked
package dev.colonnade.testkit;

import org.jspecify.annotations.NullMarked;
