/** Tests that compare the documentation's pages with reality. */
@NullMarked
package dev.colonnade.it.docs;

import org.jspecify.annotations.NullMarked;
