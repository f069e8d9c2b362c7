/**
 * Local authorities for a first cluster: the certificates of its nodes and clients, and the
 * directory that they are kept in. No running node uses this package.
 */
@NullMarked
package dev.colonnade.server.node.authority;

import org.jspecify.annotations.NullMarked;
