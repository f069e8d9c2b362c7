/**
 * The manifest: which data files are live, up to where in the commit log each column family has
 * been flushed, and the node's identity.
 *
 * <p>The live set changes by one checksummed record appended to one file: {@link
 * dev.colonnade.server.storage.manifest.Edit}. After a crash the whole edit is there or nothing of
 * it, so a flush or a compaction appears at once. Files that the manifest does not name are
 * leftovers, deleted at start. When the file has grown much longer than its content, it is
 * rewritten beside itself and replaced by a rename.
 *
 * <p>{@link dev.colonnade.server.storage.manifest.NodeIdentity} is fixed at the first start and
 * checked at every later one: data placed by one partitioner makes no sense under another.
 *
 * <p>{@code ManifestFormat.md} beside this file is the layout on disk. The contents of the files,
 * and the meaning of their metadata, are not known here.
 */
@NullMarked
package dev.colonnade.server.storage.manifest;

import org.jspecify.annotations.NullMarked;
