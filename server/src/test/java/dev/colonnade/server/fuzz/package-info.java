/**
 * The targets of the fuzzer, and their run over the corpora in the repository. A target is a class
 * with {@code fuzzerTestOneInput(byte[])} beside the decoder that it is about; whatever it throws
 * is a finding.
 */
@org.jspecify.annotations.NullMarked
package dev.colonnade.server.fuzz;
