@NullMarked
package dev.colonnade.connectors.spark;

import org.jspecify.annotations.NullMarked;
