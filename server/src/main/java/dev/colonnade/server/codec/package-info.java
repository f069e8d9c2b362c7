/**
 * Bytes as they stand in files: bounded writers and readers, checksums, the key hash, and the
 * header and footer that every file of the node begins and may end with.
 *
 * <p>{@link dev.colonnade.server.codec.ByteWriter} and {@link
 * dev.colonnade.server.codec.ByteReader} mirror each other method by method. A reader believes
 * nothing: a length is compared with what remains and with the caller's maximum before any memory
 * is taken, and a breach is a {@link dev.colonnade.server.codec.CorruptDataException} that says
 * where. What is wrong with a whole file is one of the three {@link
 * dev.colonnade.server.codec.UnreadableFileException}s: its format is too old, too new, or its
 * bytes are damaged. They need different answers from an operator, so they are never mixed up.
 *
 * <p>Numbers of fixed width are big-endian. Variable ones are base-128 groups of seven bits, lowest
 * group first.
 *
 * <p>Nothing here is thread-safe but the static functions. What may not enter: knowledge of what
 * the bytes mean.
 */
@NullMarked
package dev.colonnade.server.codec;

import org.jspecify.annotations.NullMarked;
