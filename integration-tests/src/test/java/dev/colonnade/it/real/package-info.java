/**
 * Nodes on what a machine really has: file systems that lose their power or run full, and networks
 * that fall apart. {@code integration-tests/real} runs it; it takes root on Linux.
 */
@NullMarked
package dev.colonnade.it.real;

import org.jspecify.annotations.NullMarked;
