package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.LogPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads the archived segments of one node, as {@link LogArchive} keeps them. All checksums are
 * compared; an incomplete record at the end of the last segment ends it. Writes nothing. Blocks.
 */
public final class ArchivedLog {

  private ArchivedLog() {}

  /**
   * What was read.
   *
   * @param segments how many
   * @param records that were passed on
   * @param droppedBytes at the end of a segment, of a record that is not complete
   * @param holes where segments are missing, in order
   */
  public record Contents(int segments, long records, long droppedBytes, List<Hole> holes) {
    /** Copies the list. */
    public Contents {
      holes = List.copyOf(holes);
    }
  }

  /**
   * Segments that are missing.
   *
   * @param first of their numbers
   * @param last of their numbers; {@link Long#MAX_VALUE} if nothing follows
   */
  public record Hole(long first, long last) {
    @Override
    public String toString() {
      if (first == last) {
        return "segment " + first;
      }
      return last == Long.MAX_VALUE
          ? "segment " + first + " and all behind it"
          : "segments " + first + " to " + last;
    }
  }

  /**
   * Passes each record behind a position to {@code replay}, in the order of the log. What it
   * returns is not used.
   *
   * @param node rooted at the directory of the node's segments
   * @param after segments before it need not be there, and are not read; {@link LogPosition#START}
   *     for all that the node ever had
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if a segment is damaged or of
   *     another release
   */
  public static Contents read(FileSystem node, LogPosition after, LogReplay replay)
      throws IOException {
    int segments = 0;
    long droppedBytes = 0;
    AtomicLong records = new AtomicLong();
    LogReplay behind =
        (position, payload) -> {
          if (position.compareTo(after) <= 0) {
            return Set.of();
          }
          records.incrementAndGet();
          return replay.record(position, payload);
        };
    List<Hole> holes = new ArrayList<>();
    // Of a node without a position all is wanted, and its first segment follows none.
    long wanted = Math.max(1, after.segment());
    boolean isFirst = true;
    for (FoundSegments part : FoundSegments.unbroken(node, after.segment())) {
      FoundSegments.SegmentFound first = part.chain().get(0);
      boolean follows =
          (isFirst && after.segment() == 0)
              ? first.chain().previous() == 0
              : first.number() == wanted;
      if (!follows) {
        long last = isFirst ? first.number() - 1 : first.chain().previous();
        holes.add(new Hole(Math.min(wanted, last), last));
      }
      ChainReplay chain = new ChainReplay(node, part, behind, ChainReplay.Holders.NONE);
      chain.run();
      segments += part.chain().size();
      droppedBytes += chain.recovery().droppedBytes();
      wanted = part.greatestNumber() + 1;
      isFirst = false;
    }
    if (isFirst) {
      holes.add(new Hole(wanted, Long.MAX_VALUE));
    }
    return new Contents(segments, records.get(), droppedBytes, holes);
  }
}
