/**
 * The manifest: which data files are live, up to where in the commit log each column family has
 * been flushed, and who this node is.
 *
 * <p>The live set changes by one checksummed record appended to one file: {@link
 * dev.colonnade.server.manifest.Edit}. Either the whole edit is there after a crash or nothing of
 * it, so a flush or a compaction appears at once. Files that the manifest does not name are
 * leftovers, to be deleted at start. When the file has grown much longer than what it says, it is
 * written anew beside itself and takes its own place by a rename.
 *
 * <p>{@link dev.colonnade.server.manifest.NodeIdentity} is fixed at the first start and checked at
 * every later one: data placed by one partitioner makes no sense under another.
 *
 * <p>{@code ManifestFormat.md} beside this file is the layout on disk. What the files contain, and
 * what their metadata means, is not known here.
 */
@NullMarked
package dev.colonnade.server.manifest;

import org.jspecify.annotations.NullMarked;
