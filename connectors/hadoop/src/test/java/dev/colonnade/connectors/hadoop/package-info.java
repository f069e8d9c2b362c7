@NullMarked
package dev.colonnade.connectors.hadoop;

import org.jspecify.annotations.NullMarked;
