/**
 * Restores snapshots into a cluster: merges those of all nodes, creates the schema where it is
 * missing, loads what is live, and compares the result.
 */
@NullMarked
package dev.colonnade.cli.local.restore;

import org.jspecify.annotations.NullMarked;
