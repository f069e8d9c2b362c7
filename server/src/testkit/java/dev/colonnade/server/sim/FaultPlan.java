package dev.colonnade.server.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which operations of a {@link SimFileSystem} go wrong, and how. Rules are looked at in the order
 * in which they were added; the first one that is due decides.
 *
 * <p>Belongs to one file system, which guards it.
 */
public final class FaultPlan {
  private final List<Rule> rules = new ArrayList<>();
  private long fired;

  /** A plan in which nothing goes wrong yet. */
  public FaultPlan() {}

  /** Adds a rule; it holds for every operation on every file, from the next one on, forever. */
  public Rule add(FileFault fault) {
    Rule rule = new Rule(fault);
    rules.add(rule);
    return rule;
  }

  /** From now on nothing goes wrong. */
  public void clear() {
    rules.clear();
  }

  /** How many operations have gone wrong by this plan. */
  public long fired() {
    return fired;
  }

  /** What happens to an operation; null if it just works. */
  @Nullable Rule next(FileOperation operation, String path) {
    Rule due = null;
    for (Rule rule : rules) {
      // Each rule counts what it is about, whether or not another one comes before it.
      if (rule.count(operation, path) && due == null) {
        due = rule;
      }
    }
    if (due != null) {
      fired++;
    }
    return due;
  }

  /** One thing that goes wrong, at its time. */
  public static final class Rule {
    private final FileFault fault;
    private Set<FileOperation> operations;
    private Predicate<String> paths = path -> true;
    private long first = 1;
    private long times = Long.MAX_VALUE;
    private Duration stall = Duration.ofSeconds(10);
    private long seen;

    private Rule(FileFault fault) {
      this.fault = fault;
      this.operations = sensible(fault);
    }

    private static Set<FileOperation> sensible(FileFault fault) {
      return switch (fault) {
        case ERROR, THROWN_ERROR, STALL -> EnumSet.allOf(FileOperation.class);
        case NO_SPACE, SHORT_WRITE ->
            EnumSet.of(
                FileOperation.CREATE,
                FileOperation.WRITE,
                FileOperation.RENAME,
                FileOperation.MAKE_DIRECTORY);
        case READ_ONLY ->
            EnumSet.of(
                FileOperation.CREATE,
                FileOperation.APPEND,
                FileOperation.WRITE,
                FileOperation.TRUNCATE,
                FileOperation.RENAME,
                FileOperation.DELETE,
                FileOperation.MAKE_DIRECTORY);
        case NO_DESCRIPTORS ->
            EnumSet.of(
                FileOperation.CREATE,
                FileOperation.APPEND,
                FileOperation.OPEN,
                FileOperation.LIST,
                FileOperation.SYNC_DIRECTORY);
        case FLIPPED_BIT -> EnumSet.of(FileOperation.WRITE);
        case LOST_WRITE, MISDIRECTED_WRITE -> EnumSet.of(FileOperation.WRITE);
        case LOST_SYNC -> EnumSet.of(FileOperation.SYNC, FileOperation.SYNC_DIRECTORY);
      };
    }

    /** Only these operations. */
    public Rule on(FileOperation operation, FileOperation... others) {
      operations = EnumSet.of(operation, others);
      return this;
    }

    /** Only files or directories whose path fits. */
    public Rule where(Predicate<String> fits) {
      paths = fits;
      return this;
    }

    /** From the {@code number}-th such operation on, counted from 1 and from now. */
    public Rule from(long number) {
      first = number;
      return this;
    }

    /** So many times only. */
    public Rule times(long count) {
      times = count;
      return this;
    }

    /** Once only. */
    public Rule once() {
      return times(1);
    }

    /** How long a stall takes. */
    public Rule lasting(Duration duration) {
      stall = duration;
      return this;
    }

    /** How many operations it was about so far, whether they went wrong or not. */
    public long seen() {
      return seen;
    }

    FileFault fault() {
      return fault;
    }

    Duration stall() {
      return stall;
    }

    private boolean count(FileOperation operation, String path) {
      if (!operations.contains(operation) || !paths.test(path)) {
        return false;
      }
      seen++;
      return seen >= first && seen - first < times;
    }
  }
}
