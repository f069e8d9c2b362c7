/**
 * Bytes as stored in files: bounded writers and readers, checksums, the key hash, and the header
 * and footer of the node's files.
 *
 * <p>{@link dev.colonnade.server.base.codec.ByteWriter} and {@link
 * dev.colonnade.server.base.codec.ByteReader} mirror each other method by method. A reader trusts
 * nothing: a length is compared with what remains and with the caller's maximum before any memory
 * is allocated, and a violation is a {@link dev.colonnade.server.base.codec.CorruptDataException}
 * that says where. Errors about a whole file are one of the three {@link
 * dev.colonnade.server.base.codec.UnreadableFileException}s: its format is too old, too new, or its
 * bytes are damaged. An operator has to react to each in a different way, so they are never mixed
 * up.
 *
 * <p>Numbers of fixed width are big-endian. Variable ones are base-128 groups of seven bits, lowest
 * group first.
 *
 * <p>Nothing here is thread-safe except the static functions. Not allowed here: knowledge of what
 * the bytes mean.
 */
@NullMarked
package dev.colonnade.server.base.codec;

import org.jspecify.annotations.NullMarked;
