/**
 * The production implementations of the environment's interfaces: files of the operating system,
 * its clock, threads, entropy, off-heap key indexes, plug-in jars, and the HTTP server for
 * operators.
 *
 * <p>Only this package (and {@code node}, which wires it) asks the JVM for such things. Each
 * adapter passes the same contract suite as its simulated counterpart; the contract is documented
 * at the interface.
 *
 * <p>This package must not contain decisions. An adapter does what it is told and reports what
 * happened.
 */
@NullMarked
package dev.colonnade.server.node.platform;

import org.jspecify.annotations.NullMarked;
