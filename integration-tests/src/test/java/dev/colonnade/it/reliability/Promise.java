package dev.colonnade.it.reliability;

import java.util.List;

/** What a node and a cluster promise, how that is tested, and by which suites. */
enum Promise {
  P1(
      "Durability",
      "batch: acknowledged after a sync; periodic: acknowledged when the system has it, and a power"
          + " failure loses at most the last period. Files become live only when they and their"
          + " names are durable.",
      "crash after every file operation: everything unsynced lost, none of it, or random parts of"
          + " it, torn sectors and names of files included; crashes while opening after a crash",
      Suite.CRASH),
  P2(
      "Rows change at once",
      "A mutation of a row is there with all its columns or not at all: for readers at any time,"
          + " and after a crash.",
      "readers on threads while memtables are flushed and files merged; crashes as for P1",
      Suite.ISOLATION,
      Suite.CRASH),
  P3(
      "Quorums meet",
      "A read at QUORUM sees every write at QUORUM that was acknowledged before it began, and"
          + " nothing older than any such read has seen before.",
      "five nodes, three copies: nodes killed, without power, paused and cut off from others, two"
          + " of them at a time; messages lost, doubled, late and out of order; disks that fail or"
          + " are slow; wall clocks apart, stepping and drifting",
      Suite.CLUSTER,
      Suite.MEMBERSHIP,
      Suite.COORDINATION,
      Suite.MERGES,
      Suite.CHECKERS),
  P4(
      "No acknowledged write is lost",
      "Writes acknowledged at QUORUM survive any number of crashes, pauses and broken links, and"
          + " the loss of one copy. Hints never count towards QUORUM.",
      "as for P3; nodes that die for good and are removed",
      Suite.CLUSTER,
      Suite.MEMBERSHIP,
      Suite.COORDINATION,
      Suite.JOINING,
      Suite.HINTS),
  P5(
      "Replicas become equal",
      "Once faults have ended, all replicas of a row become equal, cell by cell, deletions"
          + " included: by hints, by reads and by repair, each alone.",
      "as for P3, then all is healed; hints under restarts, power cuts, full and damaged disks",
      Suite.CLUSTER,
      Suite.MEMBERSHIP,
      Suite.HINTS,
      Suite.JOINING,
      Suite.PLACEMENT,
      Suite.MERGES,
      Suite.CHECKERS),
  P6(
      "Nothing comes back",
      "Deleted, truncated, dropped and expired data is never seen again.",
      "short gc grace, merges that leave out files, memtables that hold older values, pinned"
          + " segments of the log, restarts, power cuts, a clock that steps back, crashes as for"
          + " P1; replicas that missed the deletion, hints older than gc grace, truncations while a"
          + " node is down",
      Suite.RESURRECTION,
      Suite.METAMORPHIC,
      Suite.CRASH,
      Suite.COORDINATION,
      Suite.HINTS,
      Suite.MERGES),
  P7(
      "Damage is found and never served",
      "Every byte is checked before it is believed. A damaged data file is set aside and reported;"
          + " synced records of the log are never skipped.",
      "every bit flipped and every length of small files; bits, cuts and deletions of all files of"
          + " a store; bits of memory-mapped key indexes",
      Suite.FILE_DAMAGE,
      Suite.STORE_DAMAGE,
      Suite.LOG_DAMAGE,
      Suite.KEY_INDEX,
      Suite.FAULTS),
  P8(
      "Failures of the disk are final and clear",
      "Nothing is acknowledged that is not kept, no failed sync is repeated into success, reads"
          + " continue, writes resume when there is room.",
      "the k-th file operation fails, once or for ever: I/O error, no space, a write cut short,"
          + " read-only, no descriptors; file operations that throw an error; comparators that"
          + " throw",
      Suite.FAILURES,
      Suite.FAULTS),
  P9(
      "Memory and turns have bounds",
      "What callers ask for takes no more memory and no more turns than they were given, and gives"
          + " both back.",
      "pools of memory that are full, readers that do not read, messages and answers of every"
          + " size, loads that are slowed down",
      Suite.SESSIONS,
      Suite.ANSWERS,
      Suite.LOADS,
      Suite.HINTS,
      Suite.CLIENT),
  P10(
      "Failures have types",
      "A failed request says whether it was refused or its outcome is unknown.",
      "as for P8; the answer of every request is compared with what was kept; fields that are"
          + " missing, empty, too long, of the wrong type, unknown or at odds with each other",
      Suite.FAILURES,
      Suite.ERRORS,
      Suite.FAULTS,
      Suite.SESSIONS,
      Suite.LOADS,
      Suite.CLIENT),
  P11(
      "Nodes join and leave, rows stay",
      "Joining, leaving, moving, removing and replacing lose no acknowledged write and leave each"
          + " row with as many copies as it should have. A node that is gone does not come back by"
          + " itself.",
      "writes while a node joins, two joins at once, starts of nodes that left, death without"
          + " return, lost disks, restarts behind a broken link; all that is done for P3 while"
          + " nodes come and go",
      Suite.JOINING,
      Suite.MEMBERSHIP,
      Suite.COORDINATION,
      Suite.GOSSIP),
  P12(
      "Dead nodes are found, living ones are not suspected",
      "A dead node is considered down within 10 to 15 s; jitter of 200 ms makes no node suspected;"
          + " the nodes' views of each other converge and never go back.",
      "loss of a third of all messages, jitter, pauses, islands, links that work in one direction,"
          + " restarts within a second, copied identities",
      Suite.GOSSIP,
      Suite.CLUSTER),
  P13(
      "Clocks may be wrong",
      "Timestamps of one node strictly increase; deadlines and periods do not follow the wall"
          + " clock; times to live and gc grace do, and are off by no more than its steps.",
      "the wall clock of one node steps by a millisecond to a day, in both directions, or stops,"
          + " between the steps of random scripts, under deadlines, syncs, expiry and purges;"
          + " clocks of several nodes up to a second apart, stepping by seconds and drifting",
      Suite.CLOCKS,
      Suite.RESURRECTION,
      Suite.CLUSTER),
  P14(
      "Snapshots",
      "A snapshot is what the node held at one moment, and restores to exactly that.",
      "several nodes, truncations, deletions of every kind, archived logs; `SnapshotsTest` crashes"
          + " at each step, `SnapshotRestoreIT` restores on real processes",
      Suite.RESTORE),
  P15(
      "Starts and stops are repeatable",
      "Opening a store again finds the same, also after a crash while opening. A store that must"
          + " not be opened (in use, or of a newer release) is refused and left as it was.",
      "restarts and kills in the scripts; crashes at each operation of an opening; a second start"
          + " beside the first, versions of later releases, a hundred starts and stops",
      Suite.CRASH,
      Suite.METAMORPHIC,
      Suite.LIFECYCLE),
  P16(
      "Filters, indexes and caches change no answer",
      "With any of them off, small, missing or damaged, answers are those of plain sorted maps.",
      "one list of operations under many configurations; derived files damaged",
      Suite.METAMORPHIC,
      Suite.FILE_DAMAGE,
      Suite.KEY_INDEX),
  P17(
      "Schemas become equal",
      "After any concurrent changes on several nodes all of them end with one schema, which is"
          + " valid and can be changed further. What was dropped stays dropped for ever.",
      "changes on nodes that do not hear of each other, at equal timestamps; configuration files"
          + " that come back after years",
      Suite.SCHEMA,
      Suite.SCHEMAS,
      Suite.COORDINATION,
      Suite.LIFECYCLE),
  P19(
      "Time does not wait for the disk",
      "Deadlines, hedges, time-outs and changes of the ring happen while every operation of the"
          + " disk hangs. No event loop waits for the disk, or for a lock that is held while it is"
          + " waited for, and no long read occupies one. Stalled work is named, and a large merge"
          + " does not delay small ones.",
      "every stage that may wait for the disk full of tasks that do; a sync that hangs for a"
          + " minute; a file system under all stores and simulated nodes that throws when it is"
          + " called from the wrong place; names that no row has, asked for in many rows; callers"
          + " that leave while their read runs; merges that do not keep up; a standard error that"
          + " takes no lines",
      Suite.STALLS,
      Suite.CONSOLE,
      Suite.CLUSTER),
  P20(
      "The shell means what it says",
      "Text in quotes reaches the store byte for byte, and statements that the shell prints read as"
          + " the same.",
      "quotes, backslashes, comments, control characters and numbers as names, values, comments"
          + " and data centres; random statements printed and read again",
      Suite.SHELL,
      Suite.COPIES),
  P21(
      "Pages join to the answer",
      "Pages, chunks and tokens leave nothing out and repeat nothing, and what one of them shows of"
          + " a row is of one moment.",
      "pages of every size, streams that resume at every token, rows that are overwritten between"
          + " two reads",
      Suite.ANSWERS,
      Suite.SEARCH),
  P22(
      "Rights hold at every door",
      "A call does what its account may do now, whichever way it comes; guesses are slowed down;"
          + " the audit log says who was refused what.",
      "every method with each right, in sessions and streams, passwords and tokens that change or"
          + " end meanwhile, guesses beside the owner",
      Suite.ACCOUNTS),
  P23(
      "Clients find the owners",
      "The Java client sends a key to the nodes that have it, tries again as often as it is set to,"
          + " and follows the ring.",
      "keys on and beside every token, nodes that fail, are silent or leave, answers that come too"
          + " late",
      Suite.CLIENT),
  P24(
      "A refusal leaves nothing behind",
      "After a refusal, a failure or an abandoned call memory, places and timers are as before, and"
          + " the next call is served.",
      "as for P9 and P22; calls that are cancelled before they begin and streams that are broken"
          + " off",
      Suite.SESSIONS,
      Suite.ACCOUNTS,
      Suite.LOADS,
      Suite.CLIENT);

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
