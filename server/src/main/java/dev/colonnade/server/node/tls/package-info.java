/**
 * Encryption of the node's ports: the files of certificates and keys, which are watched and take
 * effect without a restart, which node a peer's certificate names, and what nodes sign with them.
 */
@NullMarked
package dev.colonnade.server.node.tls;

import org.jspecify.annotations.NullMarked;
