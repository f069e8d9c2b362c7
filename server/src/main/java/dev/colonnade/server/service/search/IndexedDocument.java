package dev.colonnade.server.service.search;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.Checksums;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What an index holds of a document, apart from its id and its timestamp. Immutable.
 *
 * @param fingerprint a checksum of the rest
 * @param entries what follows the fingerprint in the values of its columns, by the names of their
 *     super columns
 * @param names the encoded names of the entries, without the fingerprint
 * @param payload what the caller keeps with the document
 * @param terms how many different terms it has
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record IndexedDocument(
    int fingerprint, SortedMap<byte[], byte[]> entries, byte[] names, byte[] payload, int terms) {

  /** Between the positions of two texts, so that no phrase reaches from one into the next. */
  private static final int GAP = 100;

  private static final String TEXTS = "texts";
  private static final String PARTICIPANTS = "participants";

  /**
   * Cuts the texts of a document into terms. Works for as long as that takes.
   *
   * @throws SearchException if it is above a limit
   */
  static IndexedDocument of(
      List<String> texts,
      Collection<byte[]> participants,
      byte[] payload,
      TextAnalyzer analyzer,
      SearchSettings limits) {
    checkLimits(texts, participants, payload, limits);
    TermCounter counter = new TermCounter(limits);
    for (String text : texts) {
      counter.begin();
      analyzer.analyze(text, counter);
    }
    TreeMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);
    for (byte[] participant : participants) {
      entries.put(IndexLayout.participant(participant), Posting.body(0, 0, new int[0], 0));
    }
    counter.addTo(entries);
    long bytes = 0;
    for (byte[] name : entries.keySet()) {
      bytes += name.length;
    }
    byte[] names = EntryList.body(entries.keySet());
    if (names.length > limits.maxEntriesBytes() || bytes > EntryList.MAX_BYTES) {
      throw SearchException.tooLarge(
          TEXTS, "the document's terms and participants take too much together; split it");
    }
    return new IndexedDocument(
        checksum(entries, payload), entries, names, payload, counter.terms.size());
  }

  private static void checkLimits(
      List<String> texts, Collection<byte[]> participants, byte[] payload, SearchSettings limits) {
    long bytes = 0;
    for (String text : texts) {
      bytes += text.getBytes(StandardCharsets.UTF_8).length;
    }
    require(TEXTS, "bytes of text", bytes, limits.maxTextBytes());
    require(PARTICIPANTS, "participants", participants.size(), limits.maxParticipants());
    int i = 0;
    for (byte[] participant : participants) {
      IndexLimits.checkParticipant(participant, PARTICIPANTS + "[" + i++ + "]", limits);
    }
    require("payload", "bytes of payload", payload.length, limits.maxPayloadBytes());
  }

  private static void require(String field, String what, long found, long most) {
    if (found > most) {
      throw SearchException.tooLarge(
          field, "the document has " + found + " " + what + ", at most " + most + " are allowed");
    }
  }

  private static int checksum(SortedMap<byte[], byte[]> entries, byte[] payload) {
    Checksums.RunningChecksum sum = new Checksums.RunningChecksum();
    entries.forEach(
        (name, body) -> {
          sum.updateInt(name.length).update(name, 0, name.length);
          sum.updateInt(body.length).update(body, 0, body.length);
        });
    return sum.update(payload, 0, payload.length).value();
  }

  /**
   * Refuses a document whose columns are too much for one mutation.
   *
   * @param idBytes the length of its id, which each column has
   */
  void checkSize(int idBytes, SearchSettings limits) {
    long bytes = 0;
    for (Map.Entry<byte[], byte[]> entry : entries.entrySet()) {
      bytes += entry.getKey().length + entry.getValue().length + Integer.BYTES + (long) idBytes;
    }
    if (bytes > limits.maxDocumentBytes()) {
      throw SearchException.tooLarge(
          TEXTS,
          "the document's columns take "
              + bytes
              + " bytes, at most "
              + limits.maxDocumentBytes()
              + " are allowed; there is one for each term and participant, each with the document's"
              + " id of "
              + idBytes
              + " bytes: split the document, or take a shorter id");
    }
  }

  /** The value that the fingerprint and a body make. */
  byte[] value(byte[] body) {
    ByteWriter out = new ByteWriter(Integer.BYTES + body.length);
    out.writeInt(fingerprint);
    out.writeRaw(body);
    return out.toByteArray();
  }

  /** Counts terms and notes their positions. For one document. */
  private static final class TermCounter implements TextAnalyzer.TermSink {
    private final SearchSettings limits;
    private final TreeMap<byte[], Occurrences> terms = new TreeMap<>(Arrays::compareUnsigned);
    private int length;
    private int start;
    private int last = -GAP;

    TermCounter(SearchSettings limits) {
      this.limits = limits;
    }

    /** Begins another text. */
    void begin() {
      start = last + GAP;
    }

    @Override
    public void accept(byte[] term, int position) {
      IndexLimits.checkTerm(term, TEXTS, limits);
      last = start + position;
      length++;
      Occurrences occurrences = terms.get(term);
      if (occurrences == null) {
        if (terms.size() == limits.maxTerms()) {
          throw SearchException.tooLarge(
              TEXTS,
              "the document has more than " + limits.maxTerms() + " different terms; split it");
        }
        occurrences = new Occurrences();
        terms.put(term, occurrences);
      }
      occurrences.add(last, limits.maxPositions());
    }

    void addTo(SortedMap<byte[], byte[]> entries) {
      terms.forEach(
          (term, found) ->
              entries.put(
                  IndexLayout.term(term),
                  Posting.body(found.frequency, length, found.positions, found.kept)));
    }
  }

  /** Where a term occurs. */
  private static final class Occurrences {
    private int[] positions = new int[1];
    private int kept;
    private int frequency;

    void add(int position, int most) {
      frequency++;
      if (kept == most || (kept > 0 && positions[kept - 1] == position)) {
        return;
      }
      if (kept == positions.length) {
        positions = Arrays.copyOf(positions, 2 * kept);
      }
      positions[kept++] = position;
    }
  }
}
