package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Words as records, and their replay. */
final class LogFixture {
  static final FamilyId POSTS = new FamilyId(1, 1);
  static final FamilyId TAGS = new FamilyId(2, 2);
  static final CommitLogSettings SMALL = new CommitLogSettings(1024, 4096, 512);

  /** A record whose payload is a text. */
  record Word(String text, Set<FamilyId> families) implements LogRecord {
    @Override
    public void encode(ByteWriter out) {
      out.writeRaw(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Collects what is replayed, and claims every record for one family. */
  static final class Replayed implements LogReplay {
    final List<String> words = new ArrayList<>();
    final List<LogPosition> positions = new ArrayList<>();
    Set<FamilyId> families = Set.of(POSTS);

    @Override
    public Set<FamilyId> record(LogPosition position, ByteReader payload) throws IOException {
      words.add(new String(payload.readRaw(payload.remaining()), StandardCharsets.UTF_8));
      positions.add(position);
      return families;
    }
  }

  private LogFixture() {}

  static List<Word> words(String... texts) {
    List<Word> words = new ArrayList<>();
    for (String text : texts) {
      words.add(new Word(text, Set.of(POSTS)));
    }
    return words;
  }

  static CommitLog open(FileSystem files, LogReplay replay) throws IOException {
    return CommitLog.open(files, SegmentInventory.open(files), SMALL, LogPosition.START, replay);
  }

  static CommitLog open(FileSystem files) throws IOException {
    return open(files, new Replayed());
  }

  /** The records that a restart replays. */
  static List<String> replayed(FileSystem files) throws IOException {
    Replayed replayed = new Replayed();
    open(files, replayed).close();
    return replayed.words;
  }
}
