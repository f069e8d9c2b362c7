/**
 * The client library: a small vocabulary of its own over the gRPC contract. Generated types stay
 * inside; the server module is out of reach.
 */
@NullMarked
package dev.colonnade.client;

import org.jspecify.annotations.NullMarked;
