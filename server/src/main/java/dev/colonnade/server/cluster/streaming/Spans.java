package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.storage.engine.RowSpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Ranges of the ring as spans of rows. */
final class Spans {
  private static final RowKey FIRST = RowKey.firstOf(new byte[0]);

  private Spans() {}

  /** Returns ascending and disjoint spans, whatever the ranges are. */
  static List<RowSpan> of(List<TokenRange> ranges) {
    List<RowSpan> spans = new ArrayList<>();
    for (TokenRange range : ranges) {
      if (Arrays.equals(range.start(), range.end())) {
        spans.add(new RowSpan(FIRST, Optional.empty()));
      } else if (range.wraps()) {
        spans.add(new RowSpan(FIRST, Optional.of(after(range.end()))));
        spans.add(new RowSpan(after(range.start()), Optional.empty()));
      } else {
        spans.add(new RowSpan(after(range.start()), Optional.of(after(range.end()))));
      }
    }
    spans.sort(Comparator.comparing(RowSpan::start));
    return joined(spans);
  }

  /** A bound before every row with a greater token, and after all with this one. */
  private static RowKey after(byte[] token) {
    return RowKey.firstOf(Arrays.copyOf(token, token.length + 1));
  }

  private static List<RowSpan> joined(List<RowSpan> ascending) {
    List<RowSpan> joined = new ArrayList<>();
    for (RowSpan span : ascending) {
      int last = joined.size() - 1;
      if (last >= 0 && reaches(joined.get(last), span.start())) {
        joined.set(last, new RowSpan(joined.get(last).start(), later(joined.get(last), span)));
      } else {
        joined.add(span);
      }
    }
    return joined;
  }

  private static boolean reaches(RowSpan span, RowKey key) {
    return span.end().isEmpty() || span.end().get().compareTo(key) >= 0;
  }

  private static Optional<RowKey> later(RowSpan a, RowSpan b) {
    if (a.end().isEmpty() || b.end().isEmpty()) {
      return Optional.empty();
    }
    return a.end().get().compareTo(b.end().get()) >= 0 ? a.end() : b.end();
  }
}
