package dev.colonnade.server.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The history of clients that write and read single values at QUORUM: each register is a row of one
 * column in a {@link History}.
 */
public final class RegisterHistory {
  private static final String CLIENT = "client";
  private static final String COLUMN = "value";

  /** A change of a register. */
  public static final class Write {
    private final History.Write write;

    private Write(History.Write write) {
      this.write = write;
    }

    public Version version() {
      return new Version(write.timestamp, write.change.values().get(COLUMN));
    }

    public Outcome outcome() {
      return write.outcome();
    }
  }

  private final History history = new History();

  /** A client asks for a change. */
  public Write beginWrite(String key, Version version) {
    Change change = Change.at(version.timestamp());
    String value = version.value();
    if (value == null) {
      change.remove(COLUMN);
    } else {
      change.put(COLUMN, value);
    }
    return new Write(history.begin(CLIENT, key, change));
  }

  /** A client learns what became of its change. */
  public void endWrite(Write write, Outcome outcome) {
    history.end(write.write, outcome);
  }

  /** A client asks for a register. */
  public History.Read beginRead(String key) {
    return history.begin(CLIENT, key, Promise.FRESH_AND_WHOLE);
  }

  /** A client is answered; a read that fails is just never ended. */
  public void endRead(History.Read read, @Nullable Version seen) {
    Answer answer = Answer.ofRow();
    if (seen != null && seen.value() != null) {
      answer.saw(COLUMN, Seen.version(seen.timestamp(), seen.value()));
    }
    history.end(read, answer);
  }

  /** Keys that were written or read. */
  public List<String> keys() {
    return List.copyOf(history.rows());
  }

  /** Changes of a key, in the order in which they began. */
  public List<Write> writes(String key) {
    return history.writes(key).stream().map(Write::new).toList();
  }

  /** How many changes were acknowledged. */
  public long acknowledged() {
    return history.count(Outcome.DONE);
  }

  /** How many reads were answered. */
  public long answered() {
    return history.answered();
  }

  /** What cannot have been, in words; empty if all is well. */
  public List<String> violations() {
    return HistoryCheck.violations(history).stream().map(Violation::toString).toList();
  }
}
