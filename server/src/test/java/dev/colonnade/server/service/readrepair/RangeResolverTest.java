package dev.colonnade.server.service.readrepair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeFragment;
import dev.colonnade.server.base.model.RangePosition;
import dev.colonnade.server.base.model.RowCells;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.RowRange;
import dev.colonnade.server.service.readrepair.RangeResolver.ResolvedRange;
import dev.colonnade.server.storage.engine.FragmentCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The same for rows in token order, some of which a replica may not have at all. */
class RangeResolverTest {

  private static final int SEEDS = 25;
  private static final int QUESTIONS = 10;
  private static final RowKey START = RowKey.firstOf(new byte[0]);

  /** A scan over some rows. */
  private record Scan(
      RowKey start,
      Optional<RowKey> end,
      Slice slice,
      long rowLimit,
      boolean includeEmptyRows,
      boolean keysOnly,
      int pageBytes) {

    static Scan random(Random random, Replicas replicas) {
      RowKey a = replicas.key();
      RowKey b = replicas.key();
      boolean whole = random.nextInt(3) > 0;
      return new Scan(
          whole ? START : a.compareTo(b) < 0 ? a : b,
          whole ? Optional.empty() : Optional.of(a.compareTo(b) < 0 ? b : a),
          replicas.randomRow().slice(),
          random.nextBoolean() ? Long.MAX_VALUE : 1 + random.nextInt(4),
          random.nextInt(3) == 0,
          random.nextInt(4) == 0,
          replicas.randomRow().pageBytes());
    }
  }

  @Test
  void joinedPagesAreThoseOfAModelThatMissedNothing() {
    RowResolverTest.onAllSeeds(
        SEEDS,
        random -> {
          Replicas replicas = new Replicas(random, 1 + random.nextInt(4));
          for (int round = 0; round < 3; round++) {
            replicas.writeSome(12);
            for (int i = 0; i < QUESTIONS; i++) {
              check(replicas, Scan.random(random, replicas), false);
            }
          }
        });
  }

  @Test
  void aCorrectedReplicaLacksNothingAndSaysTheSameAsTheOthers() {
    RowResolverTest.onAllSeeds(
        SEEDS,
        random -> {
          Replicas replicas = new Replicas(random, 2 + random.nextInt(3));
          replicas.writeSome(30);
          for (int i = 0; i < QUESTIONS / 2; i++) {
            Scan some = Scan.random(random, replicas);
            Scan scan =
                new Scan(
                    some.start,
                    some.end,
                    some.slice,
                    some.rowLimit,
                    false,
                    some.keysOnly,
                    some.pageBytes);
            check(replicas, scan, true);
            requireEqualAnswers(replicas, scan);
          }
        });
  }

  @Test
  void anAnswerDoesNotDependOnWhereThingsLieNorOnWhatIsPurgeable() {
    RowResolverTest.onAllSeeds(
        SEEDS,
        random -> {
          Replicas replicas = new Replicas(random, 3);
          RandomRow rows = replicas.randomRow();
          record Write(RowKey key, RowUpdate update) {}
          List<Write> writes = new ArrayList<>();
          for (int i = 0; i < 30; i++) {
            RowKey key = replicas.key();
            Set<RowKey> purgeable = new TreeSet<>(List.of(replicas.key()));
            writes.add(
                new Write(
                    key,
                    purgeable.contains(key) || random.nextInt(4) == 0
                        ? rows.purgeable()
                        : rows.update()));
          }
          for (int replica = 0; replica < replicas.count(); replica++) {
            List<Write> shuffled = new ArrayList<>(writes);
            Collections.shuffle(shuffled, random);
            for (Write write : shuffled) {
              replicas.correct(replica, write.key, write.update);
              replicas.maintain(replica);
            }
          }
          for (int i = 0; i < QUESTIONS; i++) {
            requireEqualAnswers(replicas, Scan.random(random, replicas));
          }
        });
  }

  /** Where a scan is, as the coordinator keeps it. */
  private static final class Pages {
    final Replicas replicas;
    final Scan scan;
    final List<RowCells> rows = new ArrayList<>();
    RowKey start;
    Optional<SlicePosition> inside = Optional.empty();
    boolean startListed;
    int pages;

    Pages(Replicas replicas, Scan scan) {
      this.replicas = replicas;
      this.scan = scan;
      this.start = scan.start;
    }

    RangeCommand query() {
      assertTrue(pages++ < 1_000, "the pages come to no end at " + start + " " + inside);
      return new RangeCommand(
          start,
          scan.end,
          inside,
          startListed,
          scan.slice,
          scan.rowLimit - rows.size(),
          scan.includeEmptyRows,
          scan.keysOnly,
          scan.pageBytes,
          replicas.nowSeconds());
    }

    ResolvedRange merge(RangeCommand query, List<RangeFragment> answers) {
      return RangeResolver.merge(replicas.family().order(), query, answers);
    }

    /** Consumes a page; false if it was the last. */
    boolean take(ResolvedRange page) {
      for (RowCells row : page.page().rows()) {
        int last = rows.size() - 1;
        if (startListed && row.key().equals(start)) {
          List<Cell> joined = new ArrayList<>(rows.get(last).cells());
          joined.addAll(row.cells());
          rows.set(last, new RowCells(row.key(), joined));
        } else {
          rows.add(new RowCells(row.key(), row.cells()));
        }
      }
      if (page.page().next().isEmpty()) {
        return false;
      }
      RangePosition pause = page.page().next().get();
      boolean isLast = !rows.isEmpty() && rows.get(rows.size() - 1).key().equals(pause.row());
      inside = pause.inside();
      startListed = inside.isPresent() && isLast;
      start = inside.isPresent() ? pause.row() : behind(pause.row());
      return startListed || rows.size() < scan.rowLimit;
    }

    private static RowKey behind(RowKey row) {
      return new RowKey(row.token(), Arrays.copyOf(row.key(), row.key().length + 1));
    }
  }

  private static void check(Replicas replicas, Scan scan, boolean correcting) throws Exception {
    Pages pages = new Pages(replicas, scan);
    ResolvedRange page;
    do {
      RangeCommand query = pages.query();
      page = pages.merge(query, replicas.ask(query));
      if (correcting) {
        for (int i = 0; i < replicas.count(); i++) {
          for (ResolvedRange.Correction correction : page.corrections().get(i)) {
            replicas.correct(i, correction.key(), correction.update());
          }
        }
      }
    } while (pages.take(page));
    List<RowCells> expected =
        replicas
            .model()
            .readRange(
                new RangeRead(
                    replicas.family(),
                    List.of(new RowRange(scan.start, scan.end)),
                    scan.slice,
                    scan.rowLimit,
                    scan.includeEmptyRows,
                    scan.keysOnly,
                    Optional.empty(),
                    Integer.MAX_VALUE,
                    Consistency.ONE,
                    Long.MAX_VALUE,
                    PageSink.LISTS))
            .join()
            .rows();
    assertEquals(expected, pages.rows, scan::toString);
  }

  private static void requireEqualAnswers(Replicas replicas, Scan scan) throws Exception {
    Pages pages = new Pages(replicas, scan);
    ResolvedRange page;
    do {
      RangeCommand query = pages.query();
      List<RangeFragment> answers = replicas.ask(query);
      Set<Hash128> digests = new java.util.HashSet<>();
      answers.forEach(answer -> digests.add(FragmentCodec.digest(answer)));
      assertEquals(1, digests.size(), () -> query + " " + answers);
      page = pages.merge(query, answers);
      assertTrue(page.corrections().stream().allMatch(List::isEmpty), query.toString());
    } while (pages.take(page));
  }
}
