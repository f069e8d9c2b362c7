/**
 * Snapshots of one node and of the whole cluster: which nodes are asked, at which timestamp, and
 * who failed. The files are the store's business.
 */
@NullMarked
package dev.colonnade.server.service.backup;

import org.jspecify.annotations.NullMarked;
