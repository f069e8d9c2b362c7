/** Users who follow each other and tweet: the data of the connectors' samples. */
@NullMarked
package dev.colonnade.connectors.samples;

import org.jspecify.annotations.NullMarked;
