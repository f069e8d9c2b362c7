package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.model.Atom;
import java.io.IOException;

/** Rebuilds auxiliary components in one pass over a data file. */
final class ComponentRebuilder {
  private ComponentRebuilder() {}

  /** Rebuilds all of them, key index included, and makes them durable. */
  static void run(
      SSTableResources resources,
      SSTableIdentity identity,
      BlockReader data,
      OpenComponents.DataFooter footer)
      throws IOException {
    ComponentFiles.deleteTemporaries(resources.files(), identity);
    try (ComponentWriter derived = ComponentWriter.create(resources, identity)) {
      BlockWalk walk = new BlockWalk(data, footer);
      for (DataBlock block = walk.next(); block != null; block = walk.next()) {
        feed(block, derived);
        ByteReader reader = block.reader();
        Atom path = block.continuesFromBefore(0) ? block.atom(0, reader) : null;
        derived.block(block.rowKey(0, reader), path, walk.offset(), walk.frameBytes());
      }
      if (derived.rows() != footer.rows() || derived.cells() != footer.cells()) {
        throw data.corrupt(
            data.end(),
            footer.rows() + " rows with " + footer.cells() + " columns",
            derived.rows() + " with " + derived.cells());
      }
      MetaFile meta = derived.finish(footer.uncompressedBytes(), data.file().size());
      derived.publish(meta);
      resources.files().syncDirectory(identity.directory());
    }
  }

  /** Collects the positions of all rows. */
  static void positions(BlockWalk walk, RowIndexSpool positions) throws IOException {
    for (DataBlock block = walk.next(); block != null; block = walk.next()) {
      ByteReader reader = block.reader();
      long position = RowIndexSpool.pack(walk.offset(), walk.frameBytes());
      for (int row = block.continuesFromBefore(0) ? 1 : 0; row < block.rows(); row++) {
        Hash128 hash = Hash128.of(block.rowKey(row, reader).key());
        positions.add(hash.high(), hash.low(), position);
      }
    }
  }

  private static void feed(DataBlock block, ComponentWriter derived) throws IOException {
    ByteReader reader = block.reader();
    for (int row = 0; row < block.rows(); row++) {
      if (!block.continuesFromBefore(row)) {
        derived.row(
            block.rowKey(row, reader),
            block.rowDeletion(row, reader),
            block.openBefore(row, block.firstAtom(row), reader));
      }
      for (int atom = block.firstAtom(row); atom < block.endAtom(row); atom++) {
        derived.atom(block.atom(atom, reader));
      }
    }
  }
}
