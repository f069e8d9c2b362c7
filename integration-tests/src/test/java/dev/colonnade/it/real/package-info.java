/**
 * Nodes on real file systems and networks: power cuts, full disks and partitions. {@code
 * integration-tests/real} runs it; it takes root on Linux.
 */
@NullMarked
package dev.colonnade.it.real;

import org.jspecify.annotations.NullMarked;
