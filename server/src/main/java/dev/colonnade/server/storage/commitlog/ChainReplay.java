package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.storage.commitlog.FoundSegments.SegmentFound;
import dev.colonnade.server.storage.record.Frames;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * Replays segments that follow each other, oldest first, up to where the last one that was durable
 * ends.
 */
final class ChainReplay {

  /** Is told what keeps each segment. */
  interface Holders {
    /** For readers that keep nothing. */
    Holders NONE =
        new Holders() {
          @Override
          public void add(long number, long bytes) {
            // Nothing is kept.
          }

          @Override
          public void note(Set<FamilyId> families, long offset) {
            // Nothing is kept.
          }
        };

    /** A segment is replayed next. */
    void add(long number, long bytes);

    /** Families took something of the record at an offset of that segment. */
    void note(Set<FamilyId> families, long offset);
  }

  private final FileSystem files;
  private final FoundSegments found;
  private final LogReplay replay;
  private final Holders holders;
  private long records;
  private long bytes;
  private long droppedBytes;
  private int replayed;
  private long lastEnd;

  ChainReplay(FileSystem files, FoundSegments found, LogReplay replay, Holders holders) {
    this.files = files;
    this.found = found;
    this.replay = replay;
    this.holders = holders;
  }

  /**
   * Replays all of them.
   *
   * @throws CorruptFileException if something in them that was durable is damaged
   */
  void run() throws IOException {
    List<SegmentFound> chain = found.chain();
    boolean torn = false;
    for (int i = 0; i < chain.size() && !torn; i++) {
      SegmentFound segment = chain.get(i);
      if (i > 0 && segment.previousEnd() < 0) {
        refuseIfSynced(i, segment);
        torn = true;
      } else {
        torn = !replay(i, segment);
        replayed++;
      }
    }
    for (SegmentFound behind : chain.subList(replayed, chain.size())) {
      droppedBytes += behind.size() - behind.headerBytes();
    }
  }

  /** How many of the chain hold what was replayed; later ones were never durable. */
  int replayed() {
    return replayed;
  }

  /** Where the records of the last one that was replayed end. */
  long lastEnd() {
    return lastEnd;
  }

  LogRecovery recovery() {
    return new LogRecovery(replayed, records, bytes, droppedBytes);
  }

  /** A segment whose first frame is missing was never begun, or its beginning was never synced. */
  private void refuseIfSynced(int index, SegmentFound segment) throws IOException {
    if (!found.mayBeTorn(index) || found.hasMark(segment)) {
      throw new CorruptFileException(
          files.describe(segment.name()),
          segment.headerBytes(),
          "a frame that says where the segment before it ends",
          "other bytes");
    }
  }

  /** Returns false if nothing can follow what was replayed. */
  private boolean replay(int index, SegmentFound segment) throws IOException {
    long end = found.endOf(index);
    boolean mayBeTorn = found.mayBeTorn(index);
    holders.add(segment.number(), segment.size());
    try (ReadableFile file = files.open(segment.name())) {
      SegmentReader reader = SegmentReader.of(files, segment, file, end, mayBeTorn);
      long validEnd = reader.replay(replay, holders::note);
      if (validEnd < end && found.isProvenByTheNext(index)) {
        throw reader.damaged("a frame, since the next segment says that this was synced");
      }
      records += reader.records();
      bytes += validEnd - segment.headerBytes();
      droppedBytes += Math.max(0, Math.min(end, segment.size()) - validEnd);
      // The next segment relies on the records alone: the sync of the seal may have failed.
      lastEnd = reader.isSealed() ? validEnd - Frames.MARK_BYTES : validEnd;
      return validEnd == end;
    }
  }
}
