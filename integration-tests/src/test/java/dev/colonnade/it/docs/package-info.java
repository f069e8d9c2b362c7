/** Tests that hold the documentation's pages against what really happens. */
@NullMarked
package dev.colonnade.it.docs;

import org.jspecify.annotations.NullMarked;
