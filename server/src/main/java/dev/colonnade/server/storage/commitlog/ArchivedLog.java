package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.env.FileSystem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

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
   * @param records in them
   * @param droppedBytes at the end of a segment, of a record that is not complete
   * @param wholeFromTheStart whether the oldest segment is the first that the node ever had
   * @param gaps where segments are missing between others, in words
   */
  public record Contents(
      int segments, long records, long droppedBytes, boolean wholeFromTheStart, List<String> gaps) {
    /** Copies the list. */
    public Contents {
      gaps = List.copyOf(gaps);
    }
  }

  /**
   * Passes each record to {@code replay}, in the order of the log. What it returns is not used.
   *
   * @param node rooted at the directory of the node's segments
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if a segment is damaged or of
   *     another release
   */
  public static Contents read(FileSystem node, LogReplay replay) throws IOException {
    int segments = 0;
    long records = 0;
    long droppedBytes = 0;
    List<String> gaps = new ArrayList<>();
    List<FoundSegments> parts = FoundSegments.unbroken(node);
    for (FoundSegments part : parts) {
      FoundSegments.SegmentFound first = part.chain().get(0);
      if (segments > 0) {
        gaps.add("segments before " + node.describe(first.name()));
      }
      ChainReplay chain = new ChainReplay(node, part, replay, ChainReplay.Holders.NONE);
      chain.run();
      segments += part.chain().size();
      records += chain.recovery().records();
      droppedBytes += chain.recovery().droppedBytes();
    }
    boolean whole = !parts.isEmpty() && parts.get(0).chain().get(0).chain().previous() == 0;
    return new Contents(segments, records, droppedBytes, whole, gaps);
  }
}
