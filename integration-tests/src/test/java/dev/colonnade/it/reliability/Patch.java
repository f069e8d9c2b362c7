package dev.colonnade.it.reliability;

import java.util.ArrayList;
import java.util.List;

/**
 * A change of source files as a unified diff. Its place is found by its lines, which may have
 * moved: they must occur exactly once.
 */
final class Patch {

  /** The sources have changed, and the patch no longer fits them. */
  static final class DoesNotFitException extends Exception {
    private static final long serialVersionUID = 1L;

    DoesNotFitException(String message) {
      super(message);
    }
  }

  private record Hunk(List<String> before, List<String> after) {}

  /** The change of one file. */
  static final class FileChange {
    private final String path;
    private final List<Hunk> hunks = new ArrayList<>();

    FileChange(String path) {
      this.path = path;
    }

    /** Below the root of the project. */
    String path() {
      return path;
    }

    /** The file's text after the change. */
    String apply(String text) throws DoesNotFitException {
      List<String> lines = new ArrayList<>(text.lines().toList());
      for (Hunk hunk : hunks) {
        int at = find(lines, hunk.before());
        List<String> place = lines.subList(at, at + hunk.before().size());
        place.clear();
        place.addAll(hunk.after());
      }
      return String.join("\n", lines) + "\n";
    }

    private int find(List<String> lines, List<String> wanted) throws DoesNotFitException {
      int found = -1;
      for (int at = 0; at + wanted.size() <= lines.size(); at++) {
        if (lines.subList(at, at + wanted.size()).equals(wanted)) {
          if (found >= 0) {
            throw new DoesNotFitException(
                path + " has these lines twice: " + String.join(" / ", wanted));
          }
          found = at;
        }
      }
      if (found < 0) {
        throw new DoesNotFitException(
            path + " has these lines no more: " + String.join(" / ", wanted));
      }
      return found;
    }
  }

  private final List<FileChange> files = new ArrayList<>();

  private Patch() {}

  /**
   * Reads the lines from the first {@code ---} on.
   *
   * @throws IllegalArgumentException if they are not a unified diff
   */
  static Patch parse(List<String> lines) {
    Patch patch = new Patch();
    Hunk hunk = null;
    for (String line : lines) {
      if (line.startsWith("--- ")) {
        hunk = null;
      } else if (line.startsWith("+++ b/")) {
        patch.files.add(new FileChange(line.substring("+++ b/".length())));
      } else if (line.startsWith("@@ ")) {
        hunk = new Hunk(new ArrayList<>(), new ArrayList<>());
        patch.files.get(patch.files.size() - 1).hunks.add(hunk);
      } else if (hunk != null && !line.isEmpty() && " -+".indexOf(line.charAt(0)) >= 0) {
        if (line.charAt(0) != '+') {
          hunk.before().add(line.substring(1));
        }
        if (line.charAt(0) != '-') {
          hunk.after().add(line.substring(1));
        }
      } else {
        throw new IllegalArgumentException("no line of a unified diff: '" + line + "'");
      }
    }
    if (patch.files.isEmpty()) {
      throw new IllegalArgumentException("a patch that changes nothing");
    }
    return patch;
  }

  List<FileChange> files() {
    return files;
  }
}
