package dev.colonnade.it.reliability;

import java.util.List;

/**
 * What the store promises, what is done to it to see whether it keeps that, and which suites look.
 */
enum Promise {
  P1(
      "Durability",
      "batch: acknowledged after a sync; periodic: acknowledged when the system has it, and a power"
          + " loss takes no more than the last period. Files become live only when they and their"
          + " names are durable.",
      "crash after every file operation: all that was not synced lost, none of it, or random parts"
          + " of it, torn sectors and names of files included; crashes while opening after a crash",
      Suite.CRASH),
  P2(
      "Rows change at once",
      "A mutation of a row is there with all its columns or not at all: for readers at any time,"
          + " and after a crash.",
      "readers on threads while memtables are flushed and files merged; crashes as for P1",
      Suite.ISOLATION,
      Suite.CRASH),
  P6(
      "Nothing comes back",
      "What was deleted, truncated or dropped, or has expired, is never seen again.",
      "short gc grace, merges that leave out files, memtables that hold older values, pinned"
          + " segments of the log, restarts, power cuts, a clock that steps back, crashes as for"
          + " P1",
      Suite.RESURRECTION,
      Suite.METAMORPHIC,
      Suite.CRASH),
  P7(
      "Damage is found and never served",
      "Every byte is checked before it is believed. A damaged data file is set aside and reported;"
          + " what was synced to the log is never skipped.",
      "every bit flipped and every length of small files; bits, cuts and deletions of all files of"
          + " a store; bits of memory-mapped key indexes",
      Suite.FILE_DAMAGE,
      Suite.STORE_DAMAGE,
      Suite.LOG_DAMAGE,
      Suite.KEY_INDEX),
  P8(
      "Failures of the disk are final and clear",
      "No acknowledgement of what is not kept, no sync that failed is repeated into success, reads"
          + " go on, writes resume when there is room.",
      "the k-th file operation fails, once or for ever: I/O error, no space, a write cut short,"
          + " read-only, no descriptors",
      Suite.FAILURES),
  P10(
      "Failures have types",
      "A failed request was refused, or its fate is unknown, and says which.",
      "as for P8; the answers of every request are held against what was kept; fields that are"
          + " missing, empty, too long, of the wrong type, unknown or at odds with each other",
      Suite.FAILURES,
      Suite.ERRORS),
  P13(
      "Clocks may be wrong",
      "Timestamps of one node strictly increase; deadlines and periods do not follow the wall"
          + " clock; times to live and gc grace do, and are off by what it stepped and by no more.",
      "the wall clock of one node steps by a millisecond to a day, to and fro, or stands still,"
          + " between the steps of random scripts, under deadlines, syncs, expiry and purges",
      Suite.CLOCKS,
      Suite.RESURRECTION),
  P14(
      "Snapshots",
      "A snapshot is what the node held at one moment, and restores to exactly that.",
      "none: not built yet, the store has no snapshots"),
  P15(
      "Starts and stops are repeatable",
      "Opening a store again, after a crash of the opening too, finds the same. What must not be"
          + " opened (in use, or of a newer release) is refused and left as it was.",
      "restarts and kills in the scripts; crashes at each operation of an opening; a second start"
          + " beside the first, versions of tomorrow, a hundred starts and stops",
      Suite.CRASH,
      Suite.METAMORPHIC,
      Suite.LIFECYCLE),
  P16(
      "Filters, indexes and caches change no answer",
      "With any of them off, small, missing or damaged, answers are those of plain sorted maps.",
      "one list of operations under many configurations; derived files damaged",
      Suite.METAMORPHIC,
      Suite.FILE_DAMAGE,
      Suite.KEY_INDEX);

  private final String title;
  private final String statement;
  private final String faults;
  private final List<Suite> suites;

  Promise(String title, String statement, String faults, Suite... suites) {
    this.title = title;
    this.statement = statement;
    this.faults = faults;
    this.suites = List.of(suites);
  }

  String title() {
    return title;
  }

  String statement() {
    return statement;
  }

  String faults() {
    return faults;
  }

  List<Suite> suites() {
    return suites;
  }
}
