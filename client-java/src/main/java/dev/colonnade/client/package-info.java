/**
 * The client library: a small vocabulary of its own over the gRPC contract. Generated types stay
 * inside; the server module is out of reach.
 *
 * <p>Begin at {@link dev.colonnade.client.Colonnade#connect(String)}. {@link
 * dev.colonnade.client.ColumnFamily} and {@link dev.colonnade.client.SuperColumnFamily} read and
 * write; {@link dev.colonnade.client.Schema} defines; all that fails throws {@link
 * dev.colonnade.client.ColonnadeException}.
 */
@NullMarked
package dev.colonnade.client;

import org.jspecify.annotations.NullMarked;
