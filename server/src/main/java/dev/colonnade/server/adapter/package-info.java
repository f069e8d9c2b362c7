/**
 * The real implementations of the seams: files of the operating system, its clock, threads,
 * entropy, off-heap key indexes, plug-in jars, and what is shown over HTTP.
 *
 * <p>This is the only package (with {@code node}, which wires it) that asks the JVM for such
 * things. Each adapter passes the same contract suite as its simulated counterpart; what a seam
 * promises is written at the seam.
 *
 * <p>What may not enter: decisions. An adapter does what it is told and reports what happened.
 */
@NullMarked
package dev.colonnade.server.adapter;

import org.jspecify.annotations.NullMarked;
