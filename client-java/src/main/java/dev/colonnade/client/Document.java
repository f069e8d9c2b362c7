package dev.colonnade.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A document to index: its texts, those whom it was exchanged with, and what is given back with
 * each hit. Immutable.
 *
 * @param <I> what ids are
 */
public final class Document<I> {

  private final I id;
  private final List<String> texts;
  private final List<byte[]> participants;
  private final byte[] payload;

  private Document(I id, List<String> texts, List<byte[]> participants, byte[] payload) {
    this.id = id;
    this.texts = texts;
    this.participants = participants;
    this.payload = payload;
  }

  /**
   * A document of texts, such as its subject and its body. A phrase does not reach from one into
   * the next.
   *
   * @param id the greatest is the newest, by the index's comparator of ids
   */
  public static <I> Document<I> of(I id, String... texts) {
    return new Document<>(id, List.of(texts), List.of(), new byte[0]);
  }

  /** The same, exchanged with these as well. */
  public Document<I> with(String... others) {
    List<byte[]> all = new ArrayList<>(participants);
    for (String other : others) {
      all.add(other.getBytes(StandardCharsets.UTF_8));
    }
    return new Document<>(id, texts, List.copyOf(all), payload);
  }

  /** The same, exchanged with another one as well, whose bytes are no text. */
  public Document<I> with(byte[] other) {
    List<byte[]> all = new ArrayList<>(participants);
    all.add(other.clone());
    return new Document<>(id, texts, List.copyOf(all), payload);
  }

  /** The same with bytes that each hit gives back, at most 4,096. */
  public Document<I> withPayload(byte[] bytes) {
    return new Document<>(id, texts, participants, bytes.clone());
  }

  /** The same with a text that each hit gives back, such as a line to show. */
  public Document<I> withPayload(String text) {
    return new Document<>(id, texts, participants, text.getBytes(StandardCharsets.UTF_8));
  }

  /** What names it among the user's documents. */
  public I id() {
    return id;
  }

  List<String> texts() {
    return texts;
  }

  List<byte[]> participants() {
    return participants;
  }

  byte[] payload() {
    return payload;
  }
}
