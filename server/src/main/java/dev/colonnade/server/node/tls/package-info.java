/**
 * Encryption of the node's ports: the files of certificates and keys, which are watched and take
 * effect without a restart, and which node a peer's certificate names.
 */
@NullMarked
package dev.colonnade.server.node.tls;

import org.jspecify.annotations.NullMarked;
